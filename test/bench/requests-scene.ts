/**
 * A database of the bench's own, and on it the contenders as processes of their own: our program as `serve` runs it, with
 * its work switched off, and the peers in peers/.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, openSync, rmSync } from "node:fs";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { silent } from "#lib/base/log.ts";
import { openSimulator } from "#lib/dev/simulator/open.ts";
import { findPostmaster } from "#test/bench/processor.ts";
import type { Contest } from "#test/bench/requests-report.ts";
import { fill, type Model, type Place } from "#test/bench/requests-fill.ts";
import { withToken } from "#test/support/client.ts";
import { openTestDatabase } from "#test/support/database.ts";
import { makePerson, makeToken } from "#test/support/people.ts";
import { connect, makeTemplate, openOwnServer } from "#test/support/server.ts";
import { until } from "#test/support/until.ts";

export type Name = keyof Contest;

export interface Contender {
  readonly name: Name;
  readonly pid: number;
  readonly port: number;
}

export interface Scene {
  readonly contenders: readonly Contender[];
  readonly places: readonly Place[];
  /** The process id of the PostgreSQL server. */
  readonly postmaster: number;
  /** Runs a statement on the database. */
  run(statement: string): Promise<void>;
  close(): Promise<void>;
}

const HERE = fileURLToPath(new URL("./", import.meta.url)), PEERS = join(HERE, "peers");
const POOL = "10"; // connections to the database of each contender
const PATIENCE = 60_000;

/** `profile` is a directory into which our program writes a profile of its processor time when it ends. */
export async function openScene(profile?: string): Promise<Scene> {
  if (!existsSync(join(PEERS, "node_modules"))) execFileSync("npm", ["ci"], { cwd: PEERS, stdio: "inherit" });
  // A signal alone would end this process without its "exit", in which the servers are ended.
  for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
    process.once(signal, () => process.exit(code));
  }
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const one of closers.splice(0).reverse()) await one();
  };
  try {
    const server = await openOwnServer();
    closers.push(() => server.stop());
    const db = await openTestDatabase({}, { url: server.url, template: await makeTemplate(server.url) });
    closers.push(() => db.close());
    const simulator = await openSimulator({ delayMs: 0, log: silent });
    closers.push(() => simulator.close());
    const directory = await mkdtemp(join(tmpdir(), "wheelwright-requests-"));
    process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
    const kubeconfig = join(directory, "kubeconfig");
    await writeFile(kubeconfig, simulator.kubeconfig());

    const start = async (name: Name, line: readonly string[], env: Readonly<Record<string, string>>) => {
      const { contender, stop } = await startContender(name, line, { ...env, DATABASE_URL: db.url }, directory);
      closers.push(stop);
      return contender;
    };
    const program = [...(profile ? ["--cpu-prof", `--cpu-prof-dir=${profile}`] : []), join(HERE, "../../src/main.ts")];
    const ours = await start("wheelwright", [...program, "serve"], {
      HOST: "127.0.0.1",
      PORT: "0",
      PUBLIC_URL: "http://localhost:3000",
      DATABASE_POOL: POOL,
      KUBECONFIG: kubeconfig,
      ROOT_DOMAIN: "spokes.example.org",
      LOG_FORMAT: "json",
      SCHEDULER: "off",
    });
    const operator = await makeToken(db, await makePerson(db, "operator", { operator: true }), "cli");
    const sql = connect(db.url, 1);
    const places = await fill(db, sql, await makeModel(ours.port, operator.plaintext));
    await sql.end({ timeout: 1 });
    const bare = await start("bare", [join(PEERS, "bare.ts")], { POOL });
    const fastify = await start("fastify", [join(PEERS, "fastify.ts")], { POOL });
    const run = async (statement: string) => void await db.sql(statement);
    const postmaster = await findPostmaster(server.directory);
    return { contenders: [ours, bare, fastify], places, postmaster, run, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A hub and a spoke as the program makes them. */
async function makeModel(port: number, token: string): Promise<Model> {
  const client = withToken(`http://127.0.0.1:${port}`, token);
  const hub = await client.send("POST", "/api/federations", { slug: "model", name: "Model" });
  const spoke = await client.send("POST", `/api/federations/${hub.body.id}/spokes`, { slug: "model", size: "small" });
  if (spoke.status !== 201) throw new Error(`No spoke could be made: ${JSON.stringify(spoke.body)}`);
  return { hub: hub.body.id, spoke: spoke.body.id };
}

/** Its output goes to a file, so that nothing has to read it while others are measured. */
async function startContender(
  name: Name,
  line: readonly string[],
  env: Readonly<Record<string, string>>,
  directory: string,
): Promise<{ readonly contender: Contender; stop(): Promise<void> }> {
  const path = join(directory, `${name}.log`), output = openSync(path, "w"), { PATH, HOME } = process.env;
  const child = spawn(process.execPath, line, { env: { PATH, HOME, ...env }, stdio: ["ignore", output, output] });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const end = () => void child.kill("SIGKILL");
  process.once("exit", end);
  const stop = async () => {
    process.off("exit", end);
    child.kill("SIGTERM");
    await ended;
  };
  try {
    const port = await until(() => portSaid(child, path), PATIENCE);
    return { contender: { name, pid: child.pid!, port }, stop };
  } catch (error) {
    end();
    throw error;
  }
}

async function portSaid(child: ChildProcess, path: string): Promise<number | null> {
  const said = await readFile(path, "utf8"), [, port] = /Listening on 127\.0\.0\.1:(\d+)/.exec(said) ?? [];
  if (child.exitCode !== null) throw new Error(`It ended before it listened:\n${said}`);
  return port === undefined ? null : Number(port);
}
