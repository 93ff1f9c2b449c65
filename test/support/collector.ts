/** Runs an OpenTelemetry trace collector for tests. Accepts OTLP over HTTP in JSON, checks each span against the
 * specification and keeps every byte. A test can make the collector respond with errors. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { until } from "#test/support/until.ts";

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status?: { readonly code: number; readonly message?: string };
  /** The span's attributes, keyed by attribute name. */
  readonly attributes: Readonly<Record<string, string>>;
  /** The attributes of the resource (the program) that sent the span. */
  readonly resource: Readonly<Record<string, string>>;
}

/** The part of an OTLP export request that tests use. */
interface Batch {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string; readonly version: string };
      readonly spans: readonly SentSpan[];
    }[];
  }[];
}
interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: string };
}
type SentSpan = Omit<CollectedSpan, "attributes" | "resource"> & { readonly attributes: readonly Attribute[] };

export interface Collector {
  readonly url: string;
  /** Configuration variables that make the program send its traces to this collector. */
  readonly env: Readonly<Record<string, string>>;
  /** The received spans, in order of arrival. */
  readonly spans: readonly CollectedSpan[];
  readonly headers: readonly IncomingHttpHeaders[];
  /** Sends the response to each request. The default accepts the spans; a test can assign another function. */
  answer: (response: ServerResponse, batch: number) => void;
  /** Returns all received request bodies, as text. */
  bytes(): string;
  /** Returns the first span that has this name and passes `fits`. If necessary, waits until such a span arrives. */
  span(name: string, fits?: (span: CollectedSpan) => boolean): Promise<CollectedSpan>;
  close(): Promise<void>;
}

/** Sends the response that the OTLP specification defines for success. */
export function acceptExport(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json" }).end('{"partialSuccess":{}}');
}

export async function openCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [], headers: IncomingHttpHeaders[] = [], chunks: Uint8Array[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const body: Uint8Array[] = [];
    chunks.push(Buffer.from(`${request.method} ${request.url}\n${request.rawHeaders.join("\n")}\n`));
    headers.push(request.headers);
    request.on("error", () => {});
    request.on("data", (chunk: Uint8Array) => void (body.push(chunk), chunks.push(chunk)));
    request.on("end", () => {
      const read = readSpans(request.method, request.url, request.headers, Buffer.concat(body).toString());
      collector.answer(response, headers.length);
      if (response.statusCode < 300 && response.writableEnded) spans.push(...read);
    });
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const collector: Collector = {
    url,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_SCHEDULE_DELAY: "10" },
    spans,
    headers,
    answer: acceptExport,
    bytes: () => Buffer.concat(chunks).toString(),
    span: (name, fits = () => true) => until(() => spans.find((span) => span.name === name && fits(span))),
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return collector;
}

/** Reads the spans in a request. Throws, which ends the test's process, if a collector must reject the request. */
function readSpans(
  method: string | undefined,
  path: string | undefined,
  headers: IncomingHttpHeaders,
  text: string,
): CollectedSpan[] {
  const wrong = (what: string): never => {
    throw new Error(`The request is not valid OTLP in JSON: ${what}`);
  };
  if (method !== "POST" || path !== "/v1/traces") wrong(`${method} ${path}`);
  if (headers["content-type"] !== "application/json") wrong(`content-type ${headers["content-type"]}`);
  if (headers.traceparent !== undefined) wrong("it has a traceparent");
  return (JSON.parse(text) as Batch).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ scope, spans }) => {
      if (scope.name !== "wheelwright" || !scope.version) wrong("the scope");
      return spans.map((span): CollectedSpan => {
        if (!/^[0-9a-f]{32}$/.test(span.traceId) || !/^[0-9a-f]{16}$/.test(span.spanId)) wrong("the ids");
        if (span.parentSpanId !== undefined && !/^[0-9a-f]{16}$/.test(span.parentSpanId)) wrong("the parent");
        if (!/^\d{19}$/.test(span.startTimeUnixNano) || !/^\d{19}$/.test(span.endTimeUnixNano)) wrong("the times");
        if (BigInt(span.endTimeUnixNano) < BigInt(span.startTimeUnixNano)) wrong("it ends before it begins");
        if (![1, 2, 3].includes(span.kind) || !span.name) wrong("kind or name");
        return { ...span, attributes: valuesOf(span.attributes), resource: valuesOf(resource.attributes) };
      });
    })
  );
}

function valuesOf(attributes: readonly Attribute[]): Record<string, string> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, "stringValue" in value ? value.stringValue : value.intValue]),
  );
}
