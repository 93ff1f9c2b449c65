/**
 * What keeps a command from its work is told in a sentence or two, with what to do next: never as a stack or a runtime's
 * text. Each row is tried as a process; `what` is told, and nothing was started.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { silent } from "#lib/log.ts";
import { openSimulator, type Simulator } from "#lib/simulator/open.ts";
import { holdDirectory } from "#src/data-directory.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { startProgram } from "#test/support/program.ts";

interface Scene {
  db: TestDatabase;
  newer: TestDatabase;
  simulator: Simulator;
  taken: Server;
  directory: string;
  /** A DATA_DIR that this process holds. */
  held: string;
  letGo: () => void;
  env: Record<string, string>;
  outcomes: Map<Case, { readonly status: number | null; readonly lines: readonly string[] }>;
}

const SECRET = "s3cret-of-the-file";
/** More than our own sentences: a stack, an error's class, a file of the runtime, a code or a word of the system. */
const RAW = /^\s+at |Error:|node:internal|\bE(?!MAIL\b)[A-Z]{4,}\b|os error|errno|PASSWORD=/;

const test = suite<Scene>("a refusal");

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
  scene.outcomes = new Map();
  scene.held = join(scene.directory, "held");
  scene.letGo = await holdDirectory(scene.held);
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

/** What is no entry of the log, and not the help that follows a mistake in the command line. */
function sentencesOf(lines: readonly string[]): string[] {
  const sentences = lines.filter((line) => !line.startsWith("{"));
  const end = sentences.indexOf("");
  return end < 0 ? sentences : sentences.slice(0, end);
}

function changed(url: string, change: Partial<Pick<URL, "password" | "pathname">>): string {
  return Object.assign(new URL(url), change).href;
}

type Row = readonly [what: string, env: (scene: Scene) => Record<string, string>, status: number, said: RegExp];

interface Case {
  readonly what: string;
  readonly line: string;
  readonly env: Row[1];
  readonly status: number;
  readonly said: RegExp;
}

const SERVE: readonly Row[] = [
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

const at = (directory: string, name: string): string => join(directory, name);

/** Nothing is needed but the words of the command line and the variables. */
const OTHERS: readonly (readonly [line: string, env: Row[1], status: number, said: RegExp])[] = [
  [
    "dev",
    ({ directory }) => ({ DATA_DIR: at(directory, "kubeconfig") }),
    78,
    /it is no directory, .*; set DATA_DIR to a directory that this user may write to$/,
  ],
  [
    "dev",
    ({ directory }) => ({ DATA_DIR: at(directory, "kubeconfig/below") }),
    78,
    /^Nothing can be kept in DATA_DIR .*\/below: it is no directory/,
  ],
  [
    "dev",
    () => ({ DATA_DIR: "/proc/wheelwright/below" }),
    78,
    /^Nothing can be kept in DATA_DIR \/proc\/wheelwright\/below: no file can be made there; set/,
  ],
  [
    "dev",
    () => ({ DATA_DIR: "/sys/wheelwright" }),
    78,
    /^Nothing can be kept in DATA_DIR \/sys\/wheelwright: this user has no right to it; set/,
  ],
  ["dev", ({ directory }) => ({ DATA_DIR: at(directory, "x".repeat(300)) }), 78, /: the path is too long; set/],
  [
    "dev",
    ({ held }) => ({ DATA_DIR: held }),
    69,
    new RegExp(
      `^Another Wheelwright, process ${process.pid}, runs on DATA_DIR .*; stop that one, or give this one a DATA_DIR and a PORT`,
    ),
  ],
  [
    "dev",
    ({ taken }) => ({ PORT: String((taken.address() as AddressInfo).port) }),
    69,
    /^Cannot listen on 127\.0\.0\.1:\d+: the port is in use/,
  ],
  [
    "dev",
    () => ({ HOST: "no.such.host.invalid" }),
    78,
    /^Cannot listen on no\.such\.host\.invalid:\d+: there is no such host name; set HOST/,
  ],
  [
    "dev",
    () => ({ PORT: "70000" }),
    78,
    /^wheelwright dev cannot start: 1 variable is not usable:\n {2}PORT must be a whole number from 0 to 65535$/,
  ],
  [
    "dev --kubeconfig /nowhere",
    () => ({}),
    78,
    /^KUBECONFIG cannot be used: Cannot read the kubeconfig file \/nowhere: there is nothing at this path$/,
  ],
  ["dev --kubeconfig", () => ({}), 64, /^--kubeconfig needs a value: /],
  ["dev --kubeconfg=x", () => ({}), 64, /^wheelwright dev has no option --kubeconfg; did you mean --kubeconfig\?$/],
  ["serve --constructor", () => ({}), 64, /^wheelwright serve has no option --constructor$/],
  ["serve now", () => ({}), 64, /^"now" is one word too many$/],
  ["sevre", () => ({}), 64, /^There is no command "sevre"; did you mean serve\?$/],
  ["provision", () => ({}), 64, /^There is no command "provision"$/],
  ["audit verfy", () => ({}), 64, /^There is no wheelwright audit verfy; did you mean verify\?$/],
  ["admin", () => ({}), 64, /^wheelwright admin needs to know what to do: reset-password$/],
  ["doctor --json=yes", () => ({}), 64, /^--json takes no value$/],
  ["simulate --port 80000", () => ({}), 64, /^--port must be a whole number from 0 to 65535$/],
  [
    "simulate --kubeconfig /nowhere/file",
    () => ({}),
    69,
    /^wheelwright simulate cannot go on: there is nothing at this path \(\/nowhere\/file\)$/,
  ],
];

const CASES: readonly Case[] = [
  ...SERVE.map(([what, env, status, said]) => ({ what, line: "serve", env, status, said })),
  ...OTHERS.map(([line, env, status, said]) => ({ what: `${line}: ${said.source}`, line, env, status, said })),
];

/** A few side by side, for most of it is waiting. */
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
  test(`is told in a sentence: ${each.what}`, ({ outcomes }) => {
    const { status, lines } = outcomes.get(each)!;
    assert.is(status, each.status, lines.join("\n"));
    const sentences = sentencesOf(lines);
    assert.match(sentences.join("\n"), each.said);
    assert.ok(sentences.length <= 2, sentences.join("\n"));
    for (const line of lines) assert.not.match(line, RAW);
    assert.not.match(lines.join("\n"), SECRET);
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
