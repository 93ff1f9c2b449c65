/**
 * Identifies the user of a request. A bearer token names a service account, as on a real server. A request without a
 * token may do everything, like one through `kubectl proxy`. Without authorization, every request may do everything.
 */
import type { IncomingMessage } from "node:http";
import { Refusal } from "#lib/dev/simulator/admission/status-error.ts";
import type { World } from "#lib/dev/simulator/world.ts";

export interface SimulatedUser {
  readonly name: string;
  readonly groups: readonly string[];
}

const EVERYBODY = "system:authenticated";
/** The group whose members may do everything. Their permissions are not checked further. */
export const MASTERS = "system:masters";
const ADMIN: SimulatedUser = { name: "simulated", groups: [MASTERS, EVERYBODY] };

export interface AccountRef {
  readonly namespace: string;
  readonly name: string;
}

/** Returns the token of a service account. It contains no secret. */
export function accountToken({ namespace, name }: AccountRef): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** Returns the user of a request. Throws 401 if the token names no existing account. */
export function userOf({ authorization, store }: World, { headers }: Pick<IncomingMessage, "headers">): SimulatedUser {
  const [, token] = /^Bearer (.+)$/.exec(headers.authorization ?? "") ?? [];
  if (!authorization || token === undefined) return ADMIN;
  const [, namespace = "", name = ""] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(token) ?? [];
  if (!store.get("ServiceAccount", namespace, name)) throw new Refusal(401, "Unauthorized", "Unauthorized");
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, EVERYBODY];
  return { name: token, groups };
}
