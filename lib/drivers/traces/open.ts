/** Sets up tracing. This module is imported only if tracing is configured. */
import type { Log } from "#lib/base/log.ts";
import type { TraceSettings } from "#lib/base/otel.ts";
import type { TelemetryObserver } from "#lib/base/telemetry.ts";
import { openSpanExporter } from "#lib/drivers/traces/exporter.ts";
import { createTraceObserver } from "#lib/drivers/traces/observer.ts";

export interface Tracing {
  readonly observer: TelemetryObserver;
  /** Tries to send the remaining spans for up to two seconds. */
  close(): Promise<void>;
}

export interface TracingOptions {
  readonly log: Log;
  readonly replicaId: string;
  readonly version: string;
  readonly onDropped: () => void;
}

export function openTracing(settings: TraceSettings, { log, replicaId, version, onDropped }: TracingOptions): Tracing {
  const resource = { "service.version": version, "service.instance.id": replicaId, ...settings.resource };
  const exporter = openSpanExporter({ settings: { ...settings, resource }, version, log, onDropped });
  return { observer: createTraceObserver(settings.sampler, exporter), close: exporter.close };
}
