/**
 * Creates trace spans with names from OpenTelemetry's conventions. Requests and jobs have root spans, and all other
 * work has child spans. A job has only one span, even if several replicas run it: the span's ID is derived from the
 * job's ID, and the replica that finishes the job sends the span.
 */
import { getCurrentContext, runInSpan } from "#lib/base/work-context.ts";
import { DriverError, Fault } from "#lib/base/errors.ts";
import type { Span, SpanKind, SpanLabels, TelemetryObservation, TelemetryObserver } from "#lib/base/telemetry.ts";
import { createChildSpanContext, type TraceSampler } from "#lib/base/trace.ts";
import { REDACTION_MARK, redactSecrets } from "#lib/base/redact.ts";
import type { SpanExporter } from "#lib/drivers/traces/exporter.ts";
import type { RecordedSpan, SpanAttributeValue } from "#lib/drivers/traces/encode.ts";

type SpanShape = Pick<RecordedSpan, "name" | "role"> & {
  readonly attributes?: Readonly<Record<string, SpanAttributeValue | undefined>>;
};

/** Maps the details of a span to exported attribute names. Unlisted details are not exported. */
const DETAIL_ATTRIBUTES: Readonly<Record<string, string>> = {
  request_id: "wheelwright.request.id",
  operation: "wheelwright.operation.id",
  attempt: "wheelwright.operation.attempt",
  hub: "wheelwright.hub.id",
  spoke: "wheelwright.spoke.id",
  user: "user.id",
  path: "url.path",
  failure: "error.type",
};

const FINAL_OUTCOMES = ["succeeded", "failed", "cancelled"];
const MAX_MESSAGE_LENGTH = 500;
/** Matches email addresses, because mail servers include recipients in their replies. */
const MAIL_ADDRESS = /[^\s<>()",:;]{1,64}@[^\s<>()",:;]+/g;

const SHAPES: { readonly [K in SpanKind]: (labels: SpanLabels[K], details: Span["details"]) => SpanShape } = {
  request: ({ method, route, status }) => ({
    name: `${method} ${route}`,
    role: "server",
    attributes: { "http.request.method": method, "http.route": route, "http.response.status_code": status },
  }),
  transaction: () => ({ name: "transaction", role: "client", attributes: { "db.system.name": "postgresql" } }),
  job: ({ kind }) => ({ name: kind, role: "internal", attributes: { "wheelwright.operation.kind": kind } }),
  step: ({ kind, step }) => ({
    name: `${kind} ${step}`,
    role: "internal",
    attributes: { "wheelwright.operation.kind": kind, "wheelwright.operation.step": step },
  }),
  cluster_call({ verb, status }, { path = "" }) {
    const { resource, namespace } = parseClusterPath(String(path));
    const answered = typeof status === "number" && status > 0 ? status : undefined;
    return {
      name: `${verb === "STREAM" ? "WATCH" : verb} ${resource}`,
      role: "client",
      attributes: {
        "http.request.method": verb === "STREAM" ? "GET" : verb,
        "http.response.status_code": answered,
        "k8s.namespace.name": namespace,
      },
    };
  },
  mail: () => ({ name: "send mail", role: "client" }),
  provider_call: ({ call }) => ({
    name: call,
    role: "client",
    attributes: { "http.request.method": call.split(" ")[0] },
  }),
};

export function createTraceObserver(sampler: TraceSampler, exporter: Pick<SpanExporter, "add">): TelemetryObserver {
  const now = openClock();
  return { sampler, startSpan };

  function startSpan({ kind }: Span): TelemetryObservation | null {
    const workContext = getCurrentContext();
    if (!workContext?.rootSpan.sampled) return null;
    const startedAt = now();
    if (kind === "request" || kind === "job") {
      return { end: (span) => finishSpan(span, workContext.rootSpan, startedAt) };
    }
    const spanContext = createChildSpanContext(workContext.span);
    return { wrap: (work) => runInSpan(spanContext, work), end: (span) => finishSpan(span, spanContext, startedAt) };
  }

  function finishSpan(span: Span, spanContext: RecordedSpan["context"], startedAt: number): void {
    // Skips unfinished jobs: only the replica that finishes a job sends its span.
    if (span.kind === "job" && !FINAL_OUTCOMES.includes(span.outcome!)) return;
    const { attributes = {}, ...shape } = SHAPES[span.kind](span.labels as never, span.details),
      failed = hasFailed(span);
    exporter.add({
      ...shape,
      context: spanContext,
      startedAt: Math.min(startedAt, Number(span.details.asked_at ?? startedAt)),
      endedAt: now(),
      attributes: attributesOf(span, attributes, failed),
      failure: failed ? messageOf(span.error) : null,
    });
  }
}

function attributesOf(
  span: Span,
  shape: NonNullable<SpanShape["attributes"]>,
  failed: boolean,
): RecordedSpan["attributes"] {
  const all: Record<string, SpanAttributeValue> = {};
  for (const name in shape) if (shape[name] !== undefined) all[name] = shape[name];
  for (const name in span.details) {
    if (DETAIL_ATTRIBUTES[name] !== undefined) all[DETAIL_ATTRIBUTES[name]] = span.details[name]!;
  }
  if (failed) all["error.type"] ??= errorTypeOf(span);
  return all;
}

/** HTTP statuses that do not count as failures, because some calls only check whether an object exists. */
const EXPECTED_STATUSES = [404, 409];

/**
 * Returns whether the span counts as failed. Refused requests (4xx), cancelled work and work that moved to another
 * replica do not count as failed.
 */
function hasFailed({ kind, labels, outcome }: Span): boolean {
  const { status } = labels as { readonly status?: number | string };
  if (kind === "request") return typeof status !== "number" || status >= 500;
  if (kind === "cluster_call") {
    return status === 0 || Number(status) >= 400 && !EXPECTED_STATUSES.includes(Number(status));
  }
  return outcome === "failed" || outcome === "refused";
}

/** Returns the error's code or class name, because its message may contain sensitive data. */
function errorTypeOf({ error, labels }: Span): string {
  const { status } = labels as { readonly status?: number | string };
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  const name = typeof code === "string" ? code : error instanceof Error ? error.name : undefined;
  return name ?? (status ? String(status) : "_OTHER");
}

/** Returns the error's message without email addresses. Empty for bugs, whose messages are logged but not exported. */
function messageOf(error: unknown): string {
  if (!(error instanceof DriverError || error instanceof Fault)) return "";
  return redactSecrets(error.message).replace(MAIL_ADDRESS, REDACTION_MARK).slice(0, MAX_MESSAGE_LENGTH);
}

/** Parses a Kubernetes path: `/api/v1/namespaces/oak-1/pods` has the resource `pods` and the namespace `oak-1`. */
function parseClusterPath(path: string): { readonly resource: string; readonly namespace: string | undefined } {
  const [, rest = ""] = /\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)\/(.*)$/.exec(path) ?? [];
  const [first = "", namespace, resource] = rest.split("/");
  if (first === "") return { resource: path.split("/").findLast((part) => part !== "") ?? "", namespace: undefined };
  if (first !== "namespaces" || resource === undefined) return { resource: first, namespace: undefined };
  return { resource, namespace: decodeURIComponent(namespace!) };
}

/** Returns a clock in milliseconds since the epoch that follows the system time with a higher resolution. */
function openClock(): () => number {
  let ahead = Date.now() - performance.now();
  return () => {
    const steady = performance.now(), wall = Date.now();
    if (Math.abs(wall - steady - ahead) > 10) ahead = wall - steady;
    return steady + ahead;
  };
}
