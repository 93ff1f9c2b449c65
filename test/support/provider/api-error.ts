/** Builds error responses with Stripe's codes and statuses: https://docs.stripe.com/api/errors and /error-codes. Only
 * widely quoted messages are verbatim, because no client may depend on other messages. */
export type ProviderErrorType = "api_error" | "card_error" | "idempotency_error" | "invalid_request_error";

/** The rate limits that Stripe's 429 responses can name: https://docs.stripe.com/rate-limits */
type Limit = "global-rate" | "resource-specific";

export class ProviderError extends Error {
  readonly status: number;
  readonly type: ProviderErrorType;
  readonly code: string | undefined;
  readonly param: string | undefined;
  /** The rate limit that a 429 response names. */
  readonly limit: Limit | undefined;

  constructor(
    status: number,
    message: string,
    about: {
      readonly code?: string;
      readonly param?: string | undefined;
      readonly type?: ProviderErrorType;
      readonly limit?: Limit;
    } = {},
  ) {
    super(message);
    this.status = status;
    this.type = about.type ?? "invalid_request_error";
    this.code = about.code;
    this.param = about.param;
    this.limit = about.limit;
  }

  body(requestId: string): object {
    const { code, param, message, type } = this;
    return {
      error: {
        ...(code === undefined
          ? {}
          : { code, doc_url: `https://stripe.com/docs/error-codes/${code.replaceAll("_", "-")}` }),
        message,
        ...(param === undefined ? {} : { param }),
        request_log_url: `https://dashboard.stripe.com/test/logs/${requestId}`,
        type,
      },
    };
  }
}

/** Returns the error for an invalid parameter value. */
export function invalidParameter(param: string, message: string, code?: string): ProviderError {
  return new ProviderError(400, message, { param, ...(code === undefined ? {} : { code }) });
}

/** Returns the error for a missing object: 404 if the URL contains the object's ID, 400 if a parameter contains it. */
export function resourceMissing(kind: string, id: string, param?: string): ProviderError {
  const about = { code: "resource_missing", param: param ?? "id" };
  return new ProviderError(param === undefined ? 404 : 400, `No such ${kind}: '${id}'`, about);
}
