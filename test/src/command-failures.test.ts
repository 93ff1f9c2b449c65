/**
 * Checks that commands report failures in a sentence or two with the next step, never as a stack or a runtime error. Each
 * row of the table runs as a process.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SILENT_LOG } from "#lib/base/log.ts";
import { openSimulator, type Simulator } from "#lib/dev/simulator/open.ts";
import { lockDataDirectory } from "#src/data-directory.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { startProgram } from "#test/support/program.ts";
import { type Case, CASES, type Place, SECRET } from "#test/src/command-failures-table.ts";

interface Scene extends Place {
  newer: TestDatabase;
  simulator: Simulator;
  letGo: () => void;
  env: Record<string, string>;
  outcomes: Map<Case, { readonly status: number | null; readonly lines: readonly string[] }>;
}

/** Matches text that must not be shown: a stack, an error class, a file of the runtime, or a system error code. */
const RAW = /^\s+at |Error:|node:internal|\bE(?!MAIL\b)[A-Z]{4,}\b|os error|errno|PASSWORD=/;

const test = suite<Scene>("failures of commands");

test.before(async (scene) => {
  scene.db = await openTestDatabase();
  scene.newer = await openTestDatabase();
  await scene.newer.sql("insert into migrations (name, checksum, needs) values ('9999_later', 'x', '9998_before')");
  scene.simulator = await openSimulator({ delayMs: 0, log: SILENT_LOG });
  scene.taken = createServer();
  await new Promise<void>((resolve) => scene.taken.listen(0, "127.0.0.1", resolve));
  scene.directory = await mkdtemp(join(tmpdir(), "wheelwright-start-"));
  const write = (name: string, text: string) => writeFile(join(scene.directory, name), text);
  await write("kubeconfig", scene.simulator.kubeconfig());
  await write("no-yaml", `users: [{ name: me, user: { token: ${SECRET}: x\n  - }`);
  await write("no-catalog", "regions: north: x");
  await mkdir(join(scene.directory, "folder"));
  await mkdir(join(scene.directory, "damaged"));
  await write("damaged/cluster.json", "{");
  await mkdir(join(scene.directory, "occupied"));
  await write("occupied/postgres", "");
  scene.outcomes = new Map();
  scene.held = join(scene.directory, "held");
  scene.letGo = await lockDataDirectory(scene.held);
  scene.env = {
    HOST: "127.0.0.1",
    PORT: "0",
    PUBLIC_URL: "http://localhost:3000",
    DATABASE_URL: scene.db.url,
    KUBECONFIG: join(scene.directory, "kubeconfig"),
    ROOT_DOMAIN: "spokes.example.org",
    SCHEDULER: "off",
  };
});
test.after(async ({ db, newer, simulator, taken, directory, letGo }) => {
  letGo();
  await new Promise((resolve) => taken.close(resolve));
  await simulator.close();
  await Promise.all([db.close(), newer.close()]);
  await rm(directory, { recursive: true });
});

/** Returns the output without log entries, and without the help after a usage error. */
function sentencesOf(lines: readonly string[]): string[] {
  const sentences = lines.filter((line) => !line.startsWith("{"));
  const end = sentences.indexOf("");
  return end < 0 ? sentences : sentences.slice(0, end);
}

/** Runs a few processes at the same time, because most of the time is waiting. */
test.before(async (scene) => {
  const left = [...CASES];
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift()) {
      const own = { DATA_DIR: join(scene.directory, `data-${left.length}`) };
      const program = startProgram(next.line.split(" "), { ...scene.env, ...own, ...next.env(scene) });
      scene.outcomes.set(next, { status: await program.ended, lines: program.lines });
    }
  };
  await Promise.all([work(), work(), work()]);
});

for (const each of CASES) {
  test(`are reported in a sentence: ${each.what}`, ({ outcomes }) => {
    const { status, lines } = outcomes.get(each)!;
    assert.is(status, each.status, lines.join("\n"));
    const sentences = sentencesOf(lines);
    assert.match(sentences.join("\n"), each.said);
    assert.ok(sentences.length <= 2, sentences.join("\n"));
    for (const line of lines) assert.not.match(line, RAW);
    assert.not.match(lines.join("\n"), SECRET);
  });
}

test("include waiting for a database that does not answer", async ({ env }) => {
  const program = startProgram(["serve"], { ...env, DATABASE_URL: `postgres://me:${SECRET}@127.0.0.1:1/none` });
  assert.match(await program.said(/Waiting for the database/), /"warn".*"reason":"connection refused"/);
  await program.stop();
  for (const line of program.lines) assert.not.match(line, RAW);
  assert.not.match(program.lines.join("\n"), SECRET);
});

test.run();
