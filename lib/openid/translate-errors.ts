/** Translates the OpenID Connect library's errors. Drops their causes, which contain tokens. */
import * as oauth from "oauth4webapi";
import { DriverError, getErrorMessage } from "#lib/base/errors.ts";
import { ProviderError, type ProviderFailure } from "#lib/openid/errors.ts";

/** Error codes of the provider that mean that it has a problem, rather than that it refuses (RFC 6749, OpenID Core). */
const TEMPORARY = new Set(["temporarily_unavailable", "server_error"]);

export function toProviderError(error: unknown, issuer: string): Error {
  if (error instanceof DriverError) return error;
  if (error instanceof oauth.AuthorizationResponseError) {
    const failure = TEMPORARY.has(error.error) ? "unavailable" : "denied";
    return new ProviderError(failure, `${issuer} redirected with the error ${cut(error.error)}`);
  }
  if (error instanceof oauth.ResponseBodyError) {
    const isFailing = error.status >= 500 || TEMPORARY.has(error.error);
    return new ProviderError(
      isFailing ? "unavailable" : "code",
      `${issuer} answered with the error ${cut(error.error)}`,
    );
  }
  if (error instanceof oauth.WWWAuthenticateChallengeError) {
    return new ProviderError("code", `${issuer} answered with the status ${error.status}`);
  }
  if (error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError) {
    return new ProviderError(findFailure(error), `${issuer}: ${cut(error.message)}`);
  }
  return error instanceof Error ? error : new Error(getErrorMessage(error));
}

/** Translates an error in reading the metadata. Whatever is wrong with it, nobody can sign in until it is right. */
export function toUnavailableError(error: unknown, issuer: string): Error {
  const translated = toProviderError(error, issuer);
  return translated instanceof ProviderError ? new ProviderError("unavailable", translated.message) : translated;
}

function findFailure(error: oauth.OperationProcessingError | oauth.UnsupportedOperationError): ProviderFailure {
  const { code, message } = error;
  if (/\biss\b|issuer/.test(message) && code !== oauth.JWT_TIMESTAMP_CHECK) return "issuer";
  const unusable: readonly unknown[] = [
    oauth.RESPONSE_IS_NOT_CONFORM,
    oauth.RESPONSE_IS_NOT_JSON,
    oauth.PARSE_ERROR,
    oauth.MISSING_SERVER_METADATA,
    oauth.INVALID_SERVER_METADATA,
    oauth.HTTP_REQUEST_FORBIDDEN,
    oauth.REQUEST_PROTOCOL_FORBIDDEN,
  ];
  return unusable.includes(code) ? "unavailable" : "token";
}

/** Shortens a text from the provider and removes control characters, so that it fits into a log line. */
function cut(text: string): string {
  return text.replace(/[^\x20-\x7E]/g, "?").slice(0, 200);
}
