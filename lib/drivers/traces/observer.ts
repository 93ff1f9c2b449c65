/**
 * Makes spans of what telemetry tells, named as OpenTelemetry's conventions name them: a job and a request are what their
 * cause says, everything else is a part of what is under way. What is done for the sake of nothing has no span.
 *
 * A job has one span however many replicas hold it: its id follows from the job's, its steps hang under it from the first
 * holder on, and who ends the job sends it.
 */
import { currentContext, runInSpan } from "#lib/base/work-context.ts";
import { DriverError, Fault } from "#lib/base/errors.ts";
import type { Observation, Observer, Span, SpanKind, SpanLabels } from "#lib/base/telemetry.ts";
import { childSpanContext, type Sampler } from "#lib/base/trace.ts";
import { redact, REDACTED } from "#lib/base/redact.ts";
import type { Exporter } from "#lib/drivers/traces/exporter.ts";
import type { AttributeValue, RecordedSpan } from "#lib/drivers/traces/encode.ts";

type SpanShape = Pick<RecordedSpan, "name" | "role"> & {
  readonly attributes?: Readonly<Record<string, AttributeValue | undefined>>;
};

/** What details are called; a detail that is not here is none for traces. */
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
/** A mail server names in its refusal who does not get the mail. */
const ADDRESS = /[^\s<>()",:;]{1,64}@[^\s<>()",:;]+/g;

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

export function observeTraces(samples: Sampler, exporter: Pick<Exporter, "take">): Observer {
  const now = openClock();
  return { sampler: samples, startSpan: begin };

  function begin({ kind }: Span): Observation | null {
    const cause = currentContext();
    if (!cause?.rootSpan.sampled) return null;
    const beganAt = now();
    if (kind === "request" || kind === "job") return { end: (span) => take(span, cause.rootSpan, beganAt) };
    const place = childSpanContext(cause.span);
    return { wrap: (work) => runInSpan(place, work), end: (span) => take(span, place, beganAt) };
  }

  function take(span: Span, place: RecordedSpan["place"], beganAt: number): void {
    if (span.kind === "job" && !FINAL_OUTCOMES.includes(span.outcome!)) return; // whoever ends it tells of it
    const { attributes = {}, ...shape } = SHAPES[span.kind](span.labels as never, span.details),
      failed = hasFailed(span);
    exporter.take({
      ...shape,
      place,
      beganAt: Math.min(beganAt, Number(span.details.asked_at ?? beganAt)),
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
  const all: Record<string, AttributeValue> = {};
  for (const name in shape) if (shape[name] !== undefined) all[name] = shape[name];
  for (const name in span.details) {
    if (DETAIL_ATTRIBUTES[name] !== undefined) all[DETAIL_ATTRIBUTES[name]] = span.details[name]!;
  }
  if (failed) all["error.type"] ??= errorTypeOf(span);
  return all;
}

/** What is there, and what is not, is found out by asking. */
const EXPECTED_STATUSES = [404, 409];

/** A request that was refused has done what it should; what was called off, or goes on elsewhere, has not failed. */
function hasFailed({ kind, labels, outcome }: Span): boolean {
  const { status } = labels as { readonly status?: number | string };
  if (kind === "request") return typeof status !== "number" || status >= 500;
  if (kind === "cluster_call") {
    return status === 0 || Number(status) >= 400 && !EXPECTED_STATUSES.includes(Number(status));
  }
  return outcome === "failed" || outcome === "refused";
}

/** Only the kind: what a failure says besides may hold anything. */
function errorTypeOf({ error, labels }: Span): string {
  const { status } = labels as { readonly status?: number | string };
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  const name = typeof code === "string" ? code : error instanceof Error ? error.name : undefined;
  return name ?? (status ? String(status) : "_OTHER");
}

/** What is written for people may be shown to people, but for their addresses. A bug's words are for the log. */
function messageOf(error: unknown): string {
  if (!(error instanceof DriverError || error instanceof Fault)) return "";
  return redact(error.message).replace(ADDRESS, REDACTED).slice(0, MAX_MESSAGE_LENGTH);
}

/** `/apis/apps/v1/namespaces/oak-1/deployments/moodle` is about deployments in the namespace oak-1. */
function parseClusterPath(path: string): { readonly resource: string; readonly namespace: string | undefined } {
  const [, rest = ""] = /\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)\/(.*)$/.exec(path) ?? [];
  const [first = "", namespace, resource] = rest.split("/");
  if (first === "") return { resource: path.split("/").findLast((part) => part !== "") ?? "", namespace: undefined };
  if (first !== "namespaces" || resource === undefined) return { resource: first, namespace: undefined };
  return { resource, namespace: decodeURIComponent(namespace!) };
}

/** Milliseconds since the epoch, finer than the clock's, and after it where that one is set. */
function openClock(): () => number {
  let ahead = Date.now() - performance.now();
  return () => {
    const steady = performance.now(), wall = Date.now();
    if (Math.abs(wall - steady - ahead) > 10) ahead = wall - steady;
    return steady + ahead;
  };
}
