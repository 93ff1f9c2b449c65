/** Reads the standard OpenTelemetry variables for traces: endpoint, headers, resource and sampler. */
import * as v from "valibot";
import type { TraceSampler } from "#lib/base/trace.ts";

const SAMPLERS = [
  ...["always_on", "always_off", "traceidratio"],
  ...["parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio"],
] as const;
const PAIR = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]{1,100})\s*=\s*([!-+\--:<-~]{0,4000})\s*$/;
const RESERVED_HEADERS = ["content-type", "content-length", "transfer-encoding", "host", "connection"];

const PAIRS_MESSAGE =
  "must be comma-separated name=value pairs with percent-encoded values: api-key=secret,team=learning%20platforms";
/** Parses comma-separated `name=value` pairs with percent-encoded values. */
export const OtelPairs = v.pipe(
  v.string(),
  v.check((text) => splitList(text).every((part) => isPercentEncoded(PAIR.exec(part)?.[2])), PAIRS_MESSAGE),
  v.transform((text) => Object.fromEntries(splitList(text).map(readPair))),
);

const HEADERS_MESSAGE = `must not contain line breaks or the headers ${RESERVED_HEADERS.join(", ")}`;
/** HTTP headers to send with each batch of spans, such as an API key for the collector. */
export const OtelHeaders = v.pipe(
  OtelPairs,
  v.check((pairs) => Object.entries(pairs).every(([name, value]) => isHeader(name, value)), HEADERS_MESSAGE),
);

export const OtelSampler = v.picklist(SAMPLERS, `must be one of ${SAMPLERS.join(", ")}`);

const RATIO_MESSAGE = "must be a number from 0 to 1";
export const OtelSamplingRatio = v.pipe(
  v.string(),
  v.regex(/^(?:0(?:\.\d{1,12})?|1(?:\.0{1,12})?)$/, RATIO_MESSAGE),
  v.transform(Number),
);

/** A boolean as specified by OpenTelemetry: `true` in upper or lower case is true, and any other text is false. */
export const OtelBoolean = v.pipe(v.string(), v.transform((text) => text.toLowerCase() === "true"));

interface OtelVariables {
  readonly OTEL_SDK_DISABLED: boolean;
  readonly OTEL_TRACES_EXPORTER: "otlp" | "none";
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_HEADERS?: Pairs | undefined;
  readonly OTEL_EXPORTER_OTLP_TRACES_HEADERS?: Pairs | undefined;
  readonly OTEL_EXPORTER_OTLP_TIMEOUT: number;
  readonly OTEL_EXPORTER_OTLP_TRACES_TIMEOUT?: number | undefined;
  readonly OTEL_BSP_SCHEDULE_DELAY: number;
  readonly OTEL_SERVICE_NAME?: string | undefined;
  readonly OTEL_RESOURCE_ATTRIBUTES?: Pairs | undefined;
  readonly OTEL_TRACES_SAMPLER: (typeof SAMPLERS)[number];
  readonly OTEL_TRACES_SAMPLER_ARG: number;
}
type Pairs = Readonly<Record<string, string>>;

export interface TraceSettings {
  readonly url: URL;
  readonly headers: Pairs;
  /** How long sending a batch of spans to the collector may take, in milliseconds. */
  readonly timeoutMs: number;
  /** How long an incomplete batch of spans waits before it is sent, in milliseconds. */
  readonly batchDelayMs: number;
  /** The resource attributes to send with each batch, such as the service's name. */
  readonly resource: Pairs;
  readonly sampler: TraceSampler;
}

/** Returns the settings for tracing; null if tracing is off. */
export function buildTraceSettings(variables: OtelVariables): TraceSettings | null {
  const url = urlOf(variables), name = variables.OTEL_SERVICE_NAME;
  if (url === null) return null;
  return {
    url,
    headers: variables.OTEL_EXPORTER_OTLP_TRACES_HEADERS ?? variables.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    timeoutMs: variables.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT ?? variables.OTEL_EXPORTER_OTLP_TIMEOUT,
    batchDelayMs: variables.OTEL_BSP_SCHEDULE_DELAY,
    resource: {
      "service.name": "wheelwright",
      ...variables.OTEL_RESOURCE_ATTRIBUTES,
      ...(name !== undefined && { "service.name": name }),
    },
    sampler: samplerOf(variables),
  };
}

function samplerOf(variables: OtelVariables): TraceSampler {
  const [, parentBased, rule] = /^(parentbased_)?(.*)$/.exec(variables.OTEL_TRACES_SAMPLER)!;
  const ratio = rule === "always_on" ? 1 : rule === "always_off" ? 0 : variables.OTEL_TRACES_SAMPLER_ARG;
  // Decides by the trace ID's last digits, which are always random, so that all replicas make the same decision.
  const isSampled = (traceId: string) => parseInt(traceId.slice(-13), 16) < ratio * 16 ** 13;
  return (parent, traceId) => parentBased && parent ? parent.sampled : isSampled(traceId);
}

function urlOf(variables: OtelVariables): URL | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: tracesEndpoint } = variables;
  if (variables.OTEL_SDK_DISABLED || variables.OTEL_TRACES_EXPORTER === "none") return null;
  if (tracesEndpoint !== undefined) return new URL(tracesEndpoint);
  return base === undefined ? null : Object.assign(new URL(base), { pathname: tracesPath(new URL(base)) });
}

function tracesPath({ pathname }: URL): string {
  return `${pathname.replace(/\/$/, "")}/v1/traces`;
}

function splitList(text: string): string[] {
  return text.split(",").filter((part) => part.trim() !== "");
}

function readPair(part: string): [name: string, value: string] {
  const [, name = "", value = ""] = PAIR.exec(part)!;
  return [name, decodeURIComponent(value)];
}

function isPercentEncoded(encoded: string | undefined): boolean {
  try {
    return encoded !== undefined && decodeURIComponent(encoded).isWellFormed();
  } catch {
    return false;
  }
}

function isHeader(name: string, value: string): boolean {
  return !RESERVED_HEADERS.includes(name.toLowerCase()) && /^[\t -~]*$/.test(value);
}
