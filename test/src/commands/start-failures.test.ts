/** What keeps `serve` from starting is told in a sentence or two, with what to do next: never as a stack or a runtime's text. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { silent } from "#lib/log.ts";
import { openSimulator, type Simulator } from "#lib/simulator/open.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { type Started, startProgram } from "#test/support/program.ts";

interface Scene {
  db: TestDatabase;
  newer: TestDatabase;
  simulator: Simulator;
  taken: Server;
  directory: string;
  env: Record<string, string>;
}

const SECRET = "s3cret-of-the-file";
/** More than our own sentences: a stack, an error's class, a file of the runtime, a code or a word of the system. */
const RAW = /^\s+at |Error:|node:internal|\bE[A-Z]{4,}\b|os error|errno|PASSWORD=/;

const test = suite<Scene>("a start that fails");

test.before(async (scene) => {
  scene.db = await openTestDatabase();
  scene.newer = await openTestDatabase();
  await scene.newer.sql("insert into migrations (name, checksum) values ('9999_later', 'x')");
  scene.simulator = await openSimulator({ delayMs: 0, log: silent });
  scene.taken = createServer();
  await new Promise<void>((resolve) => scene.taken.listen(0, "127.0.0.1", resolve));
  scene.directory = await mkdtemp(join(tmpdir(), "wheelwright-start-"));
  const write = (name: string, text: string) => writeFile(join(scene.directory, name), text);
  await write("kubeconfig", scene.simulator.kubeconfig());
  await write("no-yaml", `users: [{ name: me, user: { token: ${SECRET}: x\n  - }`);
  await write("no-catalog", "regions: north: x");
  await mkdir(join(scene.directory, "folder"));
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
test.after(async ({ db, newer, simulator, taken, directory }) => {
  await new Promise((resolve) => taken.close(resolve));
  await simulator.close();
  await Promise.all([db.close(), newer.close()]);
  await rm(directory, { recursive: true });
});

/** What is no entry of the log. */
function sentencesOf({ lines }: Started): string[] {
  return lines.filter((line) => !line.startsWith("{"));
}

function changed(url: string, change: Partial<Pick<URL, "password" | "pathname">>): string {
  return Object.assign(new URL(url), change).href;
}

type Row = readonly [what: string, env: (scene: Scene) => Record<string, string>, status: number, said: RegExp];

const TABLE: readonly Row[] = [
  [
    "a wrong password of the database",
    ({ db }) => ({ DATABASE_URL: changed(db.url, { password: SECRET }) }),
    78,
    /^The database refuses us \(see DATABASE_URL or the POSTGRES_ variables\): password authentication failed/,
  ],
  [
    "a database that the server does not have",
    ({ db }) => ({ DATABASE_URL: changed(db.url, { pathname: "/nowhere" }) }),
    78,
    /^The database refuses us \(see DATABASE_URL or .*"nowhere" does not exist$/,
  ],
  [
    "a database of a newer release",
    ({ newer }) => ({ DATABASE_URL: newer.url }),
    78,
    /^The database is newer than this program: .*9999_later.*; run the newer release$/,
  ],
  [
    "a port that is in use",
    ({ taken }) => ({ PORT: String((taken.address() as AddressInfo).port) }),
    69,
    /^Cannot listen on 127\.0\.0\.1:\d+: the port is in use, .*set PORT to another one$/,
  ],
  [
    "an address of another machine",
    () => ({ HOST: "192.0.2.7" }),
    78,
    /^Cannot listen on 192\.0\.2\.7:0: this machine has no such address; set HOST to /,
  ],
  [
    "a kubeconfig that is not there",
    ({ directory }) => ({ KUBECONFIG: join(directory, "none") }),
    78,
    /^KUBECONFIG cannot be used: Cannot read the kubeconfig file .*\/none: there is nothing at this path$/,
  ],
  [
    "a kubeconfig that is no YAML, of which nothing is shown",
    ({ directory }) => ({ KUBECONFIG: join(directory, "no-yaml") }),
    78,
    /^KUBECONFIG cannot be used: Cannot read the kubeconfig file .*\/no-yaml: .* at line \d+, column \d+$/,
  ],
  [
    "a kubeconfig that is a directory",
    ({ directory }) => ({ KUBECONFIG: join(directory, "folder") }),
    78,
    /^KUBECONFIG cannot be used: Cannot read the kubeconfig file .*\/folder: it is a directory$/,
  ],
  [
    "a catalogue that is no YAML",
    ({ directory }) => ({ CATALOG: join(directory, "no-catalog") }),
    78,
    /^wheelwright serve cannot start: .*\n {2}CATALOG.* at line \d+, column \d+$/,
  ],
  [
    "a directory of blueprints that is not there",
    ({ directory }) => ({ BLUEPRINT_DIR: join(directory, "none") }),
    78,
    /^wheelwright serve cannot start: .*\n {2}BLUEPRINT_DIR .*cannot be read: there is nothing at this path$/,
  ],
  [
    "a file for a variable that is not there",
    ({ directory }) => ({ PUBLIC_URL: "", PUBLIC_URL_FILE: join(directory, "none") }),
    78,
    /^wheelwright serve cannot start: .*\n {2}PUBLIC_URL_FILE names a file .*: there is nothing at this path$/,
  ],
];

for (const [what, env, status, said] of TABLE) {
  test(`is told in a sentence: ${what}`, async (scene) => {
    const program = startProgram(["serve"], { ...scene.env, ...env(scene) });
    assert.is(await program.ended, status, program.lines.join("\n"));
    const sentences = sentencesOf(program);
    assert.match(sentences.join("\n"), said);
    assert.ok(sentences.length <= 2, sentences.join("\n"));
    for (const line of program.lines) assert.not.match(line, RAW);
    assert.not.match(program.lines.join("\n"), SECRET);
  });
}

test("waits for a database that nobody answers for, and says so in words", async ({ env }) => {
  const program = startProgram(["serve"], { ...env, DATABASE_URL: `postgres://me:${SECRET}@127.0.0.1:1/none` });
  assert.match(await program.said(/Waiting for the database/), /"warn".*"reason":"nothing listens there"/);
  await program.stop();
  for (const line of program.lines) assert.not.match(line, RAW);
  assert.not.match(program.lines.join("\n"), SECRET);
});

test.run();
