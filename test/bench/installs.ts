/** Measures installs and starts: `npm run bench -- installs [--installs N] [--starts N] [--json FILE]
 * [--profile DIRECTORY]`. The defaults are 20 installs and 7 starts.
 *
 * `simulate` without delays and `serve` run as separate processes, and spokes are installed one after another. So the
 * CPU time is that of our program alone, including its periodic tasks. Calls to the cluster and statements to the
 * database are counted. Starts are measured from the spawn to the first response of healthz (also of the executable, if
 * `npm run build` created one) and to the greeting of `npm start`, on a new and on a used directory. Prints the median, minimum and maximum. `--profile` makes `serve`
 * write a CPU profile. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import postgres from "postgres";
import { SECOND, sleep } from "#lib/base/time.ts";
import { formatSpread, renderTable, spreadOf } from "#test/bench/statistics.ts";
import type { BenchmarkResults, Figure } from "#test/bench/summary.ts";
import { readCpuTime } from "#test/bench/processor.ts";
import { openKubeProxy } from "#test/lib/doctor/kube-proxy.ts";
import { openClusterProcess } from "#test/support/bench/cluster.ts";
import { signIn, type TestClient } from "#test/support/client.ts";
import { openSeparatePostgresServer, type SeparatePostgresServer } from "#test/support/server.ts";
import { startProgram } from "#test/support/program.ts";

const ADMIN = { BOOTSTRAP_ADMIN_EMAIL: "ada@school.example", BOOTSTRAP_ADMIN_PASSWORD: "correct horse battery" };
/** The most milliseconds of CPU time for an installation, and seconds until the first response of `serve`. */
const INSTALL_GOAL = 100, START_GOAL = 0.6;
const WARM_UP = 3; // installs after which the code is compiled

const fileOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
/** How people start `serve`: from a checkout, and in a container. */
const STARTED_FILES: readonly (readonly [name: string, line: readonly [string, ...string[]]])[] = [
  ["serve", [process.execPath, fileOf("src/wheelwright.js"), "serve"]],
  ["dist/wheelwright serve", [fileOf("dist/wheelwright"), "serve"]],
];

interface Started {
  readonly child: ChildProcess;
  stop(): Promise<unknown>;
}

interface Options {
  readonly installs: number;
  readonly starts: number;
  readonly profile: string | undefined;
  readonly json: string | undefined;
}

async function main({ installs, starts, profile, json }: Options): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "wheelwright-installs-"));
  const server = await openSeparatePostgresServer(), cluster = await openClusterProcess(directory, 0);
  const between = await openKubeProxy(cluster.url), kubeconfig = join(directory, "kubeconfig-between");
  await writeFile(kubeconfig, between.kubeconfig());
  const env = {
    ...ADMIN,
    HOST: "127.0.0.1",
    PORT: "0",
    DATABASE_URL: server.url,
    KUBECONFIG: kubeconfig,
    PUBLIC_URL: "http://localhost:3000",
    ROOT_DOMAIN: "spokes.example.org",
    LOG_FORMAT: "json",
  };
  try {
    const counts = { calls: () => between.requests.length, statements: () => countStatements(server) };
    const figures = [
      ...await measureInstalls(env, profile, installs, counts),
      ...await measureServe(env, starts),
      ...await measureDev(directory, starts),
    ];
    if (json) await writeFile(json, JSON.stringify({ figures } satisfies BenchmarkResults, null, 1));
  } finally {
    await between.close();
    await cluster.close();
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

interface Counts {
  calls(): number;
  statements(): Promise<number>;
}

type Env = Readonly<Record<string, string>>;

async function measureInstalls(
  env: Env,
  profile: string | undefined,
  count: number,
  counts: Counts,
): Promise<readonly Figure[]> {
  if (count === 0) return [];
  const program = startProgram(["serve"], {
    ...env,
    ...(profile && { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profile}` }),
  });
  const [, port] = /Listening on [^"]*:(\d+)/.exec(await program.said(/Listening on/))!;
  const client = await signIn(`http://127.0.0.1:${port}`, ADMIN.BOOTSTRAP_ADMIN_EMAIL, ADMIN.BOOTSTRAP_ADMIN_PASSWORD);
  await logStatements(env["DATABASE_URL"]!);
  const { body: hub } = await client.send("POST", "/api/federations", { slug: "north" });
  const used: Record<string, number[]> = { processor: [], seconds: [], calls: [], statements: [] };
  const read = async () => [
    await readCpuTime(program.child.pid!),
    performance.now() / SECOND,
    counts.calls(),
    await counts.statements(),
  ];
  for (let i = -WARM_UP, heard = 0; i < count; i++) {
    const before = await read();
    heard = await install(client, hub.id, { slug: `spoke-${i + WARM_UP}`, heard });
    const after = await read();
    if (i >= 0) Object.values(used).forEach((list, kind) => list.push(after[kind]! - before[kind]!));
  }
  await program.stop();
  const [processor, seconds, calls, statements] = Object.values(used).map((list) => formatSpread(spreadOf(list)));
  const mean = used["processor"]!.reduce((sum, one) => sum + one, 0) / count;
  console.log(renderTable([
    [`${count} installs`, "each"],
    ["processor, ms", processor!],
    ["processor, ms, mean", mean.toFixed(1)],
    ["seconds", seconds!],
    ["calls to the cluster", calls!],
    ["statements", statements!],
  ]));
  return [{
    name: "An installation: CPU time of the server",
    unit: "ms",
    values: used["processor"]!,
    goal: INSTALL_GOAL,
  }];
}

/** Creates a spoke and follows events after number `heard`. Returns the number of the event that ends the install. */
async function install(
  client: TestClient,
  hub: string,
  { slug, heard }: { slug: string; heard: number },
): Promise<number> {
  const { body: spoke } = await client.send("POST", `/api/federations/${hub}/spokes`, { slug });
  for await (const { id, data } of client.events(hub, heard)) {
    if (data.spokeId !== spoke.id || !["active", "failed"].includes(data.state)) continue;
    if (data.state === "active") return id;
    throw new Error(`The install failed: ${JSON.stringify(data)}`);
  }
  throw new Error("The stream has ended");
}

/** Logs the statements of all connections that are opened from now on. */
async function logStatements(url: string): Promise<void> {
  const sql = postgres(url, { max: 1 });
  await sql`alter system set log_statement = 'all'`;
  await sql`select pg_reload_conf()`;
  await sql.end();
}

async function countStatements({ directory }: SeparatePostgresServer): Promise<number> {
  return (await readFile(join(directory, "server.log"), "utf8")).match(/LOG: {2}(?:statement|execute)/g)?.length ?? 0;
}

async function measureServe(env: Env, count: number): Promise<readonly Figure[]> {
  const port = 20_000 + process.pid % 10_000;
  const healthy = () => fetch(`http://127.0.0.1:${port}/api/healthz`).then((reply) => reply.ok, () => false),
    figures = [];
  for (const [name, [file, ...line]] of STARTED_FILES) {
    const times = existsSync(file) ? count : 0;
    figures.push(
      ...await measureStarts(`\`${name}\` until its first response`, times, START_GOAL, async () => {
        const { PATH, HOME } = process.env;
        const child = spawn(file, line, { env: { PATH, HOME, ...env, PORT: String(port) }, stdio: "ignore" });
        while (!await healthy()) await sleep(2);
        const stop = () => new Promise((resolve) => child.once("close", resolve).kill());
        return { child, stop };
      }),
    );
  }
  return figures;
}

async function measureDev(directory: string, count: number): Promise<readonly Figure[]> {
  let turn = 0;
  const start = (dataDir: () => string) => async () => {
    const program = startProgram(["dev"], { PORT: "0", DATA_DIR: dataDir() });
    await program.said(/^Listening on/);
    return program;
  };
  return [
    ...await measureStarts("first `npm start`", count, undefined, start(() => join(directory, `dev-${turn++}`))),
    ...await measureStarts("later `npm start`", count, undefined, start(() => join(directory, "dev-0"))),
  ];
}

async function measureStarts(
  name: string,
  count: number,
  goal: number | undefined,
  start: () => Promise<Started>,
): Promise<readonly Figure[]> {
  const seconds: number[] = [], processor: number[] = [];
  for (let i = 0; i < count; i++) {
    const began = performance.now(), program = await start();
    seconds.push((performance.now() - began) / SECOND);
    processor.push(await readCpuTime(program.child.pid!) / SECOND);
    await program.stop();
  }
  if (count === 0) return [];
  console.log(`${name}: ${formatSpread(spreadOf(seconds))} s, CPU ${formatSpread(spreadOf(processor))} s`);
  return [{ name: `${name}: CPU time`, unit: "s", values: processor, ...(goal !== undefined && { goal }) }];
}

const { values } = parseArgs({
  options: {
    installs: { type: "string" },
    starts: { type: "string" },
    json: { type: "string" },
    profile: { type: "string" },
  },
});
await main({
  installs: Number(values.installs ?? 20),
  starts: Number(values.starts ?? 7),
  profile: values.profile,
  json: values.json,
});
