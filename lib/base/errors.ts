/**
 * Faults: the failures that a caller may cause and is expected to handle.
 *
 * A fault knows nothing of HTTP. `kind` is what went wrong, `code` a name that clients and tests may rely on,
 * `message` is written for the person who reads the reply. Whatever is not a Fault is a bug, and is answered as one.
 */
export type FaultKind =
  | "invalid" // the input is not what it must be
  | "unauthenticated" // nobody, or a credential that is no good
  | "forbidden" // known, but not allowed
  | "missing" // not there, or not for this caller to know of
  | "method" // there, but not with this method
  | "conflict" // the present state does not allow it
  | "too_large" // the body is over its bound
  | "unsent" // the body does not come in time
  | "media_type" // the body is not JSON
  | "expectation" // what the client waits for before it sends on cannot be had
  | "headers" // they are over their bound
  | "impossible" // well formed, and yet it cannot be done
  | "limited" // too often
  | "unavailable" // not now; try again
  | "timeout"; // not within the time that a request has

interface FaultOptions {
  /** Seconds after which trying again makes sense. */
  readonly retryAfter?: number;
  /** Response headers that belong to this refusal, such as Allow. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What each field must be, by its path, for a form to say it there. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

export class Fault extends Error {
  readonly kind: FaultKind;
  readonly code: string;
  readonly retryAfter: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;

  constructor(kind: FaultKind, code: string, message: string, options: FaultOptions = {}) {
    super(message, { cause: options.cause });
    this.name = "Fault";
    this.kind = kind;
    this.code = code;
    this.retryAfter = options.retryAfter;
    this.headers = options.headers ?? {};
    this.fields = options.fields ?? {};
  }
}

/** Whose doing a failure is: the customer's input, the operator's set-up (quota, image, class), or the cluster's. */
export type Blame = "user" | "operator" | "cluster";

export interface DriverErrorOptions {
  /** Whether the same call may succeed later: the other side is away or busy, or a person has to mend something first. */
  readonly transient: boolean;
  /** The operator, unless said otherwise. */
  readonly blame?: Blame | undefined;
  /** What a person can do, one sentence. */
  readonly hint?: string | undefined;
  /** Milliseconds before another try makes sense. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * Why something outside (cluster, mail server, payment provider) did not do what it was asked, in a sentence for operators.
 * It has no place for a cause: what a client throws may hold a key, a password or a link. Each driver has a subclass.
 */
export abstract class DriverError extends Error {
  readonly code: string;
  readonly transient: boolean;
  readonly blame: Blame;
  readonly hint: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: string, message: string, options: DriverErrorOptions) {
    super(message);
    this.code = code;
    this.transient = options.transient;
    this.blame = options.blame ?? "operator";
    this.hint = options.hint;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** What keeps the program from starting here, on this machine and with these files: a sentence, and what to do next. */
export class StartError extends Error {
  constructor(message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.name = "StartError";
  }
}

/** What a thrown value says, for a log line or the cause of a failure. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What the system says by a code, since each runtime has a text of its own for it. */
const SYSTEM_ERROR_TEXTS: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "it is a directory",
  ENOTDIR: "not a directory",
  EEXIST: "it exists already",
  EROFS: "read-only file system",
  ENOSPC: "the disk is full",
  EDQUOT: "disk quota exceeded",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  EIO: "input/output error",
  ELOOP: "too many levels of symbolic links",
  ENAMETOOLONG: "the path is too long",
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  ETIMEDOUT: "it does not answer",
  CONNECT_TIMEOUT: "it does not answer", // of the database's driver
  ENOTFOUND: "host name not found",
  EAI_AGAIN: "the name servers do not answer",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "no route to host",
};

/** Why something failed, for a sentence to people: words for what the system refused, the error's own for all else. */
export function reasonOf(error: unknown): string {
  const code = String((error as { code?: unknown } | null)?.code ?? "");
  return SYSTEM_ERROR_TEXTS[code] ?? (withoutSystemCall(messageOf(error), code) || code);
}

/** Of what a runtime makes of a system's refusal ("EXDEV: cross-device link, rename 'a' -> 'b'") what is words. */
function withoutSystemCall(message: string, code: string): string {
  if (code === "" || !message.startsWith(`${code}: `)) return message;
  return message.slice(code.length + 2).replace(/, \w+(?: '.*)?$/s, "");
}
