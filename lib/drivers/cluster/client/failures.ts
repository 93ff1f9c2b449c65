/** Creates errors for calls that got no response because the kubeconfig, the credentials or the connection failed. */
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { createUnexpectedResponseError } from "#lib/drivers/cluster/client/status.ts";
import type { HttpExchangeFailure } from "#lib/drivers/exchange.ts";
import { getErrorMessage } from "#lib/base/errors.ts";

/** Returns an error about the kubeconfig. The error is transient, because the file may be half written. */
export function createKubeconfigError(message: string, cause?: unknown): ClusterError {
  return new ClusterError("kubeconfig", message, {
    transient: true,
    blame: "operator",
    hint: "Fix the kubeconfig. Waiting operations then continue automatically.",
    cause,
  });
}

/** Returns an error about the credentials. The error is transient, because a plugin or a file may soon work again. */
export function createCredentialsError(cause: unknown, description?: string): ClusterError {
  if (cause instanceof ClusterError) return cause;
  const why = getErrorMessage(cause).trim();
  const message = `Cannot get credentials for the cluster: ${
    description === undefined ? why : `${description}: ${why}`
  }`;
  return new ClusterError("credentials", message, {
    transient: true,
    blame: "operator",
    hint: "Check the credentials in the kubeconfig, and the files and plugins that it refers to.",
    cause,
  });
}

/** Returns the error for credentials that did not arrive in time. `description` names the slow file or program. */
export function createCredentialsTimeoutError(ms: number, description?: string): ClusterError {
  const why = description === undefined ? `timed out after ${ms} ms` : `${description} did not finish within ${ms} ms`;
  return createCredentialsError(new Error(why));
}

/** Returns the error for a failed connection. The error is always transient: even certificates can be replaced. */
export function createConnectionError(failure: HttpExchangeFailure, description: string, cause: Error): ClusterError {
  const code = String((cause as { code?: unknown }).code ?? "");
  if (failure === "unsendable") return createCredentialsError(cause, description);
  if (failure === "too large") return createUnexpectedResponseError(`${description}: ${cause.message}`, 200);
  if (failure === "deadline") {
    return new ClusterError("deadline", `${description} ${cause.message}`, { transient: true });
  }
  const untrusted = /^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|EPROTO)/.test(code) ||
    /certificate|wrong version number|InvalidContentType|UnknownIssuer/i.test(cause.message);
  return new ClusterError(untrusted ? "untrusted" : "unreachable", `${description}: ${cause.message || code}`, {
    transient: true,
    ...(untrusted && {
      blame: "operator",
      hint: "Check the server address and certificate authority in the kubeconfig.",
    }),
    cause,
  });
}

/** Whether the server did not process the failed request, so that it is safe to send the request again. */
export function wasNeverSent(error: ClusterError): boolean {
  const code = (error.cause as { code?: unknown } | undefined)?.code;
  return error.status === 429 || ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH"].includes(String(code));
}
