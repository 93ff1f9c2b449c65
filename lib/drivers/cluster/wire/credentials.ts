/** What goes wrong before anything is sent: the kubeconfig, and the credentials that it names. */
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { messageOf } from "#lib/base/errors.ts";

/** Passing, as all that somebody puts right without touching what was asked for: a file half written, a context put back. */
export function configError(message: string, cause?: unknown): ClusterError {
  return new ClusterError("kubeconfig", message, {
    transient: true,
    blame: "operator",
    hint: "Put the kubeconfig right; what waits for it goes on by itself.",
    cause,
  });
}

/** An exec plugin or a token file may be back in a moment; the caller's own retries decide for how long. */
export function credentialsError(cause: unknown, doing?: string): ClusterError {
  if (cause instanceof ClusterError) return cause;
  const why = messageOf(cause).trim();
  const message = `Cannot get credentials for the cluster: ${doing === undefined ? why : `${doing}: ${why}`}`;
  return new ClusterError("credentials", message, {
    transient: true,
    blame: "operator",
    hint: "Check the credentials, files and plugins that the kubeconfig names.",
    cause,
  });
}
