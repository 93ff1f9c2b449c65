/** Simulates well-behaved users of a disturbed service. After a 503 or without a response, users retry at another
 * replica. To create a spoke, they retry with the same Idempotency-Key. Readers of event streams reconnect with the
 * number of the last event. */
import { sleep } from "#lib/base/time.ts";
import { type ClientResponse, type TestClient, withToken } from "#test/support/client.ts";
import { until } from "#test/support/until.ts";

const PAUSE = 50; // milliseconds between the requests of one reader
const AGAIN = 50; // milliseconds before a retry
const PATIENCE = 180_000; // milliseconds to wait for an expected result

export interface LoadOptions {
  /** Returns the current URLs of the replicas. Called before each request. */
  readonly urls: () => readonly string[];
  readonly token: string;
  readonly hub: string;
  /** The number of spokes to create, one after another. */
  readonly creations: number;
  readonly readers: number;
  readonly followers: number;
  /** Milliseconds to wait before creating the next spoke. */
  readonly pause?: number;
  /** The IDs of hubs to rename. One simulated user per hub renames the hub repeatedly, without an Idempotency-Key. */
  readonly writers?: readonly string[];
}

export interface BackgroundLoad {
  /** The number of responses, keyed by status. The key "none" counts refused and broken connections. */
  readonly answers: ReadonlyMap<string, number>;
  /** Descriptions of responses that no client should ever receive. */
  readonly surprises: readonly string[];
  /** The IDs of the created spokes, keyed by slug. */
  readonly created: ReadonlyMap<string, string>;
  /** For each reader of an event stream, the numbers of the received events, in order of arrival. */
  readonly heard: readonly (readonly number[])[];
  /** Returns the milliseconds until each reader receives a 200 again. */
  recovery(): Promise<number[]>;
  /** Stops creating spokes, even before the requested number is reached. */
  enough(): void;
  /** Resolves when all requested spokes are created. */
  readonly allCreated: Promise<void>;
  /** Stops all simulated users immediately, without waiting for responses. */
  leave(): void;
  /** Stops all simulated users once every stream reader has received the event with the number `last`. */
  stop(last: number): Promise<void>;
}

export function openBackgroundLoad(options: LoadOptions): BackgroundLoad {
  const { urls, token, hub } = options;
  const answers = new Map<string, number>(), created = new Map<string, string>(), surprises: string[] = [];
  const receivedNumbers: number[][] = Array.from({ length: options.followers }, () => []);
  const lastOk: number[] = Array.from({ length: options.readers }, () => 0);
  let over = false, wanted = options.creations;

  const at = (index: number): TestClient => withToken(urls()[index % urls().length]!, token);

  /** Sends a request. Returns the response, or null if the user must retry the request. */
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
        await sleep(AGAIN); // after a broken connection or a 503
      }
    }
  }

  const reading = lastOk.map((_, reader) => read(reader));
  const allCreated = create(), writing = (options.writers ?? []).map(write);
  allCreated.catch(() => {}); // prevents an unhandled rejection; callers that wait receive the error
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
      following.forEach((each) => each.catch(() => {})); // a stream fails when its replica stops
    },
  };
}
