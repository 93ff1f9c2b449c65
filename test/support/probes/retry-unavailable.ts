/** Retries a request while the status is 503, as a client should. A server on a busy machine can refuse requests. */
import type { ClientResponse } from "#test/support/client.ts";
import { until } from "#test/support/until.ts";

export function retryUnavailable(send: () => Promise<ClientResponse>): Promise<ClientResponse> {
  return until(async () => {
    const answer = await send();
    return answer.status !== 503 && answer;
  }, 60_000);
}
