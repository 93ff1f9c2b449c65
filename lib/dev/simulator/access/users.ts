/**
 * Identifies the user who sent a request. As on a real API server, a bearer token identifies a service account.
 * Requests without a token have all permissions, as has every request if authorization is off.
 */
import type { IncomingMessage } from "node:http";
import { StatusError } from "#lib/dev/simulator/admission/status-error.ts";
import type { SimulatorContext } from "#lib/dev/simulator/simulator-context.ts";

export interface SimulatedUser {
  readonly name: string;
  readonly groups: readonly string[];
}

const AUTHENTICATED_GROUP = "system:authenticated";
/** The Kubernetes group whose members have all permissions, whatever roles are bound to them. */
export const CLUSTER_ADMIN_GROUP = "system:masters";
const ADMIN: SimulatedUser = { name: "simulated", groups: [CLUSTER_ADMIN_GROUP, AUTHENTICATED_GROUP] };

export interface ServiceAccountRef {
  readonly namespace: string;
  readonly name: string;
}

/** Returns a service account's bearer token for the simulator. The token only names the account and is not secret. */
export function formatServiceAccountToken({ namespace, name }: ServiceAccountRef): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** Returns the user who sent the request. Throws 401 if the token names a service account that does not exist. */
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
