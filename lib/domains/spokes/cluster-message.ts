/** Removes internal addresses from a cluster's error messages, except in messages to operators. */
import { isClusterOverloaded } from "#lib/drivers/cluster/availability.ts";
import type { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { removeInternalAddresses } from "#lib/base/addresses.ts";
import type { Actor } from "#lib/domains/auth/access.ts";

const BUSY = "the cluster is busy; try again in a moment";
const AWAY = "the cluster does not respond correctly; try again in a moment";

const URLS = /\bhttps?:\/\/[^\s"']+/gi;

export function redactClusterMessage({ role }: Pick<Actor, "role">, error: ClusterError): string {
  if (role === "operator") return error.message;
  if (isClusterOverloaded(error)) return BUSY;
  return isConnectionError(error) ? AWAY : removeInternalAddresses(error.message.replace(URLS, "…"));
}

const CONNECTION_CODES = [
  "unreachable",
  "untrusted",
  "deadline",
  "credentials",
  "kubeconfig",
  "BadAnswer",
  "unknown_cluster",
];

/** Returns whether the connection to the API server failed. False if the API server returned an error. */
function isConnectionError({ code, message, cause }: ClusterError): boolean {
  return CONNECTION_CODES.includes(code) ||
    (cause instanceof Error && cause.message !== "" && message.startsWith(cause.message));
}
