/** Enforces admission policies: rejects each request that a bound ValidatingAdmissionPolicy denies. */
import { Environment } from "@marcbachmann/cel-js";
import type { SimulatedUser } from "#lib/dev/simulator/access/rbac.ts";
import { formatResourceName, type Json, type StoredObject } from "#lib/dev/simulator/store/object.ts";
import { createStatusDetails, StatusError } from "#lib/dev/simulator/admission/status-error.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";

const CEL = new Environment({ unlistedVariablesAreDyn: true });

export interface AdmissionPolicyRequest {
  readonly user: SimulatedUser;
  readonly operation: "CREATE" | "UPDATE" | "DELETE";
  /** The object after the request; null if the request deletes the object. */
  readonly object: StoredObject | null;
  /** The object before the request; null if the request creates the object. */
  readonly oldObject: StoredObject | null;
}

/** Throws if an admission policy denies the request. The status is 422, unless the failed validation sets another. */
export function enforceAdmissionPolicies(
  world: Simulation,
  { user, operation, object, oldObject }: AdmissionPolicyRequest,
): void {
  const subject = object ?? oldObject!, kind = world.kinds.of(subject)!;
  const { name, namespace } = subject.metadata;
  const variables = {
    object,
    oldObject,
    namespaceObject: namespace === undefined ? null : world.store.get("Namespace", undefined, namespace) ?? null,
    request: { operation, name, namespace: namespace ?? "", userInfo: { username: user.name, groups: user.groups } },
  };
  for (const binding of world.store.list("ValidatingAdmissionPolicyBinding")) {
    const policy = world.store.get("ValidatingAdmissionPolicy", undefined, binding["spec"].policyName);
    if (!policy || !binding["spec"].validationActions?.includes("Deny")) continue;
    const { matchConstraints, matchConditions = [], validations } = policy["spec"];
    const fits = (matchConstraints?.resourceRules ?? []).some((rule: Json) =>
      includesOrWildcard(rule.apiGroups, kind.group) && includesOrWildcard(rule.apiVersions, kind.version) &&
      includesOrWildcard(rule.resources, kind.plural) &&
      includesOrWildcard(rule.operations, operation)
    );
    if (!fits || !matchConditions.every(({ expression }: Json) => CEL.evaluate(expression, variables))) continue;
    const denied = validations.find(({ expression }: Json) => !isSatisfied(expression, variables));
    if (!denied) continue;
    const policyName = `ValidatingAdmissionPolicy '${policy.metadata.name}' with binding '${binding.metadata.name}'`;
    const message = `${policyName} denied request: ${denied.message ?? `failed expression: ${denied.expression}`}`;
    const details = { ...createStatusDetails(kind, name), causes: [{ message }] };
    const reason: string = denied.reason ?? "Invalid", status = STATUS[reason];
    if (status === undefined) {
      throw new Error(`The admission policy ${policy.metadata.name} has an invalid reason: ${reason}`);
    }
    throw new StatusError(status, reason, `${formatResourceName(kind)} "${name}" is forbidden: ${message}`, details);
  }
}

/** The HTTP status for each `reason` that a validation in an admission policy can set. */
const STATUS: Readonly<Record<string, number>> = {
  Unauthorized: 401,
  Forbidden: 403,
  RequestEntityTooLarge: 413,
  Invalid: 422,
};

function includesOrWildcard(list: readonly string[] | undefined, value: string): boolean {
  return list?.some((each) => each === value || each === "*") ?? false;
}

/** Whether a CEL expression is true. Reading a missing field makes the expression false (`failurePolicy: Fail`). */
function isSatisfied(expression: string, variables: Readonly<Record<string, Json>>): boolean {
  const evaluate = CEL.parse(expression);
  try {
    return evaluate(variables) === true;
  } catch {
    return false;
  }
}
