/** Tests that people can sign in to the real program while strangers flood its sign-in. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SILENT_LOG } from "#lib/base/log.ts";
import { openSimulator, type Simulator } from "#lib/dev/simulator/open.ts";
import { MINUTE, SECOND, sleep } from "#lib/base/time.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { createTestUser, PASSWORD } from "#test/support/users.ts";
import { type StartedProgram, startProgram } from "#test/support/program.ts";
import { until } from "#test/support/until.ts";

interface Stage {
  db: TestDatabase;
  simulator: Simulator;
  directory: string;
  program: StartedProgram;
  url: string;
}

const test = suite<Stage>("sign-in under attack");
const AT_ONCE = 64; // strangers at the same time
// strangers' guesses that may be checked before a person's sign-in; without a fair queue there would be hundreds
const BEFORE = 10;
const PATIENCE = 5 * MINUTE;
const PAUSE = SECOND / 2; // after a refused attempt; an immediate retry only uses up attempts

test.before(async (stage) => {
  stage.db = await openTestDatabase();
  stage.simulator = await openSimulator({ delayMs: 0, log: SILENT_LOG });
  stage.directory = await mkdtemp(join(tmpdir(), "wheelwright-attack-"));
  await writeFile(join(stage.directory, "kubeconfig"), stage.simulator.kubeconfig());
  stage.program = startProgram(["serve"], {
    HOST: "127.0.0.1",
    PORT: "0",
    PUBLIC_URL: "https://wheelwright.example.org",
    DATABASE_URL: stage.db.url,
    KUBECONFIG: join(stage.directory, "kubeconfig"),
    ROOT_DOMAIN: "spokes.example.org",
    TRUSTED_PROXIES: "127.0.0.1/32",
    REQUEST_TIMEOUT_MS: "60000",
  });
  const [, port] = /Listening on 127\.0\.0\.1:(\d+)/.exec(await stage.program.said(/Listening on/))!;
  stage.url = `http://127.0.0.1:${port}/api/auth/login`;
});
test.after(async ({ program, simulator, db, directory }) => {
  await program.stop("SIGKILL");
  await simulator.close();
  await db.close();
  await rm(directory, { recursive: true });
});

type Guess = readonly [address: string, email: string];

async function send(url: string, [address, email]: Guess, password: string, signal?: AbortSignal): Promise<number> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", "x-forwarded-for": address },
    body: JSON.stringify({ email, password }),
    ...(signal && { signal }),
  });
  await response.body?.cancel();
  return response.status;
}

/** Sends wrong passwords until it is stopped. Counts the responses by status. */
function flood(url: string, guess: (i: number) => Guess) {
  const counts = new Map<number, number>(), ending = new AbortController();
  const start = performance.now();
  let sent = 0;
  const work = async () => {
    while (!ending.signal.aborted) {
      const status = await send(url, guess(sent++), "a wrong password", ending.signal);
      counts.set(status, (counts.get(status) ?? 0) + 1);
      if (status !== 401) await sleep(PAUSE, ending.signal);
    }
  };
  /** Signs a person in. Retries if the wait is too long on a slow machine. */
  const signIn = async ([address, email]: Guess): Promise<number> => {
    const before = counts.get(401) ?? 0;
    for (;;) {
      const status = await send(url, [address, email], PASSWORD);
      if (status !== 429 && status !== 503 || (counts.get(401) ?? 0) - before > BEFORE) return status;
      await sleep(PAUSE);
    }
  };
  const workers = Promise.allSettled(Array.from({ length: AT_ONCE }, work));
  return {
    signIn,
    /** Milliseconds since the first guess. */
    lasted: () => performance.now() - start,
    count: (status: number) => counts.get(status) ?? 0,
    async end() {
      ending.abort();
      for (const ended of await workers) {
        if (ended.status === "rejected" && ended.reason !== ending.signal.reason) throw ended.reason;
      }
    },
  };
}

const hex = (i: number) => (i % 65_536).toString(16);

test("users can sign in while one IPv6 /48 network floods an account", async ({ url, db }) => {
  const ada = await createTestUser(db, "ada"), bob = await createTestUser(db, "bob");
  const strangers = flood(url, (i) => [`2001:db8:a:${hex(i)}::1`, ada.email]);
  await until(() => strangers.count(429) >= 150, PATIENCE);
  const answers = [
    await strangers.signIn(["203.0.113.1", bob.email]),
    await strangers.signIn(["203.0.113.2", ada.email]),
    await strangers.signIn(["2001:db8:b::1", ada.email]),
  ];
  await strangers.end();
  const minutes = Math.ceil(strangers.lasted() / MINUTE);
  assert.equal(answers, [200, 200, 200]);
  const [{ judged }] = await db.sql(
    "select count(*)::int as judged from audit_events where kind = 'auth_login_failed'",
  );
  assert.ok(judged <= 30 * minutes, `${judged} passwords of one network were judged in ${minutes} minutes`);
});

test("an account's owner can sign in while a few networks guess the password", async ({ url, db }) => {
  const cid = await createTestUser(db, "cid"), dan = await createTestUser(db, "dan");
  const strangers = flood(url, (i) => [`2001:db8:c${i % 4}:${hex(i)}::1`, cid.email]);
  await until(() => strangers.count(401) >= 7 && strangers.count(429) > 0, PATIENCE);
  const answers = [
    await strangers.signIn(["203.0.113.3", cid.email]),
    await strangers.signIn(["203.0.113.4", dan.email]),
  ];
  await strangers.end();
  assert.equal(answers, [200, 200]);
});

test("users can sign in while many networks try many accounts", async ({ url, db }) => {
  const people = [];
  for (const name of ["eva", "fay", "gus"]) people.push(await createTestUser(db, name));
  const strangers = flood(url, (i) => [`2001:db8:${hex(0xd00 + i % 6)}:${hex(i)}::1`, `who${i}@example.org`]);
  await until(() => strangers.count(503) >= 20, PATIENCE);
  const answers = await Promise.all(people.map(({ email }, i) => strangers.signIn([`203.0.113.${10 + i}`, email])));
  await strangers.end();
  assert.equal(answers, [200, 200, 200]);
});

test.run();
