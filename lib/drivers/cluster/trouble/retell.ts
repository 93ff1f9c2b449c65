/** The same failure, told with more than was known where it arose. */
import { ClusterError, type ClusterErrorOptions } from "#lib/drivers/cluster/cluster.ts";

type More = Partial<Pick<ClusterErrorOptions, "blame" | "hint" | "evidence">> & {
  readonly code?: string;
  readonly message?: string;
};

export function retell(error: ClusterError, more: More): ClusterError {
  const { transient, status, retryAfterMs } = error;
  const hint = more.hint ?? error.hint, evidence = more.evidence ?? error.evidence;
  return new ClusterError(more.code ?? error.code, more.message ?? error.message, {
    transient,
    status,
    blame: more.blame ?? error.blame,
    cause: error.cause ?? error,
    ...(evidence === undefined ? {} : { evidence }),
    ...(hint === undefined ? {} : { hint }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}
