/**
 * Why admission said no, read from its sentence.
 *
 * The same sentences come as the answer to a call (403) and as FailedCreate events of whatever was to make a pod:
 * quota, LimitRange, pod security and permissions all have the reason Forbidden, and only the words tell them apart.
 */
import { amountOf } from "#lib/cluster/quantity.ts";

export interface Refusal {
  readonly code: string;
  readonly hint: string;
  /**
   * never: it takes somebody to change something. soon: it heals by itself within seconds, as a new namespace settles.
   * room: it heals once something else in the namespace has ended.
   */
  readonly heals: "never" | "soon" | "room";
}

export function readRefusal(message: string): Refusal {
  if (/exceeded quota:/.test(message)) {
    return {
      code: "ExceededQuota",
      hint: "Raise the ResourceQuota of this size in the blueprint, or ask for less.",
      heals: fitsOnceEmpty(message) ? "room" : "never",
    };
  }
  if (/status unknown for quota:|serviceaccount "[^"]*" not found|error looking up service account/.test(message)) {
    return { code: "Forbidden", hint: "The namespace is new; its controllers have yet to see it.", heals: "soon" };
  }
  if (/failed quota:/.test(message)) {
    return {
      code: "FailedQuota",
      hint: "A quota on limits or requests needs every container to state them; add them, or a LimitRange.",
      heals: "never",
    };
  }
  if (/violates PodSecurity/.test(message)) {
    return {
      code: "PodSecurity",
      hint: "The pod asks for more than the namespace's pod security level allows; correct the blueprint.",
      heals: "never",
    };
  }
  if (/(maximum|minimum) .+ usage per \S+ is|limit to request ratio per/.test(message)) {
    return {
      code: "LimitRange",
      hint: "Raise the LimitRange of this size in the blueprint, or ask for less.",
      heals: "never",
    };
  }
  if (/ cannot \S+ resource /.test(message)) {
    return { code: "Forbidden", hint: "Give the service's account this permission (RBAC).", heals: "never" };
  }
  return { code: "Forbidden", hint: "The cluster's admission refuses it; see its message.", heals: "never" };
}

/** Whether nothing that is asked for is over the quota by itself: then it fits as soon as others make room. */
function fitsOnceEmpty(message: string): boolean {
  const requested = amounts(message, "requested"), limited = amounts(message, "limited");
  return [...requested].every(([resource, amount]) => !(amount > (limited.get(resource) ?? Infinity)));
}

/** `requested: limits.cpu=1,limits.memory=1Gi, used: …` as resource and amount. */
function amounts(message: string, label: string): Map<string, number> {
  const part = new RegExp(`${label}: (.*?)(?:, (?:used|limited): |$)`).exec(message)?.[1] ?? "";
  return new Map([...part.matchAll(/([^\s,=]+)=([^\s,]+)/g)].map((found) => [found[1]!, amountOf(found[2]!)]));
}
