/** Compares event streams with a server of only node:http: `npm run bench -- streams [--quick] [--readers N] [--json FILE]
 * [--profile DIRECTORY]`.
 *
 * The readers follow one hub, first with Wheelwright, then with a server that writes each database notification to all
 * clients. Measures the time from an event's commit until each reader has its bytes, the CPU time of the server and of
 * PostgreSQL per event and while idle, and the memory per stream. The two take turns, each time as new processes.
 * Compare only numbers of one run. */
import { fork } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { recordChange } from "#lib/changes/record.ts";
import { sleep } from "#lib/base/time.ts";
import { type MeasuredServer, PEERS_DIRECTORY } from "#test/bench/servers.ts";
import type { Figure } from "#test/bench/summary.ts";
import { formatSpread, percentile, ratioOf, renderTable, spreadOf } from "#test/bench/statistics.ts";
import { INSPECT_FLAG, readMemory } from "#test/bench/memory.ts";
import { readCpuTime, readServerCpuTime } from "#test/bench/processor.ts";
import { startServers } from "#test/bench/start-servers.ts";
import type { StreamReaderMessage, StreamReaderOptions } from "#test/bench/streams-readers.ts";
import { addHubAdmin, createTestToken, createTestUser } from "#test/support/users.ts";
import { insertHub } from "#test/support/insert-rows.ts";

const READERS = fileURLToPath(new URL("streams-readers.ts", import.meta.url));
const EACH = 20; // streams per user
const SUBJECTS = ["wheelwright", "raw"] as const;
/** The highest accepted ratio of the CPU time to open a stream, and milliseconds per second of 1,000 idle streams. */
const OPEN_GOAL = 1.5, IDLE_GOAL = 10;

type Subject = (typeof SUBJECTS)[number];
type Stage = Awaited<ReturnType<typeof startServers<Subject>>>;
/** The figures by name, in milliseconds, and in KiB per stream. */
type Figures = Readonly<Record<string, number>>;

async function main(line: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...line],
    options: {
      quick: { type: "boolean", default: false },
      smoke: { type: "boolean", default: false },
      readers: { type: "string", multiple: true },
      json: { type: "string" },
      profile: { type: "string" },
    },
  });
  const sizes = values.readers?.map(Number) ??
    (values.smoke ? [EACH] : values.quick ? [1_000] : [100, 1_000, 10_000]);
  const effort = values.smoke
    ? { rounds: 1, events: 2, quiet: 100 }
    : values.quick
    ? { rounds: 2, events: 20, quiet: 5_000 }
    : { rounds: 3, events: 40, quiet: 10_000 };
  const results: object[] = [], figures: Figure[] = [], stage = await startServers<Subject>(values.profile);
  try {
    const tokens = await makeReaders(stage, Math.max(...sizes) / EACH);
    for (const size of sizes) {
      const measured: Record<Subject, Figures[]> = { wheelwright: [], raw: [] };
      for (let round = 0; round < effort.rounds; round++) {
        for (const subject of SUBJECTS) {
          const hub = await makeHubOf(stage, `${subject}-${size}-${round}`, tokens);
          const chosen = tokens.slice(0, size / EACH).map(({ token }) => token);
          measured[subject].push(await measure(stage, subject, hub, chosen, effort));
        }
      }
      console.log(`\n${size} readers of one hub\n${report(measured)}`);
      results.push({ size, measured });
      figures.push(...listStreamFigures(size, measured));
      if (values.json) await writeFile(values.json, JSON.stringify({ figures, effort, results }, null, 1));
    }
  } finally {
    await stage.close();
  }
}

async function makeReaders({ db }: Stage, people: number) {
  await db.sql(
    "create table fan_out (id bigint generated always as identity, hub text not null, payload text not null)",
  );
  const readers = [];
  for (let n = 0; n < people; n++) {
    const person = await createTestUser(db, `reader-${n}`);
    readers.push({ person, token: (await createTestToken(db, person, "readonly")).plaintext });
  }
  return readers;
}

async function makeHubOf({ db }: Stage, name: string, readers: Awaited<ReturnType<typeof makeReaders>>) {
  const hub = await insertHub(db, readers[0]!.person.id, name);
  for (const { person } of readers) await addHubAdmin(db, person, hub);
  return hub;
}

async function measure(
  stage: Stage,
  subject: Subject,
  hub: string,
  tokens: readonly string[],
  effort: { readonly events: number; readonly quiet: number },
): Promise<Figures> {
  const server = await start(stage, subject), streams = tokens.length * EACH;
  const readers = fork(READERS), { hear, end } = listenTo(readers);
  try {
    const empty = await readMemory(server), before = await usedBy(stage, server);
    const began = performance.now();
    readers.send(
      {
        port: server.port,
        path: `/api/federations/${hub}/events?since=0`,
        tokens,
        each: EACH,
      } satisfies StreamReaderOptions,
    );
    await hear("ready");
    const opened = await usedBy(stage, server), opening = performance.now() - began;
    const full = await readMemory(server), atRest = await usedBy(stage, server);
    await sleep(effort.quiet);
    const rested = await usedBy(stage, server), late: number[] = [];
    for (let number = 1; number <= effort.events; number++) {
      await emit(stage, subject, hub, number);
      const committed = performance.timeOrigin + performance.now();
      late.push(...(await hear(number)).map((at) => at - committed));
    }
    const done = await usedBy(stage, server), seconds = effort.quiet / 1000;
    return {
      "p50 to bytes": percentile(late, 0.5),
      "p99 to bytes": percentile(late, 0.99),
      "server an event": (done.server - rested.server) / effort.events,
      "PostgreSQL an event": (done.database - rested.database) / effort.events,
      "server a second at rest": (rested.server - atRest.server) / seconds,
      "PostgreSQL a second at rest": (rested.database - atRest.database) / seconds,
      "server to open a stream": (opened.server - before.server) / streams,
      "to open a stream": opening / streams,
      "KiB of memory a stream": (full.rss - empty.rss) / streams / 1024,
      "KiB held a stream": (full.held - empty.held) / streams / 1024,
    };
  } finally {
    end();
    await server.stop();
  }
}

function start({ start, startOurs }: Stage, subject: Subject): Promise<MeasuredServer<Subject>> {
  if (subject === "raw") return start(subject, [INSPECT_FLAG, join(PEERS_DIRECTORY, "fan-out.ts")], { POOL: "10" });
  const bounds = { MAX_STREAMS: "20000", MAX_IN_FLIGHT: "1000", TRUSTED_PROXIES: "127.0.0.0/8" };
  return startOurs(subject, { DATABASE_POOL: "10", ...bounds }, [INSPECT_FLAG]);
}

/** Emits an event. Both subjects commit a row and notify listeners. */
async function emit({ db }: Stage, subject: Subject, hub: string, number: number): Promise<void> {
  if (subject === "wheelwright") {
    await db.transact((tx) => recordChange(tx, SYSTEM_REQUESTER, { events: [{ federationId: hub, state: "active" }] }));
    return;
  }
  const data = { id: String(number), type: "FederationUpdateActive", at: new Date().toISOString(), federationId: hub };
  const payload = JSON.stringify({ ...data, state: "active" });
  await db.sql(
    "with made as (insert into fan_out (hub, payload) values ($1, $2)) select pg_notify('fan_out', $2)",
    [hub, payload],
  );
}

async function usedBy({ postmaster }: Stage, { pid }: MeasuredServer) {
  return { server: await readCpuTime(pid), database: await readServerCpuTime(postmaster) };
}

/** Receives the readers' messages. A caller waits for each one by its key. */
function listenTo(child: ReturnType<typeof fork>) {
  const arrivals = new Map<string | number, readonly number[]>(), waiting = new Map<string | number, () => void>();
  const lost = Promise.withResolvers<never>();
  lost.promise.catch(() => {});
  child.on("message", (message: StreamReaderMessage) => {
    const [key, at] = message === "ready" ? [message, []] : [message.number, message.at];
    arrivals.set(key, at);
    waiting.get(key)?.();
  });
  child.once("exit", () => lost.reject(new Error("The readers have ended")));
  const end = () => void child.kill("SIGKILL");
  process.once("exit", end);
  return {
    async hear(key: string | number): Promise<readonly number[]> {
      if (!arrivals.has(key)) {
        await Promise.race([new Promise<void>((resolve) => waiting.set(key, resolve)), lost.promise]);
      }
      return arrivals.get(key)!;
    },
    end() {
      process.off("exit", end);
      end();
    },
  };
}

type Measured = Record<Subject, readonly Figures[]>;

const valuesOf = (figures: readonly Figures[], name: string) => figures.map((each) => each[name]!);

/** Returns the figures for the summary. */
function listStreamFigures(size: number, { wheelwright, raw }: Measured): readonly Figure[] {
  const compared = (name: string, key: string, goal?: number): Figure => ({
    name: `${size} event streams: ${name}`,
    unit: "ms",
    values: valuesOf(wheelwright, key),
    peers: [{ name: "node:http", values: valuesOf(raw, key), ...(goal !== undefined && { goal }) }],
  });
  const idle = ["server a second at rest", "PostgreSQL a second at rest"].map((key) => valuesOf(wheelwright, key));
  return [
    compared("delay of an event (p50)", "p50 to bytes"),
    compared("CPU time of the server per event", "server an event"),
    compared("CPU time of the server to open one", "server to open a stream", OPEN_GOAL),
    {
      name: `${size} event streams without events: CPU time of the server and of PostgreSQL`,
      unit: "ms/s",
      values: idle[0]!.map((server, round) => server + idle[1]![round]!),
      goal: IDLE_GOAL * size / 1000,
    },
  ];
}

function report({ wheelwright, raw }: Measured): string {
  const names = Object.keys(raw[0]!);
  return renderTable([
    ["", "Wheelwright", "raw", "ratio"],
    ...names.map((name) => {
      const [ours, theirs] = [valuesOf(wheelwright, name), valuesOf(raw, name)];
      return [name, formatSpread(spreadOf(ours)), formatSpread(spreadOf(theirs)), formatSpread(ratioOf(ours, theirs))];
    }),
  ]);
}

await main(process.argv.slice(2));
