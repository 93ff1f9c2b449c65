/** Records a trace span for each call to an API server, or for opening a stream. */
import type { OutgoingRequest } from "#lib/drivers/exchange.ts";
import type { Telemetry } from "#lib/base/telemetry.ts";

/** Runs the call in a trace span. If Wheelwright itself cancelled the call, the span's status is `cancelled`. */
export function traceClusterCall<T extends { readonly status: number }>(
  telemetry: Telemetry,
  verb: string,
  out: OutgoingRequest,
  send: (out: OutgoingRequest) => Promise<T>,
): Promise<T> {
  return telemetry.span("cluster_call", { verb }, async ({ labels }) => {
    try {
      const answer = await send(out);
      labels.status = answer.status;
      return answer;
    } catch (error) {
      labels.status = out.signals.some((signal) => signal.aborted) ? "cancelled" : 0;
      throw error;
    }
  }, { details: { path: out.url.pathname } });
}
