/** Distinguishes an outage of a whole cluster from the failure of a single call. */
import type { ClusterError } from "#lib/drivers/cluster/cluster.ts";

const BUSY = "TooManyRequests";

/** Error codes which mean that the API server cannot be reached, or that it refuses requests from every caller. */
export const CLUSTER_UNAVAILABLE_CODES: readonly string[] = [
  ...["unreachable", "untrusted", "deadline", "credentials", "kubeconfig", "BadAnswer", "unknown_cluster"],
  ...[BUSY, "Unauthorized", "BadGateway", "ServiceUnavailable", "Timeout"],
];

/** Whether the error means that the cluster is currently unavailable to all callers. */
export function isClusterUnavailable({ code, transient }: Pick<ClusterError, "code" | "transient">): boolean {
  return transient && CLUSTER_UNAVAILABLE_CODES.includes(code);
}

/** Whether the error means that the cluster can be reached but is overloaded (HTTP status 429). */
export function isClusterOverloaded({ code }: Pick<ClusterError, "code">): boolean {
  return code === BUSY;
}
