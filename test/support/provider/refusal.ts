/**
 * What the provider refuses, as it says so: https://docs.stripe.com/api/errors and /error-codes.
 *
 * Codes and statuses are the provider's; of the sentences only those that its users quote everywhere are kept word by
 * word, for nobody may depend on them.
 */
export type RefusalType = "api_error" | "card_error" | "idempotency_error" | "invalid_request_error";

/** https://docs.stripe.com/rate-limits */
type Limit = "global-rate" | "resource-specific";

export class Refusal extends Error {
  readonly status: number;
  readonly type: RefusalType;
  readonly code: string | undefined;
  readonly param: string | undefined;
  /** Which limit it is, of a 429. */
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

/** A refusal for a parameter's sake. */
export function wrong(param: string, message: string, code?: string): Refusal {
  return new Refusal(400, message, { param, ...(code === undefined ? {} : { code }) });
}

/** 404 where the URL names it; 400 where a parameter does. */
export function missing(kind: string, id: string, param?: string): Refusal {
  const about = { code: "resource_missing", param: param ?? "id" };
  return new Refusal(param === undefined ? 404 : 400, `No such ${kind}: '${id}'`, about);
}
