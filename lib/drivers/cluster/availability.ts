/** Distinguishes outages of a whole cluster from failures of a single call. */
import type { ClusterError } from "#lib/drivers/cluster/cluster.ts";

const BUSY = "TooManyRequests";

/** Error codes of calls that reached no API server, or that the API server would refuse for any caller. */
export const UNAVAILABLE_CODES: readonly string[] = [
  ...["unreachable", "untrusted", "deadline", "credentials", "kubeconfig", "BadAnswer", "unknown_cluster"],
  ...[BUSY, "Unauthorized", "BadGateway", "ServiceUnavailable", "Timeout"],
];

/** Whether the cluster is unavailable for everybody at the moment. */
export function isClusterUnavailable({ code, transient }: Pick<ClusterError, "code" | "transient">): boolean {
  return transient && UNAVAILABLE_CODES.includes(code);
}

/** Whether the cluster answers but is overloaded (429). */
export function isClusterBusy({ code }: Pick<ClusterError, "code">): boolean {
  return code === BUSY;
}
