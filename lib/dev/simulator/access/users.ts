/**
 * Identifies the user of a request. A bearer token names a service account, as on a real server. A request without a
 * token may do everything, like one through `kubectl proxy`. Without authorization, every request may do everything.
 */
import type { IncomingMessage } from "node:http";
import { StatusError } from "#lib/dev/simulator/admission/status-error.ts";
import type { SimulatorContext } from "#lib/dev/simulator/simulator-context.ts";

export interface SimulatedUser {
  readonly name: string;
  readonly groups: readonly string[];
}

const AUTHENTICATED_GROUP = "system:authenticated";
/** The group whose members may do everything. Their permissions are not checked further. */
export const MASTERS_GROUP = "system:masters";
const ADMIN: SimulatedUser = { name: "simulated", groups: [MASTERS_GROUP, AUTHENTICATED_GROUP] };

export interface ServiceAccountRef {
  readonly namespace: string;
  readonly name: string;
}

/** Returns the token of a service account. It contains no secret. */
export function serviceAccountToken({ namespace, name }: ServiceAccountRef): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** Returns the user of a request. Throws 401 if the account of the token does not exist. */
export function authenticateUser(
  { authorization, store }: SimulatorContext,
  { headers }: Pick<IncomingMessage, "headers">,
): SimulatedUser {
  const [, token] = /^Bearer (.+)$/.exec(headers.authorization ?? "") ?? [];
  if (!authorization || token === undefined) return ADMIN;
  const [, namespace = "", name = ""] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(token) ?? [];
  if (!store.get("ServiceAccount", namespace, name)) throw new StatusError(401, "Unauthorized", "Unauthorized");
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, AUTHENTICATED_GROUP];
  return { name: token, groups };
}
