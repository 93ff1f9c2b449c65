/**
 * Why a mail could not be sent, in a sentence for operators, and whether another try can help.
 *
 * It carries no cause: what a mail server or its client says may hold the password or the link, so only words that were
 * cleared of both go on from here.
 */
export interface MailErrorOptions {
  /** Whether the same mail may go out later: the server is away or busy, or a person has to mend something first. */
  readonly transient: boolean;
  readonly blame?: "user" | "operator";
  /** What a person can do, a sentence. */
  readonly hint?: string;
  /** Milliseconds before another try makes sense. */
  readonly retryAfterMs?: number;
}

export class MailError extends Error {
  readonly code: string;
  readonly transient: boolean;
  readonly blame: "user" | "operator";
  readonly hint: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: string, message: string, options: MailErrorOptions) {
    super(message);
    this.name = "MailError";
    this.code = code;
    this.transient = options.transient;
    this.blame = options.blame ?? "operator";
    this.hint = options.hint;
    this.retryAfterMs = options.retryAfterMs;
  }
}
