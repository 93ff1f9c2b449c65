/** Simulates well-behaved users while the service is being disturbed. After a 503 or without a response, they retry at
 * another replica, and retry creations with the same Idempotency-Key. A user who reads an event stream reconnects with
 * the last event's number. */
import { sleep } from "#lib/base/time.ts";
import { type ClientResponse, type TestClient, withToken } from "#test/support/client.ts";
import { until } from "#test/support/until.ts";

const PAUSE = 50; // milliseconds between the requests of one reader
const AGAIN = 50; // milliseconds before a retry
const PATIENCE = 60_000; // milliseconds to wait for a result that must come

export interface LoadOptions {
  /** Returns the replicas' current URLs. Called before each request. */
  readonly urls: () => readonly string[];
  readonly token: string;
  readonly hub: string;
  /** How many spokes to create, one after another. */
  readonly creations: number;
  readonly readers: number;
  readonly followers: number;
  /** How long to wait between two creations, in milliseconds. */
  readonly pause?: number;
  /** The IDs of hubs to rename. One writer per hub keeps renaming it, without an Idempotency-Key. */
  readonly writers?: readonly string[];
}

export interface BackgroundLoad {
  /** The number of responses with each status. "none" counts refused and broken connections. */
  readonly answers: ReadonlyMap<string, number>;
  /** Descriptions of responses that no client should ever get. */
  readonly surprises: readonly string[];
  /** The IDs of spokes that were created, keyed by slug. */
  readonly created: ReadonlyMap<string, string>;
  /** The numbers of the events that each follower received, in order of arrival. */
  readonly heard: readonly (readonly number[])[];
  /** Returns how long it takes until each reader gets a 200 again, in milliseconds. */
  recovery(): Promise<number[]>;
  /** Stops creating spokes, even if fewer than the requested number exist. */
  enough(): void;
  /** Resolves when all requested spokes have been created. */
  readonly allCreated: Promise<void>;
  /** Stops all simulated users immediately, without waiting for responses. */
  leave(): void;
  /** Stops all simulated users once every follower has received the event with the number `last`. */
  stop(last: number): Promise<void>;
}

export function openBackgroundLoad(options: LoadOptions): BackgroundLoad {
  const { urls, token, hub } = options;
  const answers = new Map<string, number>(), created = new Map<string, string>(), surprises: string[] = [];
  const receivedNumbers: number[][] = Array.from({ length: options.followers }, () => []);
  const lastOk: number[] = Array.from({ length: options.readers }, () => 0);
  let over = false, wanted = options.creations;

  const at = (index: number): TestClient => withToken(urls()[index % urls().length]!, token);

  /** Sends a request. Returns the response, or null if the request must be repeated. */
  async function ask(
    index: number,
    wanted: number,
    send: (client: TestClient) => Promise<ClientResponse>,
  ): Promise<ClientResponse | null> {
    const answer = await send(at(index)).catch((error: Error) => {
      const code = (error.cause as { code?: string } | undefined)?.code ?? "";
      if (!/ECONN|SOCKET|UND_ERR/.test(code) && !(error instanceof TypeError)) surprises.push(String(error));
      return null;
    });
    const key = answer ? String(answer.status) : "none";
    answers.set(key, (answers.get(key) ?? 0) + 1);
    if (answer?.status === wanted) return answer;
    if (answer && answer.status !== 503) surprises.push(`${answer.status}: ${JSON.stringify(answer.body)}`);
    if (answer?.status === 503 && !answer.headers.has("retry-after")) surprises.push("503 without Retry-After");
    await sleep(AGAIN);
    return null;
  }

  async function read(reader: number): Promise<void> {
    for (let turn = reader; !over; await sleep(PAUSE)) {
      const path = reader % 2 === 0 ? "/api/my-spokes" : "/api/auth/me";
      if (await ask(turn, 200, (client) => client.send("GET", path))) lastOk[reader] = performance.now();
      else turn++;
    }
  }

  async function create(): Promise<void> {
    for (let n = 0, turn = 0, since = performance.now(); n < wanted && !over; turn++) {
      const body = { slug: `made-${n}` }, key = { "idempotency-key": `creation-${n}` };
      const path = `/api/federations/${hub}/spokes`;
      const answer = await ask(turn, 201, (client) => client.send("POST", path, body, key));
      if (answer) {
        created.set(`made-${n++}`, answer.body.id);
        since = performance.now();
      } else if (performance.now() - since > PATIENCE) {
        throw new Error(`made-${n} was not created: ${JSON.stringify([Object.fromEntries(answers), surprises])}`);
      }
      await sleep(options.pause ?? 0);
    }
  }

  async function write(own: string): Promise<void> {
    for (let turn = 0; !over; turn++) {
      const name = `turn ${turn}`, path = `/api/federations/${own}`;
      const answer = await ask(turn, 200, (client) => client.send("PATCH", path, { name }));
      if (answer && answer.body.name !== name) surprises.push(`${own} is called ${answer.body.name}, not ${name}`);
      await sleep(PAUSE);
    }
  }

  async function follow(follower: number): Promise<void> {
    const numbers = receivedNumbers[follower]!;
    for (let turn = follower; !over; turn++) {
      try {
        for await (const { id } of at(turn).events(hub, numbers.at(-1) ?? 0)) {
          numbers.push(id);
          if (over) return;
        }
      } catch {
        await sleep(AGAIN); // the connection broke, or the response was 503
      }
    }
  }

  const reading = lastOk.map((_, reader) => read(reader));
  const allCreated = create(), writing = (options.writers ?? []).map(write);
  allCreated.catch(() => {}); // callers that wait for it get the error
  const following = receivedNumbers.map((_, follower) => follow(follower));
  return {
    answers,
    surprises,
    created,
    heard: receivedNumbers,
    allCreated,
    leave: () => void (over = true),
    enough: () => void (wanted = 0),
    async recovery() {
      const from = performance.now();
      await until(() => lastOk.every((time) => time > from), PATIENCE);
      return lastOk.map((time) => Math.round(time - from));
    },
    async stop(last) {
      await until(() => receivedNumbers.every((numbers) => (numbers.at(-1) ?? 0) >= last), PATIENCE);
      over = true;
      await Promise.all([...reading, ...writing, allCreated]);
      following.forEach((each) => each.catch(() => {})); // a stream ends with its replica
    },
  };
}
