/**
 * Checks the values of single fields, for example that a value is an allowed word, a valid name or a valid port number.
 *
 * The table has entries of the form `path rule`, in the order in which the API server reports errors. `[]` stands for
 * each item in a list. `[*]` also stands for each item, but errors then name the list. The `Pod` lines apply to every
 * pod spec, in a pod or in a pod template. `from|to` stands for both fields.
 */
import {
  DNS_LABEL_MESSAGE,
  DNS_LABEL_PATTERN,
  DNS_SUBDOMAIN_MESSAGE,
  DNS_SUBDOMAIN_PATTERN,
  validateConfigMapKey,
  validateLabelKey,
} from "#lib/dev/simulator/admission/rules/data.ts";
import {
  cause,
  checkNumberRange,
  collectCauses,
  findDuplicates,
  type StatusCause,
} from "#lib/dev/simulator/admission/status-error.ts";
import { isRecord, type Json } from "#lib/dev/simulator/store/object.ts";

const TABLE = `
ConfigMap: data keys data; binaryData keys data
Secret: data keys data
Service: spec.ports[].name label; spec.ports[].protocol in SCTP,TCP,UDP; spec.ports[].port port
Service: spec.ports[].targetPort port; spec.sessionAffinity in ClientIP,None; spec.ports unique name
Service: spec.type in ClusterIP,ExternalName,LoadBalancer,NodePort; spec.selector keys label
PersistentVolumeClaim: spec.accessModes[*] in ReadOnlyMany,ReadWriteMany,ReadWriteOnce,ReadWriteOncePod
PersistentVolumeClaim: spec.storageClassName subdomain; spec.volumeMode in Block,Filesystem
StorageClass: provisioner required; reclaimPolicy in Delete,Retain
VolumeSnapshotClass: deletionPolicy in Delete,Retain
Certificate: spec.secretName required
LimitRange: spec.limits unique type
Ingress: spec.tls[].hosts[] subdomain; spec.tls[].secretName subdomain
Ingress: spec.rules[].http.paths[].pathType in Exact,ImplementationSpecific,Prefix
Ingress: spec.rules[].http.paths[].backend.service.name label; spec.ingressClassName subdomain
Ingress: spec.rules[].http.paths[].backend.service.port.number port
NetworkPolicy: spec.podSelector.matchLabels keys label; spec.policyTypes[] in Ingress,Egress
NetworkPolicy: spec.ingress|egress[].ports[].protocol in TCP,UDP,SCTP; spec.ingress|egress[].ports[].port port
NetworkPolicy: spec.ingress|egress[].from|to[].podSelector|namespaceSelector.matchLabels keys label
Deployment: spec.replicas least; spec.minReadySeconds least; spec.revisionHistoryLimit least
ReplicaSet: spec.replicas least; spec.minReadySeconds least
StatefulSet: spec.replicas least; spec.minReadySeconds least; spec.updateStrategy.rollingUpdate.partition least
Job: spec.parallelism least; spec.completions least; spec.activeDeadlineSeconds least; spec.backoffLimit least
Job: spec.ttlSecondsAfterFinished least; spec.completionMode in NonIndexed,Indexed
CronJob: spec.startingDeadlineSeconds least; spec.concurrencyPolicy in Allow,Forbid,Replace
CronJob: spec.successfulJobsHistoryLimit least; spec.failedJobsHistoryLimit least
Pod: volumes[].name required; volumes[].secret.secretName required; volumes[].configMap.name required
Pod: volumes[].persistentVolumeClaim.claimName required; volumes unique name; volumes[].name label
Pod: containers|initContainers[].name required; containers|initContainers[].name label
Pod: containers|initContainers[].image required
Pod: containers|initContainers[].imagePullPolicy in Always,IfNotPresent,Never
Pod: containers|initContainers[].ports[].containerPort port required
Pod: containers|initContainers[].ports[].protocol in SCTP,TCP,UDP
Pod: containers|initContainers[].ports[].name portname; containers|initContainers[].ports unique name
Pod: containers|initContainers[].env[].name required; containers|initContainers[].env[].name variable
Pod: containers|initContainers[].env[].valueFrom.secretKeyRef|configMapKeyRef.key datakey required
Pod: containers|initContainers[].volumeMounts[].mountPath required
Pod: containers|initContainers[].livenessProbe|readinessProbe|startupProbe.httpGet.port port
Pod: containers|initContainers[].livenessProbe|readinessProbe|startupProbe.tcpSocket.port port
Pod: containers|initContainers[].livenessProbe|readinessProbe|startupProbe.initialDelaySeconds least
Pod: containers|initContainers[].livenessProbe|readinessProbe|startupProbe.timeoutSeconds least
Pod: containers|initContainers[].livenessProbe|readinessProbe|startupProbe.periodSeconds least
Pod: containers|initContainers[].livenessProbe|readinessProbe|startupProbe.successThreshold least
Pod: containers|initContainers[].livenessProbe|readinessProbe|startupProbe.failureThreshold least
Pod: containers|initContainers[].securityContext.runAsUser|runAsGroup|fsGroup range 0-2147483647
Pod: securityContext.runAsUser|runAsGroup|fsGroup range 0-2147483647
Pod: containers|initContainers[].securityContext.seccompProfile.type in Localhost,RuntimeDefault,Unconfined
Pod: securityContext.seccompProfile.type in Localhost,RuntimeDefault,Unconfined
Pod: activeDeadlineSeconds range 1-2147483647
Pod: dnsPolicy in ClusterFirstWithHostNet,ClusterFirst,Default,None; serviceAccountName subdomain
Pod: hostname label; nodeSelector keys label
`;

interface ValueRule {
  readonly steps: readonly string[];
  readonly rule: string;
  /** The allowed words for `in`, the bounds for `range`, the field for `unique`, and the type of the keys for `keys`. */
  readonly choices: readonly string[];
}

const POD_SPEC_PATHS: Readonly<Record<string, string>> = {
  Pod: "spec",
  Deployment: "spec.template.spec",
  ReplicaSet: "spec.template.spec",
  StatefulSet: "spec.template.spec",
  Job: "spec.template.spec",
  CronJob: "spec.jobTemplate.spec.template.spec",
};

export function validateFieldValues(kind: string, object: Json): StatusCause[] {
  const at = POD_SPEC_PATHS[kind];
  const own = kind === "Pod" ? [] : valueRulesOf(kind);
  return collectCauses(
    own.flatMap((line) => walk(object, line.steps, "", line)),
    at !== undefined &&
      valueRulesOf("Pod").flatMap((line) => walk(object, [...at.split("."), ...line.steps], "", line)),
  );
}

function valueRulesOf(kind: string): ValueRule[] {
  const lines = TABLE.trim().split("\n").filter((line) => line.startsWith(`${kind}: `));
  return lines.flatMap((line) => line.slice(kind.length + 2).split("; ")).map((entry) => {
    const [path = "", rule = "", choices = ""] = entry.split(" ");
    return { steps: path.split("."), rule, choices: choices.split(",") };
  });
}

/** Checks every value at the path. If the path contains a list, checks the values in all list items. */
function walk(value: Json, [step, ...rest]: readonly string[], field: string, line: ValueRule): StatusCause[] {
  if (step === undefined) return checkValue(value, field, line);
  if (!isRecord(value)) return [];
  const [, names = "", list] = /^([\w|]+)(\[\*?\])?$/.exec(step) ?? [];
  return names.split("|").flatMap((each) => {
    const at = field === "" ? each : `${field}.${each}`;
    if (list === undefined) return walk(value[each], rest, at, line);
    const items: Json = value[each];
    if (!Array.isArray(items)) return [];
    return items.flatMap((item, i) => walk(item, rest, list === "[*]" ? at : `${at}[${i}]`, line));
  });
}

/** Checks a value against its rule. A missing value is valid unless it is required. */
function checkValue(value: Json, field: string, { rule, choices }: ValueRule): StatusCause[] {
  if (!value && (rule === "required" || choices[0] === "required")) return [cause.required(field)];
  if (value === undefined || value === null || value === "") return [];
  switch (rule) {
    case "in":
      return choices.includes(value) ? [] : [cause.unsupported(field, value, choices)];
    case "least":
      return collectCauses(value < 0 && cause.invalid(field, value, "must be greater than or equal to 0"));
    case "range": {
      const [least = 0, most = 0] = choices[0]!.split("-").map(Number);
      return checkNumberRange(field, value, least, most);
    }
    case "label":
      return validateName(field, value, DNS_LABEL_PATTERN, DNS_LABEL_MESSAGE, 63);
    case "subdomain":
      return validateName(field, value, DNS_SUBDOMAIN_PATTERN, DNS_SUBDOMAIN_MESSAGE, 253);
    case "datakey":
      return cause.invalidAll(field, value, validateConfigMapKey(value));
    case "variable": {
      const why = "a valid environment variable name must consist only of printable ASCII characters other than '='";
      return collectCauses(!/^[\x20-\x3c\x3e-\x7e]+$/.test(value) && cause.invalid(field, value, why));
    }
    case "required":
      return [];
    case "keys":
      return Object.keys(value).flatMap((key) =>
        choices[0] === "label"
          ? cause.invalidAll(field, key, validateLabelKey(key))
          : cause.invalidAll(`${field}[${key}]`, key, validateConfigMapKey(key))
      );
    case "unique":
      return findDuplicates<Json>(value, (item) => item[choices[0]!])
        .map(({ item, at }) => cause.duplicate(`${field}[${at}].${choices[0]}`, item[choices[0]!]));
    default: // a port's number or name
      return typeof value === "number" ? checkNumberRange(field, value, 1, 65535) : validatePortName(field, value);
  }
}

function validateName(field: string, value: string, form: RegExp, rule: string, most: number): StatusCause[] {
  return collectCauses(
    value.length > most && cause.invalid(field, value, `must be no more than ${most} characters`),
    !form.test(value) && cause.invalid(field, value, rule),
  );
}

function validatePortName(field: string, value: string): StatusCause[] {
  if (value.length > 15) return [cause.invalid(field, value, "must be no more than 15 characters")];
  return collectCauses(
    !/^[-a-z0-9]+$/.test(value) &&
      cause.invalid(field, value, "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"),
    !/[a-z]/.test(value) && cause.invalid(field, value, "must contain at least one letter (a-z)"),
  );
}
