/** Sets up tracing. This module is imported only if tracing is configured. */
import type { Log } from "#lib/base/log.ts";
import type { TraceSettings } from "#lib/base/otel.ts";
import type { Observer } from "#lib/base/telemetry.ts";
import { openSpanExporter } from "#lib/drivers/traces/exporter.ts";
import { observeTraces } from "#lib/drivers/traces/observer.ts";

export interface Traces {
  readonly observer: Observer;
  /** Tries to send the remaining spans for up to two seconds. */
  close(): Promise<void>;
}

export interface TracesOptions {
  readonly log: Log;
  readonly replicaId: string;
  readonly version: string;
  readonly onDropped: () => void;
}

export function openTraces(settings: TraceSettings, { log, replicaId, version, onDropped }: TracesOptions): Traces {
  const resource = { "service.version": version, "service.instance.id": replicaId, ...settings.resource };
  const exporter = openSpanExporter({ settings: { ...settings, resource }, version, log, onDropped });
  return { observer: observeTraces(settings.sampler, exporter), close: exporter.close };
}
