/**
 * Checks the values of single fields, for example that a value is an allowed word, a valid name or a valid port number.
 *
 * The table has entries of the form `path rule`, in the order in which the API server reports errors. `[]` stands for
 * each item in a list. `[*]` also stands for each item, but errors then name the list. The `Pod` lines apply to every
 * pod spec, in a pod or in a pod template.
 */
import { cause, checkNumberRange, collectCauses, type StatusCause } from "#lib/dev/simulator/admission/status-error.ts";
import { isRecord, type Json } from "#lib/dev/simulator/store/object.ts";

export const DNS_LABEL_MESSAGE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must " +
  "start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
export const DNS_SUBDOMAIN_MESSAGE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
  "and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
export const DNS_LABEL_PATTERN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
export const DNS_SUBDOMAIN_PATTERN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const TABLE = `
Service: spec.ports[].name label; spec.ports[].protocol in SCTP,TCP,UDP; spec.ports[].port port
Service: spec.ports[].targetPort port; spec.sessionAffinity in ClientIP,None
Service: spec.type in ClusterIP,ExternalName,LoadBalancer,NodePort
PersistentVolumeClaim: spec.accessModes[*] in ReadOnlyMany,ReadWriteMany,ReadWriteOnce,ReadWriteOncePod
PersistentVolumeClaim: spec.storageClassName subdomain; spec.volumeMode in Block,Filesystem
StorageClass: provisioner required; reclaimPolicy in Delete,Retain
VolumeSnapshotClass: deletionPolicy in Delete,Retain
Certificate: spec.secretName required
Ingress: spec.tls[].hosts[] subdomain; spec.tls[].secretName subdomain
Ingress: spec.rules[].http.paths[].pathType in Exact,ImplementationSpecific,Prefix
Ingress: spec.rules[].http.paths[].backend.service.name label; spec.ingressClassName subdomain
NetworkPolicy: spec.ingress[].ports[].protocol in TCP,UDP,SCTP; spec.ingress[].ports[].port port
NetworkPolicy: spec.egress[].ports[].protocol in TCP,UDP,SCTP; spec.egress[].ports[].port port
NetworkPolicy: spec.policyTypes[] in Ingress,Egress
Deployment: spec.replicas least; spec.minReadySeconds least; spec.revisionHistoryLimit least
ReplicaSet: spec.replicas least; spec.minReadySeconds least
StatefulSet: spec.replicas least; spec.minReadySeconds least; spec.updateStrategy.rollingUpdate.partition least
Job: spec.parallelism least; spec.completions least; spec.activeDeadlineSeconds least; spec.backoffLimit least
Job: spec.ttlSecondsAfterFinished least; spec.completionMode in NonIndexed,Indexed
CronJob: spec.startingDeadlineSeconds least; spec.concurrencyPolicy in Allow,Forbid,Replace
CronJob: spec.successfulJobsHistoryLimit least; spec.failedJobsHistoryLimit least
Pod: volumes[].name label; initContainers[].name label; containers[].name label
Pod: initContainers[].imagePullPolicy in Always,IfNotPresent,Never
Pod: containers[].imagePullPolicy in Always,IfNotPresent,Never; containers[].ports[].name portname
Pod: dnsPolicy in ClusterFirstWithHostNet,ClusterFirst,Default,None; serviceAccountName subdomain
`;

interface ValueRule {
  readonly steps: readonly string[];
  readonly rule: string;
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
  const [, name = "", list] = /^(\w+)(\[\*?\])?$/.exec(step) ?? [];
  const at = field === "" ? name : `${field}.${name}`;
  if (list === undefined) return walk(value[name], rest, at, line);
  const items: Json = value[name];
  if (!Array.isArray(items)) return [];
  return items.flatMap((item, i) => walk(item, rest, list === "[*]" ? at : `${at}[${i}]`, line));
}

/** Checks a value against its rule. A missing value is valid unless the rule is `required`. */
function checkValue(value: Json, field: string, { rule, choices }: ValueRule): StatusCause[] {
  if (rule === "required") return value === undefined || value === "" ? [cause.required(field)] : [];
  if (value === undefined || value === null || value === "") return [];
  if (typeof value === "number") {
    if (rule === "port") return checkNumberRange(field, value, 1, 65535);
    return collectCauses(
      rule === "least" && value < 0 && cause.invalid(field, value, "must be greater than or equal to 0"),
    );
  }
  if (typeof value !== "string") return [];
  switch (rule) {
    case "in":
      return choices.includes(value) ? [] : [cause.unsupported(field, value, choices)];
    case "label":
      return validateName(field, value, DNS_LABEL_PATTERN, DNS_LABEL_MESSAGE, 63);
    case "subdomain":
      return validateName(field, value, DNS_SUBDOMAIN_PATTERN, DNS_SUBDOMAIN_MESSAGE, 253);
    case "port":
    case "portname":
      return validatePortName(field, value);
    default:
      return [];
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
