/** Retries a request while the server is overloaded, as a client should. Many parallel tests can overload the server
 * for a moment. Returns any other 503 as the response. */
import { sleep } from "#lib/base/time.ts";

const OVERLOADED = /The server is overloaded|too many requests in progress/;
const TURNS = 100, PAUSE = 200;

export async function retryWhileOverloaded(ask: () => Promise<Response>): Promise<Response> {
  for (let turn = 1;; turn++) {
    const response = await ask();
    if (response.status !== 503 || turn === TURNS) return response;
    if (!OVERLOADED.test(await response.clone().text())) return response;
    await response.body?.cancel();
    await sleep(PAUSE);
  }
}
