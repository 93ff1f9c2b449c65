/** Tells failures of a whole cluster, which pass for everything that waits for it at the same time, from those of one call. */
import type { ClusterError } from "#lib/drivers/cluster/cluster.ts";

const BUSY = "TooManyRequests";

/** Codes of calls that got no answer of an API server, or that the server refused for all callers alike. */
export const UNAVAILABLE_CODES: readonly string[] = [
  ...["unreachable", "untrusted", "deadline", "credentials", "kubeconfig", "BadAnswer", "unknown_cluster"],
  ...[BUSY, "Unauthorized", "BadGateway", "ServiceUnavailable", "Timeout"],
];

/** Whether the cluster can be used by nobody at the moment. */
export function isClusterUnavailable({ code, transient }: Pick<ClusterError, "code" | "transient">): boolean {
  return transient && UNAVAILABLE_CODES.includes(code);
}

/** Whether the cluster answers, but only to say that it has too much to do (429). */
export function isClusterBusy({ code }: Pick<ClusterError, "code">): boolean {
  return code === BUSY;
}
