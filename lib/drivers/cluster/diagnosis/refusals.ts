/**
 * Why admission said no, read from its sentence.
 *
 * The same sentences come as the answer to a call and as FailedCreate events of whatever was to make a pod: quota,
 * LimitRange, pod security, permissions and webhooks have reasons that say little (Forbidden, BadRequest, none at all),
 * and only the words tell them apart. What is not recognised stands with the cluster's own words and a general hint.
 */
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";

interface Refusal {
  readonly code: string;
  /** To stand after what was refused, and before the cluster's own words: "the quota spoke has no room for it". */
  readonly why: string;
  readonly hint: string;
  /**
   * never: it takes somebody to change something. soon: it heals by itself within seconds, as a new namespace settles.
   * room: it heals once something else in the namespace has ended. later: once a part of the cluster works again.
   */
  readonly heals: "never" | "soon" | "room" | "later";
}

/** The blueprint's; any other was put there by somebody else. */
const BLUEPRINT_QUOTA = "spoke";

/** How a refusal is recognised, and what is made of it. The first that fits decides. */
type Rule = readonly [words: RegExp, read: (found: RegExpExecArray, message: string) => Refusal];

const RULES: readonly Rule[] = [
  [/exceeded quota: ([^,\s]+)/, (found, message) => readQuota(found[1]!, message)],
  [/status unknown for quota:|serviceaccount "[^"]*" not found|error looking up service account/, () => ({
    code: "Forbidden",
    why: "the namespace is new, and the cluster has yet to set it up",
    hint: "The namespace is new; its controllers have yet to see it.",
    heals: "soon",
  })],
  [/failed quota: ([^:,\s]+)/, ([, quota]) => ({
    code: "FailedQuota",
    why: `the quota ${quota} wants every container to state its resources`,
    hint: "State requests and limits for each container in sizes.yaml, or add a LimitRange that fills them in.",
    heals: "never",
  })],
  [/violates PodSecurity(?: "([^"]*)")?/, ([, level]) => ({
    code: "PodSecurity",
    why: `it asks for more than the pod security level ${level ?? "of the namespace"} allows`,
    hint: "Correct the pod's securityContext in the blueprint, or the level in the labels of its namespace.yaml.",
    heals: "never",
  })],
  [/unable to validate against any (pod security policy|security context constraint)/, ([, policy]) => ({
    code: "PodSecurity",
    why: `no ${policy} of the cluster admits it`,
    hint: `Allow the pods of these namespaces by a ${policy}, or correct their securityContext in the blueprint.`,
    heals: "never",
  })],
  [/(maximum|minimum) (\S+) usage per (\S+) is|limit to request ratio per/, ([, bound, resource, type]) => ({
    code: "LimitRange",
    why: bound
      ? `the LimitRange sets a ${bound} of ${resource} per ${type}`
      : "the LimitRange bounds limits by requests",
    hint: bound === "maximum"
      ? 'Raise "largest" of this size in sizes.yaml, lower what the size asks for, or correct another LimitRange.'
      : "Correct the LimitRange in the namespace, or what the size asks for in sizes.yaml.",
    heals: "never",
  })],
  [/User "([^"]+)" cannot (\S+) (?:resource )?"?([\w./-]+)"?/, ([, user, verb, resource]) => ({
    code: "Forbidden",
    why: `the account ${user} may not ${verb} ${resource}`,
    hint: `Give the account the permission to ${verb} ${resource}: a ClusterRole, bound to ${user} (RBAC).`,
    heals: "never",
  })],
  [/admission webhook "([^"]+)" denied the request/, ([, webhook]) => ({
    code: "WebhookDenied",
    why: `the cluster's admission webhook ${webhook} denies it`,
    hint: `Do what the webhook ${webhook} asks for in the blueprint, or have it leave these namespaces out.`,
    heals: "never",
  })],
  [/ValidatingAdmissionPolicy '([^']+)'.* denied request/, ([, policy]) => ({
    code: "PolicyDenied",
    why: `the cluster's admission policy ${policy} denies it`,
    hint: `Do what the policy ${policy} asks for in the blueprint, or have it leave these namespaces out.`,
    heals: "never",
  })],
  [/failed calling (?:admission )?webhook "([^"]+)"/, ([, webhook]) => ({
    code: "WebhookUnreachable",
    why: `the cluster's admission webhook ${webhook} does not answer`,
    hint: `Repair what serves the webhook ${webhook}, or take its configuration away; until then nothing can be made.`,
    heals: "later",
  })],
];

export function readRefusal(message: string): Refusal {
  for (const [words, read] of RULES) {
    const found = words.exec(message);
    if (found) return read(found, message);
  }
  return {
    code: "Forbidden",
    why: "the cluster's admission refuses it",
    hint: "The cluster's admission refuses it; see its message.",
    heals: "never",
  };
}

function readQuota(quota: string, message: string): Refusal {
  const requested = parseAmounts(message, "requested"),
    used = parseAmounts(message, "used"),
    limited = parseAmounts(message, "limited");
  const short = [...requested.keys()].filter((resource) =>
    (requested.get(resource) ?? 0) + (used.get(resource) ?? 0) > (limited.get(resource) ?? Infinity)
  );
  // Whatever asks for no more than the whole quota fits as soon as others make room.
  const fits = [...requested].every(([resource, amount]) => !(amount > (limited.get(resource) ?? Infinity)));
  const what = short.join(" and ") || "this";
  const isOfSize = short.every((resource) => /^(?:requests|limits)\./.test(resource));
  const place = quota === BLUEPRINT_QUOTA ? ` (${isOfSize ? "sizes" : "limits"}.yaml)` : "";
  return {
    code: "ExceededQuota",
    why: fits
      ? `what is left of ${what} in the quota ${quota} is too little`
      : `it asks for more ${what} than the whole quota ${quota} allows`,
    hint: fits
      ? `Raise ${what} of the quota ${quota}${place}, or end what else uses it up in this namespace.`
      : `Raise ${what} of the quota ${quota}${place}, or ask for less.`,
    heals: fits ? "room" : "never",
  };
}

/** `requested: limits.cpu=1,limits.memory=1Gi, used: …` as resource and amount. */
function parseAmounts(message: string, label: string): Map<string, number> {
  const part = new RegExp(`${label}: (.*?)(?:, (?:used|limited): |$)`).exec(message)?.[1] ?? "";
  return new Map([...part.matchAll(/([^\s,=]+)=([^\s,]+)/g)].map((found) => [found[1]!, parseQuantity(found[2]!)]));
}
