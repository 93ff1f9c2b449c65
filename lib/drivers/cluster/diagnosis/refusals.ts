/**
 * Finds out why admission control refused a request, by parsing the message of the error or FailedCreate event. The
 * field `reason` in Kubernetes' response is too general for this (Forbidden, BadRequest or absent). Messages that match
 * no known pattern get a general hint.
 */
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";

interface Refusal {
  readonly code: string;
  /** The cause, as a clause for the middle of a sentence: "the quota spoke has too little cpu left". */
  readonly why: string;
  readonly hint: string;
  /**
   * When a retry can succeed. `never`: only after a person has fixed the cause. `soon`: within seconds, once the
   * cluster has set up a new namespace. `capacity`: once other objects have been removed. `later`: once a
   * failed component of the cluster works again.
   */
  readonly heals: "never" | "soon" | "capacity" | "later";
}

/** The name of the ResourceQuota in a site's manifests. The cluster's administrators create all other quotas. */
const BLUEPRINT_QUOTA = "spoke";

/** A pattern for error messages, and a function that turns a match into a refusal. The first matching rule counts. */
type Rule = readonly [words: RegExp, read: (found: RegExpExecArray, message: string) => Refusal];

const RULES: readonly Rule[] = [
  [/exceeded quota: ([^,\s]+)/, (found, message) => readQuota(found[1]!, message)],
  [/status unknown for quota:|serviceaccount "[^"]*" not found|error looking up service account/, () => ({
    code: "Forbidden",
    why: "the cluster is still setting up the new namespace",
    hint: "Wait a few seconds: the cluster is still setting up the namespace.",
    heals: "soon",
  })],
  [/failed quota: ([^:,\s]+)/, ([, quota]) => ({
    code: "FailedQuota",
    why: `the quota ${quota} requires resource requests and limits for every container`,
    hint: "Set requests and limits for each container in sizes.yaml, or add a LimitRange with defaults.",
    heals: "never",
  })],
  [/violates PodSecurity(?: "([^"]*)")?/, ([, level]) => ({
    code: "PodSecurity",
    why: `the pod violates the pod security level ${level ?? "of the namespace"}`,
    hint: "Correct the pod's securityContext in the blueprint, or the security level in namespace.yaml.",
    heals: "never",
  })],
  [/unable to validate against any (pod security policy|security context constraint)/, ([, policy]) => ({
    code: "PodSecurity",
    why: `no ${policy} in the cluster allows the pod`,
    hint: `Add a ${policy} that allows these pods, or correct the pods' securityContext in the blueprint.`,
    heals: "never",
  })],
  [/(maximum|minimum) (\S+) usage per (\S+) is|limit to request ratio per/, ([, bound, resource, type]) => ({
    code: "LimitRange",
    why: bound
      ? `the LimitRange sets a ${bound} of ${resource} per ${type}`
      : "the LimitRange restricts the ratio of limits to requests",
    hint: bound === "maximum"
      ? 'Raise "largest" for this size in sizes.yaml, lower its requests, or correct the LimitRange in the namespace.'
      : "Correct the LimitRange in the namespace, or the size's requests in sizes.yaml.",
    heals: "never",
  })],
  [/User "([^"]+)" cannot (\S+) (?:resource )?"?([\w./-]+)"?/, ([, user, verb, resource]) => ({
    code: "Forbidden",
    why: `the account ${user} may not ${verb} ${resource}`,
    hint: `Grant ${user} permission to ${verb} ${resource} with a ClusterRole (RBAC).`,
    heals: "never",
  })],
  [/admission webhook "([^"]+)" denied the request/, ([, webhook]) => ({
    code: "WebhookDenied",
    why: `the cluster's admission webhook ${webhook} denies the request`,
    hint: `Change the blueprint to satisfy the webhook ${webhook}, or exclude Wheelwright's namespaces.`,
    heals: "never",
  })],
  [/ValidatingAdmissionPolicy '([^']+)'.* denied request/, ([, policy]) => ({
    code: "PolicyDenied",
    why: `the cluster's admission policy ${policy} denies the request`,
    hint: `Change the blueprint to satisfy the policy ${policy}, or exclude Wheelwright's namespaces.`,
    heals: "never",
  })],
  [/failed calling (?:admission )?webhook "([^"]+)"/, ([, webhook]) => ({
    code: "WebhookUnreachable",
    why: `the cluster's admission webhook ${webhook} does not respond`,
    hint:
      `Repair the service behind the webhook ${webhook}, or delete the webhook. Until then, nothing can be created.`,
    heals: "later",
  })],
];

export function parseAdmissionRefusal(message: string): Refusal {
  for (const [words, read] of RULES) {
    const found = words.exec(message);
    if (found) return read(found, message);
  }
  return {
    code: "Forbidden",
    why: "the cluster's admission control refused the request",
    hint: "Read the message from the cluster's admission control, and correct the object that it refused.",
    heals: "never",
  };
}

function readQuota(quota: string, message: string): Refusal {
  const requested = parseAmounts(message, "requested"),
    used = parseAmounts(message, "used"),
    limited = parseAmounts(message, "limited");
  const exceeded = [...requested.keys()].filter((resource) =>
    (requested.get(resource) ?? 0) + (used.get(resource) ?? 0) > (limited.get(resource) ?? Infinity)
  );
  // A request that does not exceed the whole quota fits once other objects are gone.
  const fits = [...requested].every(([resource, amount]) => !(amount > (limited.get(resource) ?? Infinity)));
  const what = exceeded.join(" and ") || "resources";
  const isOfSize = exceeded.every((resource) => /^(?:requests|limits)\./.test(resource));
  const file = quota === BLUEPRINT_QUOTA ? ` (${isOfSize ? "sizes" : "limits"}.yaml)` : "";
  return {
    code: "ExceededQuota",
    why: fits
      ? `the quota ${quota} has too little ${what} left`
      : `the request for ${what} is higher than the quota ${quota} allows`,
    hint: fits
      ? `Raise ${what} in the quota ${quota}${file}, or remove other objects from this namespace.`
      : `Raise ${what} in the quota ${quota}${file}, or request less.`,
    heals: fits ? "capacity" : "never",
  };
}

/** Parses amounts such as `requested: limits.cpu=1,limits.memory=1Gi, used: …` into a map from resource to amount. */
function parseAmounts(message: string, label: string): Map<string, number> {
  const part = new RegExp(`${label}: (.*?)(?:, (?:used|limited): |$)`).exec(message)?.[1] ?? "";
  return new Map([...part.matchAll(/([^\s,=]+)=([^\s,]+)/g)].map((found) => [found[1]!, parseQuantity(found[2]!)]));
}
