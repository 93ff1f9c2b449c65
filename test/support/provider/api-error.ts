/** Builds the provider's error responses: https://docs.stripe.com/api/errors and /error-codes.
 *
 * Codes and statuses are the provider's. Only widely quoted messages are verbatim, because no client may depend on the
 * others. */
export type RefusalType = "api_error" | "card_error" | "idempotency_error" | "invalid_request_error";

/** https://docs.stripe.com/rate-limits */
type Limit = "global-rate" | "resource-specific";

export class Refusal extends Error {
  readonly status: number;
  readonly type: RefusalType;
  readonly code: string | undefined;
  readonly param: string | undefined;
  /** The limit that a 429 reports. */
  readonly limit: Limit | undefined;

  constructor(
    status: number,
    message: string,
    about: {
      readonly code?: string;
      readonly param?: string | undefined;
      readonly type?: RefusalType;
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

/** Returns a refusal that names the wrong parameter. */
export function wrong(param: string, message: string, code?: string): Refusal {
  return new Refusal(400, message, { param, ...(code === undefined ? {} : { code }) });
}

/** Returns a refusal for a missing object: 404 if the URL names it, 400 if a parameter does. */
export function missing(kind: string, id: string, param?: string): Refusal {
  const about = { code: "resource_missing", param: param ?? "id" };
  return new Refusal(param === undefined ? 404 : 400, `No such ${kind}: '${id}'`, about);
}
