/** What an answer that is not a success means: the API server's Status, or whatever stood in its way. */
import { ClusterError } from "#lib/cluster/cluster.ts";
import { readRefusal } from "#lib/cluster/refusals.ts";
import { SECOND } from "#lib/time.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** The Status object of the API, as far as we read it. */
export interface Status {
  readonly kind?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly details?: {
    readonly name?: string;
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly { readonly reason?: string }[];
  };
}

const REASONS: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  408: "Timeout",
  409: "Conflict",
  410: "Expired",
  413: "RequestEntityTooLarge",
  415: "UnsupportedMediaType",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  502: "BadGateway",
  503: "ServiceUnavailable",
  504: "Timeout",
};
const TRANSIENT = new Set([408, 425, 429, 500, 502, 503, 504]);
/** The most of a text that is no Status which goes into a message: a proxy's error page is long. */
const EXCERPT = 300;

export function errorOf(answer: Answer, doing: string): ClusterError {
  const status = readStatus(answer.body);
  return errorOfStatus(answer.status, status, doing, retryAfterOf(answer, status), answer.body);
}

/** The same for a Status that came as an event of a watch. */
export function errorOfStatus(
  code: number,
  status: Status | null,
  doing: string,
  retryAfterMs?: number,
  text = "",
): ClusterError {
  const reason = status?.reason || REASONS[code] || `Http${code}`;
  const message = status?.message || `${doing}: HTTP ${code} ${text.trim().slice(0, EXCERPT)}`.trim();
  const make = (name: string, transient: boolean, rest: { blame?: "operator" | "cluster"; hint?: string } = {}) =>
    new ClusterError(name, message, {
      transient,
      status: code,
      ...rest,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      cause: new Error(doing),
    });

  if (status?.details?.causes?.some((cause) => cause.reason === "NamespaceTerminating")) {
    return make("Terminating", false);
  }
  if (code === 401) {
    return make(reason, false, { blame: "operator", hint: "Renew the credentials in the kubeconfig." });
  }
  if (code === 403) {
    const refusal = readRefusal(message);
    return make(refusal.code, refusal.heals === "soon", { blame: "operator", hint: refusal.hint });
  }
  if (code === 404 && isUnknownKind(status)) {
    return make("NoKind", false, {
      blame: "operator",
      hint: "Install what serves this kind (its CRD) in the cluster.",
    });
  }
  if (code === 409) return make(reason, isLostRace(reason, message, status));
  // The API server calls a manifest that does not fit its schema an internal error when it is applied: no try helps.
  if (code === 500 && /failed to create typed (patch|live) object/.test(message)) {
    return make("Invalid", false, { blame: "operator", hint: "Correct the manifest in the blueprint." });
  }
  if (TRANSIENT.has(code)) return make(reason, true);
  const ours = code === 400 || code === 415 || code === 422;
  return make(
    reason,
    false,
    ours ? { blame: "operator", hint: "The cluster refused the manifest; see its message." } : {},
  );
}

/** An optimistic lock that another writer won heals by trying again; another uid or field owner does not. */
function isLostRace(reason: string, message: string, status: Status | null): boolean {
  if (reason !== "Conflict" || isUidMismatch(message)) return false;
  return !status?.details?.causes?.some((cause) => cause.reason === "FieldManagerConflict");
}

/** Whether a 409 says that the object has another uid than the one that was to be deleted. */
export function isUidMismatch(message: string): boolean {
  return /Precondition failed: UID/.test(message);
}

/** An unknown group or version is answered in plain text, an unknown resource of a known one without any details. */
function isUnknownKind(status: Status | null): boolean {
  return status === null || /could not find the requested resource/.test(status.message ?? "");
}

function readStatus(body: string): Status | null {
  try {
    const parsed = JSON.parse(body) as Status | null;
    return parsed?.kind === "Status" ? parsed : null;
  } catch {
    return null; // no JSON: a proxy or load balancer answered, and the caller quotes the text itself
  }
}

function retryAfterOf(answer: Answer, status: Status | null): number | undefined {
  const header = answer.headers["retry-after"];
  const text = Array.isArray(header) ? header[0] : header;
  if (text !== undefined && /^\d+$/.test(text)) return Number(text) * SECOND;
  if (text !== undefined && !Number.isNaN(Date.parse(text))) return Math.max(0, Date.parse(text) - Date.now());
  const seconds = status?.details?.retryAfterSeconds;
  return seconds === undefined ? undefined : seconds * SECOND;
}

/** The texts of `Warning: 299 - "…"` headers. */
export function warningsOf(answer: Answer): string[] {
  const header = answer.headers["warning"];
  const text = Array.isArray(header) ? header.join(", ") : header ?? "";
  return [...text.matchAll(/\b299 \S+ "((?:[^"\\]|\\.)*)"/g)].map((found) => found[1]!.replace(/\\(.)/g, "$1"));
}
