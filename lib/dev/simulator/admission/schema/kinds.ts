/**
 * Lists the fields of every kind, in the format that fields.ts defines. The types inside a pod are in pods.ts.
 *
 * Sources: the Kubernetes API 1.33 and the CRDs that the simulated cluster serves, such as those of cert-manager and
 * the snapshot controller.
 */

export const KIND_SCHEMA_TABLE = `
Namespace += spec:NamespaceSpec status:a
ConfigMap += binaryData:{string} data:{string} immutable:b
Secret += data:{string} immutable:b stringData:{string} type:s
ResourceQuota += spec:ResourceQuotaSpec status:a
LimitRange += spec:LimitRangeSpec
Service += spec:ServiceSpec status:a
ServiceAccount += automountServiceAccountToken:b imagePullSecrets:[LocalObjectReference!] secrets:[any]@name
PersistentVolumeClaim += spec:PersistentVolumeClaimSpec status:a
Pod += spec:PodSpec status:a
Deployment += spec:DeploymentSpec status:a
StatefulSet += spec:StatefulSetSpec status:a
Job += spec:JobSpec status:a
CronJob += spec:CronJobSpec status:a
Ingress += spec:IngressSpec status:a
NetworkPolicy += spec:NetworkPolicySpec
PodDisruptionBudget += spec:PodDisruptionBudgetSpec status:a
StorageClass += allowVolumeExpansion:b allowedTopologies:a mountOptions:[string] parameters:{string} provisioner:s
    reclaimPolicy:s volumeBindingMode:s
Role += rules:[PolicyRule]
RoleBinding += roleRef:RoleRef subjects:[RbacV1Subject]
ClusterRole += aggregationRule:a rules:[PolicyRule]
ClusterRoleBinding += roleRef:RoleRef subjects:[RbacV1Subject]
IngressClass += spec:IngressClassSpec
ObjectMeta = annotations:{string} creationTimestamp:s deletionGracePeriodSeconds:i deletionTimestamp:s
    finalizers:[string]@* generateName:s generation:i labels:{string} managedFields:[any] name:s namespace:s
    ownerReferences:[OwnerReference]@uid resourceVersion:s selfLink:s uid:s
NamespaceSpec = finalizers:[string]
ResourceQuotaSpec = hard:{quantity} scopeSelector:a scopes:[string]
LimitRangeSpec = limits:[LimitRangeItem]
ServiceSpec = allocateLoadBalancerNodePorts:b clusterIP:s clusterIPs:[string] externalIPs:[string] externalName:s
    externalTrafficPolicy:s healthCheckNodePort:i internalTrafficPolicy:s ipFamilies:[string] ipFamilyPolicy:s
    loadBalancerClass:s loadBalancerIP:s loadBalancerSourceRanges:[string] ports:[ServicePort]@port,protocol
    publishNotReadyAddresses:b selector:{string}! sessionAffinity:s sessionAffinityConfig:SessionAffinityConfig
    trafficDistribution:s type:s
LocalObjectReference = name:s
PersistentVolumeClaimSpec = accessModes:[string] dataSource:TypedLocalObjectReference!
    dataSourceRef:TypedObjectReference resources:VolumeResourceRequirements selector:LabelSelector!
    storageClassName:s volumeAttributesClassName:s volumeMode:s volumeName:s
DeploymentSpec = minReadySeconds:i paused:b progressDeadlineSeconds:i replicas:i revisionHistoryLimit:i
    selector:LabelSelector! strategy:DeploymentStrategy template:PodTemplateSpec
StatefulSetSpec = minReadySeconds:i ordinals:StatefulSetOrdinals
    persistentVolumeClaimRetentionPolicy:StatefulSetPersistentVolumeClaimRetentionPolicy podManagementPolicy:s
    replicas:i revisionHistoryLimit:i selector:LabelSelector! serviceName:s template:PodTemplateSpec
    updateStrategy:StatefulSetUpdateStrategy volumeClaimTemplates:[PersistentVolumeClaim]
JobSpec = activeDeadlineSeconds:i backoffLimit:i backoffLimitPerIndex:i completionMode:s completions:i managedBy:s
    manualSelector:b maxFailedIndexes:i parallelism:i podFailurePolicy:a podReplacementPolicy:s
    selector:LabelSelector! successPolicy:a suspend:b template:PodTemplateSpec ttlSecondsAfterFinished:i
CronJobSpec = concurrencyPolicy:s failedJobsHistoryLimit:i jobTemplate:JobTemplateSpec schedule:s
    startingDeadlineSeconds:i successfulJobsHistoryLimit:i suspend:b timeZone:s
IngressSpec = defaultBackend:IngressBackend ingressClassName:s rules:[IngressRule] tls:[IngressTLS]
NetworkPolicySpec = egress:[NetworkPolicyEgressRule] ingress:[NetworkPolicyIngressRule] podSelector:LabelSelector!
    policyTypes:[string]
PodDisruptionBudgetSpec = maxUnavailable:a minAvailable:a selector:LabelSelector! unhealthyPodEvictionPolicy:s
PolicyRule = apiGroups:[string] nonResourceURLs:[string] resourceNames:[string] resources:[string] verbs:[string]
RoleRef = apiGroup:s kind:s name:s
RbacV1Subject = apiGroup:s kind:s name:s namespace:s
IngressClassSpec = controller:s parameters:IngressClassParametersReference
OwnerReference = apiVersion:s blockOwnerDeletion:b controller:b kind:s name:s uid:s
LimitRangeItem = default:{quantity} defaultRequest:{quantity} max:{quantity} maxLimitRequestRatio:{quantity}
    min:{quantity} type:s
ServicePort = appProtocol:s name:s nodePort:i port:i protocol:s targetPort:a
SessionAffinityConfig = clientIP:ClientIPConfig
TypedLocalObjectReference = apiGroup:s kind:s name:s
TypedObjectReference = apiGroup:s kind:s name:s namespace:s
VolumeResourceRequirements = limits:{quantity} requests:{quantity}
LabelSelector = matchExpressions:[LabelSelectorRequirement] matchLabels:{string}
DeploymentStrategy = rollingUpdate:RollingUpdateDeployment type:s
PodTemplateSpec = metadata:ObjectMeta spec:PodSpec
StatefulSetOrdinals = start:i
StatefulSetPersistentVolumeClaimRetentionPolicy = whenDeleted:s whenScaled:s
StatefulSetUpdateStrategy = rollingUpdate:RollingUpdateStatefulSetStrategy type:s
JobTemplateSpec = metadata:ObjectMeta spec:JobSpec
IngressBackend = resource:TypedLocalObjectReference! service:IngressServiceBackend
IngressRule = host:s http:HTTPIngressRuleValue
IngressTLS = hosts:[string] secretName:s
NetworkPolicyEgressRule = ports:[NetworkPolicyPort] to:[NetworkPolicyPeer]
NetworkPolicyIngressRule = from:[NetworkPolicyPeer] ports:[NetworkPolicyPort]
IngressClassParametersReference = apiGroup:s kind:s name:s namespace:s scope:s
ClientIPConfig = timeoutSeconds:i
LabelSelectorRequirement = key:s operator:s values:[string]
RollingUpdateDeployment = maxSurge:a maxUnavailable:a
RollingUpdateStatefulSetStrategy = maxUnavailable:a partition:i
IngressServiceBackend = name:s port:ServiceBackendPort
HTTPIngressRuleValue = paths:[HTTPIngressPath]
NetworkPolicyPort = endPort:i port:a protocol:s
NetworkPolicyPeer = ipBlock:IPBlock namespaceSelector:LabelSelector! podSelector:LabelSelector!
ServiceBackendPort = name:s number:i
HTTPIngressPath = backend:IngressBackend path:s pathType:s
IPBlock = cidr:s except:[string]
VolumeSnapshot += spec:VolumeSnapshotSpec status:a
VolumeSnapshotSpec = source:VolumeSnapshotSource volumeSnapshotClassName:s
VolumeSnapshotSource = persistentVolumeClaimName:s volumeSnapshotContentName:s
VolumeSnapshotClass += driver:s deletionPolicy:s parameters:{string}
VolumeSnapshotContent += spec:VolumeSnapshotContentSpec status:a
VolumeSnapshotContentSpec = deletionPolicy:s driver:s source:a sourceVolumeMode:s volumeSnapshotClassName:s
    volumeSnapshotRef:a
Certificate += spec:CertificateSpec status:a
CertificateSpec = additionalOutputFormats:a commonName:s dnsNames:[string] duration:s emailAddresses:[string]
    encodeUsagesInRequest:b ipAddresses:[string] isCA:b issuerRef:IssuerReference keystores:a literalSubject:s
    nameConstraints:a otherNames:a privateKey:a renewBefore:s renewBeforePercentage:i revisionHistoryLimit:i
    secretName:s secretTemplate:a signatureAlgorithm:s subject:a uris:[string] usages:[string]
IssuerReference = group:s kind:s name:s
ClusterIssuer += spec:IssuerSpec status:a
Issuer += spec:IssuerSpec status:a
IssuerSpec = acme:a ca:a selfSigned:a vault:a venafi:a
HorizontalPodAutoscaler += spec:HorizontalPodAutoscalerSpec status:a
HorizontalPodAutoscalerSpec = behavior:HorizontalPodAutoscalerBehavior maxReplicas:i metrics:[MetricSpec] minReplicas:i
    scaleTargetRef:CrossVersionObjectReference
HorizontalPodAutoscalerBehavior = scaleDown:HPAScalingRules scaleUp:HPAScalingRules
HPAScalingRules = policies:a selectPolicy:s stabilizationWindowSeconds:i tolerance:quantity
MetricSpec = containerResource:a external:a object:a pods:PodsMetricSource resource:a type:s
PodsMetricSource = metric:MetricIdentifier target:MetricTarget
MetricIdentifier = name:s selector:LabelSelector!
MetricTarget = averageUtilization:i averageValue:quantity type:s value:quantity
CrossVersionObjectReference = apiVersion:s kind:s name:s
ValidatingAdmissionPolicy += spec:ValidatingAdmissionPolicySpec status:a
ValidatingAdmissionPolicySpec = auditAnnotations:a failurePolicy:s matchConditions:[MatchCondition]@name
    matchConstraints:MatchResources paramKind:a validations:[Validation] variables:a
MatchCondition = expression:s name:s
MatchResources = excludeResourceRules:[NamedRuleWithOperations] matchPolicy:s namespaceSelector:LabelSelector!
    objectSelector:LabelSelector! resourceRules:[NamedRuleWithOperations]
NamedRuleWithOperations = apiGroups:[string] apiVersions:[string] operations:[string] resourceNames:[string]
    resources:[string] scope:s
Validation = expression:s message:s messageExpression:s reason:s
ValidatingAdmissionPolicyBinding += spec:ValidatingAdmissionPolicyBindingSpec
ValidatingAdmissionPolicyBindingSpec = matchResources:MatchResources paramRef:a policyName:s
    validationActions:[string]@*
ServiceMonitor += spec:ServiceMonitorSpec status:a
ServiceMonitorSpec = attachMetadata:a bodySizeLimit:s endpoints:[MonitorEndpoint] jobLabel:s labelLimit:i
    namespaceSelector:a podTargetLabels:[string] sampleLimit:i selector:LabelSelector targetLabels:[string]
    targetLimit:i
MonitorEndpoint = authorization:a basicAuth:a bearerTokenSecret:a enableHttp2:b filterRunning:b followRedirects:b
    honorLabels:b honorTimestamps:b interval:s metricRelabelings:a oauth2:a params:a path:s port:s relabelings:a scheme:s
    scrapeTimeout:s targetPort:a tlsConfig:a
PrometheusRule += spec:PrometheusRuleSpec status:a
PrometheusRuleSpec = groups:[RuleGroup]@name
RuleGroup = interval:s labels:{string} limit:i name:s partial_response_strategy:s query_offset:s rules:[AlertRule]
AlertRule = alert:s annotations:{string} expr:a for:s keep_firing_for:s labels:{string} record:s
ControllerRevision += data:a revision:i
ReplicaSet += spec:ReplicaSetSpec status:a
ReplicaSetSpec = minReadySeconds:i replicas:i selector:LabelSelector! template:PodTemplateSpec
Endpoints += subsets:a
EndpointSlice += addressType:s endpoints:a ports:a
Event += action:s count:i eventTime:s firstTimestamp:s involvedObject:a lastTimestamp:s message:s reason:s
    related:a reportingComponent:s reportingInstance:s series:a source:a type:s
Lease += spec:a
Node += spec:a status:a
PersistentVolume += spec:a status:a
PriorityClass += description:s globalDefault:b preemptionPolicy:s value:i
CustomResourceDefinition += spec:a status:a
`;
