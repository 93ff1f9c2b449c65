/**
 * Who asks. A bearer token names an account, as a token of a real server does. Who has none sits at this machine, as one
 * does who comes through `kubectl proxy`, and may do everything; without authorization everybody is that person.
 */
import type { IncomingMessage } from "node:http";
import { Refusal } from "#lib/dev/simulator/admission/refusal.ts";
import type { World } from "#lib/dev/simulator/world.ts";

export interface SimulatedUser {
  readonly name: string;
  readonly groups: readonly string[];
}

const EVERYBODY = "system:authenticated";
/** Who may do everything: groups of this name are asked no further. */
export const MASTERS = "system:masters";
const ADMIN: SimulatedUser = { name: "simulated", groups: [MASTERS, EVERYBODY] };

export interface AccountRef {
  readonly namespace: string;
  readonly name: string;
}

/** What a kubeconfig of this account has for a token. Nothing here is a secret. */
export function accountToken({ namespace, name }: AccountRef): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** Throws 401 for a token that nobody has, or whose account is gone. */
export function userOf({ authorization, store }: World, { headers }: Pick<IncomingMessage, "headers">): SimulatedUser {
  const [, token] = /^Bearer (.+)$/.exec(headers.authorization ?? "") ?? [];
  if (!authorization || token === undefined) return ADMIN;
  const [, namespace = "", name = ""] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(token) ?? [];
  if (!store.get("ServiceAccount", namespace, name)) throw new Refusal(401, "Unauthorized", "Unauthorized");
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, EVERYBODY];
  return { name: token, groups };
}
