/** Tells of one exchange with an API server, or of the beginning of a stream, with what it was answered. */
import type { OutgoingRequest } from "#lib/drivers/exchange.ts";
import type { Telemetry } from "#lib/base/telemetry.ts";

/** A call that somebody here called off says nothing of the server. */
export function traceCall<T extends { readonly status: number }>(
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
