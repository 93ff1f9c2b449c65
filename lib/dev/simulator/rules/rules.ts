/** The rules that look at more than one value of an object, kind by kind; single values are in schema/values.ts. */
import type { Kind } from "#lib/dev/simulator/kinds.ts";
import type { Json, KubeObject } from "#lib/dev/simulator/object.ts";
import { type Cause, invalid, unsupported } from "#lib/dev/simulator/refusal.ts";
import { badConfigMap, badSecret } from "#lib/dev/simulator/rules/data.ts";
import { badMetadata } from "#lib/dev/simulator/rules/meta.ts";
import { badIngress, badNetworkPolicy, badService } from "#lib/dev/simulator/rules/network.ts";
import { badClaim, badLimits, badQuota } from "#lib/dev/simulator/rules/space.ts";
import { badCronJob, badDeployment, badJob, badStatefulSet } from "#lib/dev/simulator/rules/workloads.ts";

const RESTARTS = ["Always", "OnFailure", "Never"];

const RULES: Readonly<Record<string, (object: Json) => Cause[]>> = {
  ConfigMap: badConfigMap,
  CronJob: badCronJob,
  Deployment: badDeployment,
  Ingress: badIngress,
  Job: badJob,
  LimitRange: badLimits,
  NetworkPolicy: badNetworkPolicy,
  PersistentVolumeClaim: ({ spec }) => badClaim("spec", spec),
  Pod: ({ spec: { restartPolicy: policy = "Always" } }) =>
    RESTARTS.includes(policy) ? [] : [unsupported("spec.restartPolicy", policy, RESTARTS)],
  ResourceQuota: badQuota,
  Secret: badSecret,
  Service: badService,
  StatefulSet: badStatefulSet,
};

export function refuseBroken(kind: Kind, object: KubeObject): void {
  const causes = [...badMetadata(object), ...(kind.custom ? [] : RULES[kind.kind]?.(object) ?? [])];
  if (causes.length > 0) throw invalid(kind, object.metadata.name, causes);
}
