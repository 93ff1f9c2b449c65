/** Written by `npm run generate`; commit it, do not edit it. */
export const KUBERNETES_FIELDS = `
AWSElasticBlockStoreVolumeSource = fsType:s partition:i readOnly:b volumeID:s
Affinity = nodeAffinity:NodeAffinity podAffinity:PodAffinity podAntiAffinity:PodAntiAffinity
AggregationRule = clusterRoleSelectors:[LabelSelector]
AppArmorProfile = localhostProfile:s type:s
AuditAnnotation = key:s valueExpression:s
AzureDiskVolumeSource = cachingMode:s diskName:s diskURI:s fsType:s kind:s readOnly:b
AzureFileVolumeSource = readOnly:b secretName:s shareName:s
CSIVolumeSource = driver:s fsType:s nodePublishSecretRef:LocalObjectReference readOnly:b volumeAttributes:{s}
Capabilities = add:[s] drop:[s]
CephFSVolumeSource = monitors:[s] path:s readOnly:b secretFile:s secretRef:LocalObjectReference user:s
CinderVolumeSource = fsType:s readOnly:b secretRef:LocalObjectReference volumeID:s
ClientIPConfig = timeoutSeconds:i
ClusterRole += aggregationRule:AggregationRule rules:[PolicyRule]
ClusterRoleBinding += roleRef:RoleRef subjects:[RbacV1Subject]
ClusterTrustBundleProjection = labelSelector:LabelSelector name:s optional:b path:s signerName:s
ConfigMap += binaryData:{s} data:{s} immutable:b
ConfigMapEnvSource = name:s optional:b
ConfigMapKeySelector = key:s name:s optional:b
ConfigMapProjection = items:[KeyToPath] name:s optional:b
ConfigMapVolumeSource = defaultMode:i items:[KeyToPath] name:s optional:b
Container = args:[s] command:[s] env:[EnvVar] envFrom:[EnvFromSource] image:s imagePullPolicy:s
    lifecycle:Lifecycle livenessProbe:Probe name:s ports:[ContainerPort] readinessProbe:Probe
    resizePolicy:[ContainerResizePolicy] resources:ResourceRequirements restartPolicy:s
    restartPolicyRules:[ContainerRestartRule] securityContext:SecurityContext startupProbe:Probe stdin:b stdinOnce:b
    terminationMessagePath:s terminationMessagePolicy:s tty:b volumeDevices:[VolumeDevice] volumeMounts:[VolumeMount]
    workingDir:s
ContainerPort = containerPort:i hostIP:s hostPort:i name:s protocol:s
ContainerResizePolicy = resourceName:s restartPolicy:s
ContainerResourceMetricSource = container:s name:s target:MetricTarget
ContainerRestartRule = action:s exitCodes:ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes = operator:s values:[i]
CoreV1ResourceClaim = name:s request:s
CronJob += spec:CronJobSpec status:a
CronJobSpec = concurrencyPolicy:s failedJobsHistoryLimit:i jobTemplate:JobTemplateSpec schedule:s
    startingDeadlineSeconds:i successfulJobsHistoryLimit:i suspend:b timeZone:s
CrossVersionObjectReference = apiVersion:s kind:s name:s
DaemonSet += spec:DaemonSetSpec status:a
DaemonSetSpec = minReadySeconds:i revisionHistoryLimit:i selector:LabelSelector template:PodTemplateSpec
    updateStrategy:DaemonSetUpdateStrategy
DaemonSetUpdateStrategy = rollingUpdate:RollingUpdateDaemonSet type:s
Deployment += spec:DeploymentSpec status:a
DeploymentSpec = minReadySeconds:i paused:b progressDeadlineSeconds:i replicas:i revisionHistoryLimit:i
    selector:LabelSelector strategy:DeploymentStrategy template:PodTemplateSpec
DeploymentStrategy = rollingUpdate:RollingUpdateDeployment type:s
DownwardAPIProjection = items:[DownwardAPIVolumeFile]
DownwardAPIVolumeFile = fieldRef:ObjectFieldSelector mode:i path:s resourceFieldRef:ResourceFieldSelector
DownwardAPIVolumeSource = defaultMode:i items:[DownwardAPIVolumeFile]
EmptyDirVolumeSource = medium:s sizeLimit:s
EnvFromSource = configMapRef:ConfigMapEnvSource prefix:s secretRef:SecretEnvSource
EnvVar = name:s value:s valueFrom:EnvVarSource
EnvVarSource = configMapKeyRef:ConfigMapKeySelector fieldRef:ObjectFieldSelector fileKeyRef:FileKeySelector
    resourceFieldRef:ResourceFieldSelector secretKeyRef:SecretKeySelector
EphemeralContainer = args:[s] command:[s] env:[EnvVar] envFrom:[EnvFromSource] image:s imagePullPolicy:s
    lifecycle:Lifecycle livenessProbe:Probe name:s ports:[ContainerPort] readinessProbe:Probe
    resizePolicy:[ContainerResizePolicy] resources:ResourceRequirements restartPolicy:s
    restartPolicyRules:[ContainerRestartRule] securityContext:SecurityContext startupProbe:Probe stdin:b stdinOnce:b
    targetContainerName:s terminationMessagePath:s terminationMessagePolicy:s tty:b volumeDevices:[VolumeDevice]
    volumeMounts:[VolumeMount] workingDir:s
EphemeralVolumeSource = volumeClaimTemplate:PersistentVolumeClaimTemplate
ExecAction = command:[s]
ExternalMetricSource = metric:MetricIdentifier target:MetricTarget
FCVolumeSource = fsType:s lun:i readOnly:b targetWWNs:[s] wwids:[s]
FileKeySelector = key:s optional:b path:s volumeName:s
FlexVolumeSource = driver:s fsType:s options:{s} readOnly:b secretRef:LocalObjectReference
FlockerVolumeSource = datasetName:s datasetUUID:s
GCEPersistentDiskVolumeSource = fsType:s partition:i pdName:s readOnly:b
GRPCAction = port:i service:s
GitRepoVolumeSource = directory:s repository:s revision:s
GlusterfsVolumeSource = endpoints:s path:s readOnly:b
HPAScalingPolicy = periodSeconds:i type:s value:i
HPAScalingRules = policies:[HPAScalingPolicy] selectPolicy:s stabilizationWindowSeconds:i tolerance:s
HTTPGetAction = host:s httpHeaders:[HTTPHeader] path:s port:a scheme:s
HTTPHeader = name:s value:s
HTTPIngressPath = backend:IngressBackend path:s pathType:s
HTTPIngressRuleValue = paths:[HTTPIngressPath]
HorizontalPodAutoscaler += spec:HorizontalPodAutoscalerSpec status:a
HorizontalPodAutoscalerBehavior = scaleDown:HPAScalingRules scaleUp:HPAScalingRules
HorizontalPodAutoscalerSpec = behavior:HorizontalPodAutoscalerBehavior maxReplicas:i metrics:[MetricSpec]
    minReplicas:i scaleTargetRef:CrossVersionObjectReference
HostAlias = hostnames:[s] ip:s
HostPathVolumeSource = path:s type:s
IPBlock = cidr:s except:[s]
ISCSIVolumeSource = chapAuthDiscovery:b chapAuthSession:b fsType:s initiatorName:s iqn:s iscsiInterface:s lun:i
    portals:[s] readOnly:b secretRef:LocalObjectReference targetPortal:s
ImageVolumeSource = pullPolicy:s reference:s
Ingress += spec:IngressSpec status:a
IngressBackend = resource:TypedLocalObjectReference service:IngressServiceBackend
IngressClass += spec:IngressClassSpec
IngressClassParametersReference = apiGroup:s kind:s name:s namespace:s scope:s
IngressClassSpec = controller:s parameters:IngressClassParametersReference
IngressRule = host:s http:HTTPIngressRuleValue
IngressServiceBackend = name:s port:ServiceBackendPort
IngressSpec = defaultBackend:IngressBackend ingressClassName:s rules:[IngressRule] tls:[IngressTLS]
IngressTLS = hosts:[s] secretName:s
Job += spec:JobSpec status:a
JobSpec = activeDeadlineSeconds:i backoffLimit:i backoffLimitPerIndex:i completionMode:s completions:i managedBy:s
    manualSelector:b maxFailedIndexes:i parallelism:i podFailurePolicy:PodFailurePolicy podReplacementPolicy:s
    selector:LabelSelector successPolicy:SuccessPolicy suspend:b template:PodTemplateSpec ttlSecondsAfterFinished:i
JobTemplateSpec = metadata:ObjectMeta spec:JobSpec
KeyToPath = key:s mode:i path:s
LabelSelector = matchExpressions:[LabelSelectorRequirement] matchLabels:{s}
LabelSelectorRequirement = key:s operator:s values:[s]
Lifecycle = postStart:LifecycleHandler preStop:LifecycleHandler stopSignal:s
LifecycleHandler = exec:ExecAction httpGet:HTTPGetAction sleep:SleepAction tcpSocket:TCPSocketAction
LimitRange += spec:LimitRangeSpec
LimitRangeItem = default:{s} defaultRequest:{s} max:{s} maxLimitRequestRatio:{s} min:{s} type:s
LimitRangeSpec = limits:[LimitRangeItem]
LocalObjectReference = name:s
ManagedFieldsEntry = apiVersion:s fieldsType:s fieldsV1:a manager:s operation:s subresource:s time:s
MatchCondition = expression:s name:s
MatchResources = excludeResourceRules:[NamedRuleWithOperations] matchPolicy:s namespaceSelector:LabelSelector
    objectSelector:LabelSelector resourceRules:[NamedRuleWithOperations]
MetricIdentifier = name:s selector:LabelSelector
MetricSpec = containerResource:ContainerResourceMetricSource external:ExternalMetricSource
    object:ObjectMetricSource pods:PodsMetricSource resource:ResourceMetricSource type:s
MetricTarget = averageUtilization:i averageValue:s type:s value:s
NFSVolumeSource = path:s readOnly:b server:s
NamedRuleWithOperations = apiGroups:[s] apiVersions:[s] operations:[s] resourceNames:[s] resources:[s] scope:s
Namespace += spec:NamespaceSpec status:a
NamespaceSpec = finalizers:[s]
NetworkPolicy += spec:NetworkPolicySpec
NetworkPolicyEgressRule = ports:[NetworkPolicyPort] to:[NetworkPolicyPeer]
NetworkPolicyIngressRule = from:[NetworkPolicyPeer] ports:[NetworkPolicyPort]
NetworkPolicyPeer = ipBlock:IPBlock namespaceSelector:LabelSelector podSelector:LabelSelector
NetworkPolicyPort = endPort:i port:a protocol:s
NetworkPolicySpec = egress:[NetworkPolicyEgressRule] ingress:[NetworkPolicyIngressRule] podSelector:LabelSelector
    policyTypes:[s]
NodeAffinity = preferredDuringSchedulingIgnoredDuringExecution:[PreferredSchedulingTerm]
    requiredDuringSchedulingIgnoredDuringExecution:NodeSelector
NodeSelector = nodeSelectorTerms:[NodeSelectorTerm]
NodeSelectorRequirement = key:s operator:s values:[s]
NodeSelectorTerm = matchExpressions:[NodeSelectorRequirement] matchFields:[NodeSelectorRequirement]
ObjectFieldSelector = apiVersion:s fieldPath:s
ObjectMeta = annotations:{s} creationTimestamp:s deletionGracePeriodSeconds:i deletionTimestamp:s finalizers:[s]
    generateName:s generation:i labels:{s} managedFields:[ManagedFieldsEntry] name:s namespace:s
    ownerReferences:[OwnerReference] resourceVersion:s selfLink:s uid:s
ObjectMetricSource = describedObject:CrossVersionObjectReference metric:MetricIdentifier target:MetricTarget
ObjectReference = apiVersion:s fieldPath:s kind:s name:s namespace:s resourceVersion:s uid:s
OwnerReference = apiVersion:s blockOwnerDeletion:b controller:b kind:s name:s uid:s
ParamKind = apiVersion:s kind:s
ParamRef = name:s namespace:s parameterNotFoundAction:s selector:LabelSelector
PersistentVolumeClaim += spec:PersistentVolumeClaimSpec status:a
PersistentVolumeClaimSpec = accessModes:[s] dataSource:TypedLocalObjectReference
    dataSourceRef:TypedObjectReference resources:VolumeResourceRequirements selector:LabelSelector storageClassName:s
    volumeAttributesClassName:s volumeMode:s volumeName:s
PersistentVolumeClaimTemplate = metadata:ObjectMeta spec:PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource = claimName:s readOnly:b
PhotonPersistentDiskVolumeSource = fsType:s pdID:s
Pod += spec:PodSpec status:a
PodAffinity = preferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm]
    requiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm]
PodAffinityTerm = labelSelector:LabelSelector matchLabelKeys:[s] mismatchLabelKeys:[s]
    namespaceSelector:LabelSelector namespaces:[s] topologyKey:s
PodAntiAffinity = preferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm]
    requiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm]
PodCertificateProjection = certificateChainPath:s credentialBundlePath:s keyPath:s keyType:s
    maxExpirationSeconds:i signerName:s userAnnotations:{s}
PodDNSConfig = nameservers:[s] options:[PodDNSConfigOption] searches:[s]
PodDNSConfigOption = name:s value:s
PodDisruptionBudget += spec:PodDisruptionBudgetSpec status:a
PodDisruptionBudgetSpec = maxUnavailable:a minAvailable:a selector:LabelSelector unhealthyPodEvictionPolicy:s
PodFailurePolicy = rules:[PodFailurePolicyRule]
PodFailurePolicyOnExitCodesRequirement = containerName:s operator:s values:[i]
PodFailurePolicyOnPodConditionsPattern = status:s type:s
PodFailurePolicyRule = action:s onExitCodes:PodFailurePolicyOnExitCodesRequirement
    onPodConditions:[PodFailurePolicyOnPodConditionsPattern]
PodOS = name:s
PodReadinessGate = conditionType:s
PodResourceClaim = name:s resourceClaimName:s resourceClaimTemplateName:s
PodSchedulingGate = name:s
PodSchedulingGroup = podGroupName:s
PodSecurityContext = appArmorProfile:AppArmorProfile fsGroup:i fsGroupChangePolicy:s runAsGroup:i runAsNonRoot:b
    runAsUser:i seLinuxChangePolicy:s seLinuxOptions:SELinuxOptions seccompProfile:SeccompProfile
    supplementalGroups:[i] supplementalGroupsPolicy:s sysctls:[Sysctl] windowsOptions:WindowsSecurityContextOptions
PodSpec = activeDeadlineSeconds:i affinity:Affinity automountServiceAccountToken:b containers:[Container]
    dnsConfig:PodDNSConfig dnsPolicy:s enableServiceLinks:b ephemeralContainers:[EphemeralContainer]
    hostAliases:[HostAlias] hostIPC:b hostNetwork:b hostPID:b hostUsers:b hostname:s hostnameOverride:s
    imagePullSecrets:[LocalObjectReference] initContainers:[Container] nodeName:s nodeSelector:{s} os:PodOS
    overhead:{s} preemptionPolicy:s priority:i priorityClassName:s readinessGates:[PodReadinessGate]
    resourceClaims:[PodResourceClaim] resources:ResourceRequirements restartPolicy:s runtimeClassName:s
    schedulerName:s schedulingGates:[PodSchedulingGate] schedulingGroup:PodSchedulingGroup
    securityContext:PodSecurityContext serviceAccount:s serviceAccountName:s setHostnameAsFQDN:b
    shareProcessNamespace:b subdomain:s terminationGracePeriodSeconds:i tolerations:[Toleration]
    topologySpreadConstraints:[TopologySpreadConstraint] volumes:[Volume]
PodTemplateSpec = metadata:ObjectMeta spec:PodSpec
PodsMetricSource = metric:MetricIdentifier target:MetricTarget
PolicyRule = apiGroups:[s] nonResourceURLs:[s] resourceNames:[s] resources:[s] verbs:[s]
PortworxVolumeSource = fsType:s readOnly:b volumeID:s
PreferredSchedulingTerm = preference:NodeSelectorTerm weight:i
PriorityClass += description:s globalDefault:b preemptionPolicy:s value:i
Probe = exec:ExecAction failureThreshold:i grpc:GRPCAction httpGet:HTTPGetAction initialDelaySeconds:i
    periodSeconds:i successThreshold:i tcpSocket:TCPSocketAction terminationGracePeriodSeconds:i timeoutSeconds:i
ProjectedVolumeSource = defaultMode:i sources:[VolumeProjection]
QuobyteVolumeSource = group:s readOnly:b registry:s tenant:s user:s volume:s
RBDVolumeSource = fsType:s image:s keyring:s monitors:[s] pool:s readOnly:b secretRef:LocalObjectReference user:s
RbacV1Subject = apiGroup:s kind:s name:s namespace:s
ReplicaSet += spec:ReplicaSetSpec status:a
ReplicaSetSpec = minReadySeconds:i replicas:i selector:LabelSelector template:PodTemplateSpec
ResourceFieldSelector = containerName:s divisor:s resource:s
ResourceMetricSource = name:s target:MetricTarget
ResourceQuota += spec:ResourceQuotaSpec status:a
ResourceQuotaSpec = hard:{s} scopeSelector:ScopeSelector scopes:[s]
ResourceRequirements = claims:[CoreV1ResourceClaim] limits:{s} requests:{s}
Role += rules:[PolicyRule]
RoleBinding += roleRef:RoleRef subjects:[RbacV1Subject]
RoleRef = apiGroup:s kind:s name:s
RollingUpdateDaemonSet = maxSurge:a maxUnavailable:a
RollingUpdateDeployment = maxSurge:a maxUnavailable:a
RollingUpdateStatefulSetStrategy = maxUnavailable:a partition:i
SELinuxOptions = level:s role:s type:s user:s
ScaleIOVolumeSource = fsType:s gateway:s protectionDomain:s readOnly:b secretRef:LocalObjectReference sslEnabled:b
    storageMode:s storagePool:s system:s volumeName:s
ScopeSelector = matchExpressions:[ScopedResourceSelectorRequirement]
ScopedResourceSelectorRequirement = operator:s scopeName:s values:[s]
SeccompProfile = localhostProfile:s type:s
Secret += data:{s} immutable:b stringData:{s} type:s
SecretEnvSource = name:s optional:b
SecretKeySelector = key:s name:s optional:b
SecretProjection = items:[KeyToPath] name:s optional:b
SecretVolumeSource = defaultMode:i items:[KeyToPath] optional:b secretName:s
SecurityContext = allowPrivilegeEscalation:b appArmorProfile:AppArmorProfile capabilities:Capabilities
    privileged:b procMount:s readOnlyRootFilesystem:b runAsGroup:i runAsNonRoot:b runAsUser:i
    seLinuxOptions:SELinuxOptions seccompProfile:SeccompProfile windowsOptions:WindowsSecurityContextOptions
Service += spec:ServiceSpec status:a
ServiceAccount += automountServiceAccountToken:b imagePullSecrets:[LocalObjectReference] secrets:[ObjectReference]
ServiceAccountTokenProjection = audience:s expirationSeconds:i path:s
ServiceBackendPort = name:s number:i
ServicePort = appProtocol:s name:s nodePort:i port:i protocol:s targetPort:a
ServiceSpec = allocateLoadBalancerNodePorts:b clusterIP:s clusterIPs:[s] externalIPs:[s] externalName:s
    externalTrafficPolicy:s healthCheckNodePort:i internalTrafficPolicy:s ipFamilies:[s] ipFamilyPolicy:s
    loadBalancerClass:s loadBalancerIP:s loadBalancerSourceRanges:[s] ports:[ServicePort] publishNotReadyAddresses:b
    selector:{s} sessionAffinity:s sessionAffinityConfig:SessionAffinityConfig trafficDistribution:s type:s
SessionAffinityConfig = clientIP:ClientIPConfig
SleepAction = seconds:i
StatefulSet += spec:StatefulSetSpec status:a
StatefulSetOrdinals = start:i
StatefulSetPersistentVolumeClaimRetentionPolicy = whenDeleted:s whenScaled:s
StatefulSetSpec = minReadySeconds:i ordinals:StatefulSetOrdinals
    persistentVolumeClaimRetentionPolicy:StatefulSetPersistentVolumeClaimRetentionPolicy podManagementPolicy:s
    replicas:i revisionHistoryLimit:i selector:LabelSelector serviceName:s template:PodTemplateSpec
    updateStrategy:StatefulSetUpdateStrategy volumeClaimTemplates:[PersistentVolumeClaim]
StatefulSetUpdateStrategy = rollingUpdate:RollingUpdateStatefulSetStrategy type:s
StorageClass += allowVolumeExpansion:b allowedTopologies:[TopologySelectorTerm] mountOptions:[s] parameters:{s}
    provisioner:s reclaimPolicy:s volumeBindingMode:s
StorageOSVolumeSource = fsType:s readOnly:b secretRef:LocalObjectReference volumeName:s volumeNamespace:s
SuccessPolicy = rules:[SuccessPolicyRule]
SuccessPolicyRule = succeededCount:i succeededIndexes:s
Sysctl = name:s value:s
TCPSocketAction = host:s port:a
Toleration = effect:s key:s operator:s tolerationSeconds:i value:s
TopologySelectorLabelRequirement = key:s values:[s]
TopologySelectorTerm = matchLabelExpressions:[TopologySelectorLabelRequirement]
TopologySpreadConstraint = labelSelector:LabelSelector matchLabelKeys:[s] maxSkew:i minDomains:i
    nodeAffinityPolicy:s nodeTaintsPolicy:s topologyKey:s whenUnsatisfiable:s
TypedLocalObjectReference = apiGroup:s kind:s name:s
TypedObjectReference = apiGroup:s kind:s name:s namespace:s
ValidatingAdmissionPolicy += spec:ValidatingAdmissionPolicySpec status:a
ValidatingAdmissionPolicyBinding += spec:ValidatingAdmissionPolicyBindingSpec
ValidatingAdmissionPolicyBindingSpec = matchResources:MatchResources paramRef:ParamRef policyName:s
    validationActions:[s]
ValidatingAdmissionPolicySpec = auditAnnotations:[AuditAnnotation] failurePolicy:s
    matchConditions:[MatchCondition] matchConstraints:MatchResources paramKind:ParamKind validations:[Validation]
    variables:[Variable]
Validation = expression:s message:s messageExpression:s reason:s
Variable = expression:s name:s
Volume = awsElasticBlockStore:AWSElasticBlockStoreVolumeSource azureDisk:AzureDiskVolumeSource
    azureFile:AzureFileVolumeSource cephfs:CephFSVolumeSource cinder:CinderVolumeSource
    configMap:ConfigMapVolumeSource csi:CSIVolumeSource downwardAPI:DownwardAPIVolumeSource
    emptyDir:EmptyDirVolumeSource ephemeral:EphemeralVolumeSource fc:FCVolumeSource flexVolume:FlexVolumeSource
    flocker:FlockerVolumeSource gcePersistentDisk:GCEPersistentDiskVolumeSource gitRepo:GitRepoVolumeSource
    glusterfs:GlusterfsVolumeSource hostPath:HostPathVolumeSource image:ImageVolumeSource iscsi:ISCSIVolumeSource
    name:s nfs:NFSVolumeSource persistentVolumeClaim:PersistentVolumeClaimVolumeSource
    photonPersistentDisk:PhotonPersistentDiskVolumeSource portworxVolume:PortworxVolumeSource
    projected:ProjectedVolumeSource quobyte:QuobyteVolumeSource rbd:RBDVolumeSource scaleIO:ScaleIOVolumeSource
    secret:SecretVolumeSource storageos:StorageOSVolumeSource vsphereVolume:VsphereVirtualDiskVolumeSource
VolumeDevice = devicePath:s name:s
VolumeMount = mountPath:s mountPropagation:s name:s readOnly:b recursiveReadOnly:s subPath:s subPathExpr:s
VolumeProjection = clusterTrustBundle:ClusterTrustBundleProjection configMap:ConfigMapProjection
    downwardAPI:DownwardAPIProjection podCertificate:PodCertificateProjection secret:SecretProjection
    serviceAccountToken:ServiceAccountTokenProjection
VolumeResourceRequirements = limits:{s} requests:{s}
VsphereVirtualDiskVolumeSource = fsType:s storagePolicyID:s storagePolicyName:s volumePath:s
WeightedPodAffinityTerm = podAffinityTerm:PodAffinityTerm weight:i
WindowsSecurityContextOptions = gmsaCredentialSpec:s gmsaCredentialSpecName:s hostProcess:b runAsUserName:s
`;
