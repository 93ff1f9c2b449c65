/**
 * Defines the error classes. A Fault is a failure that the caller can correct. Clients rely on the `code` of a fault,
 * and its `message` is for people. Errors of any other class are reported to callers as internal errors with status
 * 500.
 */
export type FaultKind =
  | "invalid" // the input is not valid
  | "unauthenticated" // the credential is missing or invalid
  | "forbidden" // signed in, but not allowed
  | "missing" // does not exist, or is hidden from the caller
  | "method" // the path does not support this method
  | "conflict" // the object's current state does not allow the request
  | "too_large" // the request body exceeds the size limit
  | "unsent" // the request body did not arrive in time
  | "media_type" // the request body is not JSON
  | "expectation" // the server does not support the value of the Expect header
  | "headers" // the request headers exceed the size limit
  | "impossible" // valid input that cannot be processed
  | "limited" // too many requests
  | "unavailable" // temporarily unable to handle the request; retry later
  | "timeout"; // the request took longer than the time limit

interface FaultOptions {
  /** How long to wait before retrying, in seconds. */
  readonly retryAfter?: number;
  /** Extra response headers, such as Allow. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Error messages for a form, keyed by field path. */
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

/** The party that caused a failure: the user, the operator's configuration (such as a quota), or the cluster. */
export type FailureCause = "user" | "operator" | "cluster";

export interface DriverErrorOptions {
  /** Whether the same call may succeed later, for example after the server restarts or a person fixes the cause. */
  readonly transient: boolean;
  /** The party that caused the failure. Defaults to `operator`. */
  readonly blame?: FailureCause | undefined;
  /** An instruction for solving the problem, in one sentence. */
  readonly hint?: string | undefined;
  /** How long to wait before retrying, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * An error from an external system, such as the cluster, with a message for operators. Each driver has a subclass. The
 * original error is not attached as `cause`, because errors from client libraries may contain secrets.
 */
export abstract class DriverError extends Error {
  readonly code: string;
  readonly transient: boolean;
  readonly blame: FailureCause;
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

/** An error that prevents the process from starting, such as a missing file. The message says how to fix it. */
export class StartError extends Error {
  constructor(message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.name = "StartError";
  }
}

export function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The messages for system error codes. Each runtime's own messages have a different wording. */
const SYSTEM_ERROR_TEXTS: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "it is a directory",
  ENOTDIR: "not a directory",
  EEXIST: "path already exists",
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
  ETIMEDOUT: "connection timed out",
  CONNECT_TIMEOUT: "connection timed out", // an error code of the database driver
  ENOTFOUND: "host name not found",
  EAI_AGAIN: "the DNS servers do not respond",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "no route to host",
};

/** Returns the error's cause as a phrase for people: a standard text for system errors, otherwise the message. */
export function getErrorReason(error: unknown): string {
  const code = String((error as { code?: unknown } | null)?.code ?? "");
  return SYSTEM_ERROR_TEXTS[code] ?? (withoutSystemCall(getErrorMessage(error), code) || code);
}

/** Strips the code and system call from a message such as "EXDEV: cross-device link, rename 'a' -> 'b'". */
function withoutSystemCall(message: string, code: string): string {
  if (code === "" || !message.startsWith(`${code}: `)) return message;
  return message.slice(code.length + 2).replace(/, \w+(?: '.*)?$/s, "");
}
