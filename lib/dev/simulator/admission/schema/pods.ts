/**
 * Lists the fields of a pod, in the format that fields.ts defines.
 *
 * Source: the Kubernetes API 1.33. Volume types that this project does not use are missing, so they are treated as
 * unknown fields.
 */

export const POD_SCHEMA_TABLE = `
PodSpec = activeDeadlineSeconds:i affinity:Affinity automountServiceAccountToken:b containers:[Container]@name
    dnsConfig:PodDNSConfig dnsPolicy:s enableServiceLinks:b ephemeralContainers:[any]@name
    hostAliases:[HostAlias]@ip hostIPC:b hostNetwork:b hostPID:b hostUsers:b hostname:s
    imagePullSecrets:[LocalObjectReference!]@name initContainers:[Container]@name nodeName:s nodeSelector:{string}!
    os:PodOS overhead:{quantity} preemptionPolicy:s priority:i priorityClassName:s readinessGates:[PodReadinessGate]
    resourceClaims:[any]@name resources:ResourceRequirements restartPolicy:s runtimeClassName:s schedulerName:s
    schedulingGates:[PodSchedulingGate]@name securityContext:PodSecurityContext serviceAccount:s
    serviceAccountName:s setHostnameAsFQDN:b shareProcessNamespace:b subdomain:s terminationGracePeriodSeconds:i
    tolerations:[Toleration] topologySpreadConstraints:[TopologySpreadConstraint]@topologyKey,whenUnsatisfiable
    volumes:[Volume]@name
Affinity = nodeAffinity:a podAffinity:PodAffinity podAntiAffinity:PodAntiAffinity
Container = args:[string] command:[string] env:[EnvVar]@name envFrom:[EnvFromSource] image:s imagePullPolicy:s
    lifecycle:Lifecycle livenessProbe:Probe name:s ports:[ContainerPort]@containerPort,protocol readinessProbe:Probe
    resizePolicy:[ContainerResizePolicy] resources:ResourceRequirements restartPolicy:s
    securityContext:SecurityContext startupProbe:Probe stdin:b stdinOnce:b terminationMessagePath:s
    terminationMessagePolicy:s tty:b volumeDevices:[VolumeDevice]@devicePath volumeMounts:[VolumeMount]@mountPath
    workingDir:s
PodDNSConfig = nameservers:[string] options:[PodDNSConfigOption] searches:[string]
HostAlias = hostnames:[string] ip:s
PodOS = name:s
PodReadinessGate = conditionType:s
ResourceRequirements = claims:[ResourceClaim] limits:{quantity} requests:{quantity}
PodSchedulingGate = name:s
PodSecurityContext = appArmorProfile:AppArmorProfile fsGroup:i fsGroupChangePolicy:s runAsGroup:i runAsNonRoot:b
    runAsUser:i seLinuxChangePolicy:s seLinuxOptions:a seccompProfile:SeccompProfile supplementalGroups:[int]
    supplementalGroupsPolicy:s sysctls:[Sysctl] windowsOptions:a
Toleration = effect:s key:s operator:s tolerationSeconds:i value:s
TopologySpreadConstraint = labelSelector:LabelSelector! matchLabelKeys:[string] maxSkew:i minDomains:i
    nodeAffinityPolicy:s nodeTaintsPolicy:s topologyKey:s whenUnsatisfiable:s
Volume = configMap:ConfigMapVolumeSource csi:a downwardAPI:DownwardAPIVolumeSource emptyDir:EmptyDirVolumeSource
    ephemeral:a hostPath:a name:s nfs:a persistentVolumeClaim:PersistentVolumeClaimVolumeSource
    projected:ProjectedVolumeSource secret:SecretVolumeSource
PodAffinity = preferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm]
    requiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm]
PodAntiAffinity = preferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm]
    requiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm]
EnvVar = name:s value:s valueFrom:EnvVarSource
EnvFromSource = configMapRef:ConfigMapEnvSource prefix:s secretRef:SecretEnvSource
Lifecycle = postStart:LifecycleHandler preStop:LifecycleHandler stopSignal:s
Probe = exec:ExecAction failureThreshold:i grpc:GRPCAction httpGet:HTTPGetAction initialDelaySeconds:i
    periodSeconds:i successThreshold:i tcpSocket:TCPSocketAction terminationGracePeriodSeconds:i timeoutSeconds:i
ContainerPort = containerPort:i hostIP:s hostPort:i name:s protocol:s
ContainerResizePolicy = resourceName:s restartPolicy:s
SecurityContext = allowPrivilegeEscalation:b appArmorProfile:AppArmorProfile capabilities:Capabilities privileged:b
    procMount:s readOnlyRootFilesystem:b runAsGroup:i runAsNonRoot:b runAsUser:i seLinuxOptions:a
    seccompProfile:SeccompProfile windowsOptions:a
VolumeDevice = devicePath:s name:s
VolumeMount = mountPath:s mountPropagation:s name:s readOnly:b recursiveReadOnly:s subPath:s subPathExpr:s
PodDNSConfigOption = name:s value:s
ResourceClaim = name:s request:s
AppArmorProfile = localhostProfile:s type:s
SeccompProfile = localhostProfile:s type:s
Sysctl = name:s value:s
ConfigMapVolumeSource = defaultMode:i items:[KeyToPath] name:s optional:b
DownwardAPIVolumeSource = defaultMode:i items:[DownwardAPIVolumeFile]
EmptyDirVolumeSource = medium:s sizeLimit:s
PersistentVolumeClaimVolumeSource = claimName:s readOnly:b
ProjectedVolumeSource = defaultMode:i sources:[VolumeProjection]
SecretVolumeSource = defaultMode:i items:[KeyToPath] optional:b secretName:s
WeightedPodAffinityTerm = podAffinityTerm:PodAffinityTerm weight:i
PodAffinityTerm = labelSelector:LabelSelector! matchLabelKeys:[string] mismatchLabelKeys:[string]
    namespaceSelector:LabelSelector! namespaces:[string] topologyKey:s
EnvVarSource = configMapKeyRef:ConfigMapKeySelector! fieldRef:ObjectFieldSelector!
    resourceFieldRef:ResourceFieldSelector! secretKeyRef:SecretKeySelector!
ConfigMapEnvSource = name:s optional:b
SecretEnvSource = name:s optional:b
LifecycleHandler = exec:ExecAction httpGet:HTTPGetAction sleep:SleepAction tcpSocket:TCPSocketAction
ExecAction = command:[string]
GRPCAction = port:i service:s
HTTPGetAction = host:s httpHeaders:[HTTPHeader] path:s port:a scheme:s
TCPSocketAction = host:s port:a
Capabilities = add:[string] drop:[string]
KeyToPath = key:s mode:i path:s
DownwardAPIVolumeFile = fieldRef:ObjectFieldSelector! mode:i path:s resourceFieldRef:ResourceFieldSelector!
VolumeProjection = clusterTrustBundle:a configMap:ConfigMapProjection downwardAPI:DownwardAPIProjection
    secret:SecretProjection serviceAccountToken:ServiceAccountTokenProjection
ConfigMapKeySelector = key:s name:s optional:b
ObjectFieldSelector = apiVersion:s fieldPath:s
ResourceFieldSelector = containerName:s divisor:s resource:s
SecretKeySelector = key:s name:s optional:b
SleepAction = seconds:i
HTTPHeader = name:s value:s
ConfigMapProjection = items:[KeyToPath] name:s optional:b
DownwardAPIProjection = items:[DownwardAPIVolumeFile]
SecretProjection = items:[KeyToPath] name:s optional:b
ServiceAccountTokenProjection = audience:s expirationSeconds:i path:s
`;
