/** Simulates API users while replicas start and stop: customers who keep the spokes in a hub busy, and readers who
 * follow the hub's events. Retries a request without response at another replica, with the same Idempotency-Key. */
import { sleep } from "#lib/base/time.ts";
import type { Bench } from "#test/support/bench/bench.ts";
import type { SeededRandom } from "#test/support/bench/random.ts";
import { type ClientResponse, withToken } from "#test/support/client.ts";
import { createConformanceCheck } from "#test/support/conformance.ts";
import { getErrorMessage } from "#lib/base/errors.ts";

const PATIENCE = 5_000; // milliseconds for one response
const TRIES = 60;
const SPOKES = 3; // live spokes that each customer keeps

/** Retries the request while the connection is lost or the status is 502 to 504. Returns the first other response,
 * including errors such as 409. */
export async function requestUntilFinal(
  { replicas, token }: Pick<Bench, "replicas" | "token">,
  method: string,
  path: string,
  body?: unknown,
): Promise<ClientResponse & { readonly repeated: boolean }> {
  const headers = {
    authorization: `Bearer ${token}`,
    "idempotency-key": crypto.randomUUID(),
    ...(body !== undefined && { "content-type": "application/json" }),
  };
  const first = Math.floor(Math.random() * replicas.length), conform = createConformanceCheck();
  let last = "";
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const at = replicas[(first + attempt) % replicas.length]!;
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const signal = AbortSignal.timeout(PATIENCE);
    const reply = await fetch(at.url + path, { ...init, signal })
      .then(async (answer) => ({ status: answer.status, headers: answer.headers, text: await answer.text() }))
      .catch((error) => getErrorMessage(error));
    if (typeof reply !== "string" && reply.status < 502) {
      const { status, headers, text } = reply;
      conform({ method, path, status, headers, text });
      return { status, headers, body: text === "" ? null : JSON.parse(text), repeated: attempt > 0 };
    }
    last = typeof reply === "string" ? reply : `${reply.status} ${reply.text}`;
    await sleep(200);
  }
  throw new Error(`${method} ${path} had no final response after ${TRIES} attempts: ${last}`);
}

export interface Customer {
  /** Returns the number of accepted requests from this customer. */
  accepted(): number;
  /** Returns descriptions of responses that no customer should receive. */
  complaints(): readonly string[];
  /** Stops sending requests. Resolves after the last response. */
  leave(): Promise<void>;
}

/** Simulates a customer who keeps some spokes of a hub busy, with one request at a time. Each request depends on the
 * state that the API reports. */
export function openCustomer(bench: Bench, hub: string, random: SeededRandom): Customer {
  const complaints: string[] = [];
  let open = true, made = 0, accepted = 0;

  async function ask(method: string, path: string, body: unknown, expected: number, refusable: boolean): Promise<void> {
    const answer = await requestUntilFinal(bench, method, path, body);
    if (answer.status === expected) return void accepted++;
    // Accepts the refusal of a repeated request: the first attempt may have succeeded, or the spoke may have changed.
    if (refusable && (answer.status === 409 || answer.status === 404)) return;
    complaints.push(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  }

  async function turn(): Promise<void> {
    const { body: spokes } = await requestUntilFinal(bench, "GET", `/api/federations/${hub}/spokes`);
    const live = spokes.filter(({ state }: { state: string }) => state !== "removing");
    if (live.length < SPOKES) {
      return await ask("POST", `/api/federations/${hub}/spokes`, { slug: `s${++made}`, size: "small" }, 201, false);
    }
    const { id, state } = random.pick<{ id: string; state: string }>(live);
    const action = choose(state, random);
    if (action === "remove") return await ask("DELETE", `/api/spokes/${id}`, undefined, 202, true);
    if (action !== "wait") await ask("POST", `/api/spokes/${id}/actions`, { action: action }, 202, true);
  }

  async function run(): Promise<void> {
    while (open) {
      await turn().catch((error) => complaints.push(getErrorMessage(error)));
      await sleep(random.between(200, 900));
    }
  }

  const ended = run();
  return {
    accepted: () => accepted,
    complaints: () => complaints,
    async leave() {
      open = false;
      await ended;
    },
  };
}

function choose(state: string, random: SeededRandom): "wait" | "suspend" | "resume" | "restart" | "remove" | "retry" {
  switch (state) {
    case "active":
      return random.weighted({ suspend: 45, restart: 30, remove: 25 });
    case "suspended":
      return random.weighted({ resume: 80, remove: 20 });
    case "suspending":
      return random.weighted({ resume: 20, wait: 80 });
    case "provisioning":
      return random.weighted({ remove: 4, wait: 96 });
    case "failed":
      return "retry";
    default:
      return "wait";
  }
}

export interface EventReader {
  readonly hub: string;
  /** Returns the numbers of all received events, in order of arrival. */
  seen(): readonly number[];
  /** Returns the number of times that the reader reconnected. */
  returns(): number;
  complaints(): readonly string[];
  /** Stops the reader at the next event, or when its connection is lost. */
  leave(): void;
}

/** Follows a hub's event stream from the first event. After a lost connection, continues at another replica, after the
 * last received event. */
export function openEventReader({ replicas, token }: Bench, hub: string, first: number): EventReader {
  const numbers: number[] = [], complaints: string[] = [];
  let open = true, returns = -1;

  async function run(): Promise<void> {
    for (let at = first; open; at++) {
      returns++;
      try {
        for await (
          const event of withToken(replicas[at % replicas.length]!.url, token).events(hub, numbers.at(-1) ?? 0)
        ) {
          if (!open) return;
          if (event.event === "StreamReset") {
            complaints.push(`${hub}: the stream was reset after event ${numbers.at(-1)}`);
          }
          numbers.push(event.id);
        }
      } catch {
        // Reconnects: the replica was killed, or temporarily cannot read its database.
      }
      await sleep(100);
    }
  }

  run().catch((error) => complaints.push(getErrorMessage(error)));
  return {
    hub,
    seen: () => numbers,
    returns: () => returns,
    complaints: () => complaints,
    leave: () => void (open = false),
  };
}
