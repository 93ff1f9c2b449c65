/** Tests many hubs at the same time: `npm run bench -- scale [hubs] [spokes each]`. The defaults are 20 and 20.
 *
 * Runs `simulate` and `serve` as separate processes and creates everything at the same time. Then checks the
 * guarantees: all spokes are active, the log has nothing above info, and the memory of the control plane does not grow
 * with the completed work. Prints one line at the end. The exit status reports whether the guarantees hold. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "#lib/dev/embedded.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { signIn, type TestClient } from "#test/support/client.ts";
import { type StartedProgram, startProgram } from "#test/support/program.ts";

const ADMIN = { BOOTSTRAP_ADMIN_EMAIL: "ada@school.example", BOOTSTRAP_ADMIN_PASSWORD: "correct horse battery" };
const GROWTH_ALLOWED = 1.3; // ratio of the last third's median to the middle third's

async function main(hubs: number, spokesEach: number): Promise<boolean> {
  const directory = await mkdtemp(join(tmpdir(), "wheelwright-scale-"));
  const database = await startEmbeddedPostgres({
    directory: join(directory, "postgres"),
    durable: false,
    log: SILENT_LOG,
  });
  const kubeconfig = join(directory, "kubeconfig");
  const cluster = startProgram(["simulate", "--kubeconfig", kubeconfig], { SIMULATOR_DELAY_MS: "0" });
  await cluster.said(/^Simulated cluster/);
  const program = startProgram(["serve"], {
    ...ADMIN,
    HOST: "127.0.0.1",
    PORT: "0",
    DATABASE_URL: database.url,
    KUBECONFIG: kubeconfig,
    PUBLIC_URL: "http://localhost:3000",
    ROOT_DOMAIN: "spokes.example.org",
    LOG_FORMAT: "json",
  });
  try {
    const port = await portOf(program);
    const client = await signIn(
      `http://127.0.0.1:${port}`,
      ADMIN.BOOTSTRAP_ADMIN_EMAIL,
      ADMIN.BOOTSTRAP_ADMIN_PASSWORD,
    );
    return await measure(client, program, hubs, spokesEach);
  } finally {
    await program.stop();
    await cluster.stop();
    await database.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function measure(
  client: TestClient,
  program: StartedProgram,
  hubs: number,
  spokesEach: number,
): Promise<boolean> {
  const began = performance.now();
  await Promise.all(Array.from({ length: hubs }, async (_, i) => {
    await expect(client.send("POST", "/api/federations", { slug: `hub-${i}` }), 201);
    for (let j = 0; j < spokesEach; j++) {
      await expect(client.send("POST", `/api/federations/hub-${i}/spokes`, { slug: `spoke-${j}` }), 201);
    }
  }));
  const memory: number[] = [];
  const timer = setInterval(async () => memory.push(await residentMiB(program.child.pid!)), 250);
  await Promise.all(Array.from({ length: hubs }, (_, i) => untilSettled(client, `hub-${i}`, spokesEach)));
  clearInterval(timer);
  const { body: spokes } = await client.send("GET", "/api/my-spokes");
  const active = spokes.filter((spoke: { state: string }) => spoke.state === "active").length;
  const complaints = program.lines.filter((line) =>
    /"level":"(warn|error)"/.test(line) && !/SMTP_HOST|PUBLIC_URL/.test(line)
  );
  const third = Math.floor(memory.length / 3);
  // Few samples show only the noise of the start.
  const growth = memory.length < 30 ? 1 : median(memory.slice(2 * third)) / median(memory.slice(third, 2 * third));
  const seconds = (performance.now() - began) / 1000;
  for (const line of complaints.slice(0, 20)) console.log(line);
  console.log(
    `${active} of ${hubs * spokesEach} spokes active in ${hubs} hubs, ${(active / seconds).toFixed(1)} a second; ` +
      `${complaints.length} warnings or errors; memory ${Math.round(Math.max(...memory))} MiB at most, ` +
      `last third over middle third ${growth.toFixed(2)}`,
  );
  return active === hubs * spokesEach && complaints.length === 0 && growth <= GROWTH_ALLOWED;
}

/** Follows the hub until each of its spokes is active or failed. */
async function untilSettled(client: TestClient, hub: string, count: number): Promise<void> {
  const ends = new Set<string>();
  for await (const { data } of client.events(hub, 0)) {
    if (data.spokeId && ["active", "failed"].includes(data.state)) ends.add(data.spokeId);
    if (ends.size === count) return;
  }
}

async function expect(answer: Promise<{ status: number; body: unknown }>, status: number): Promise<void> {
  const { status: got, body } = await answer;
  if (got !== status) throw new Error(`Expected ${status}, got ${got}: ${JSON.stringify(body)}`);
}

async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
}

/** Returns the port that the system assigned. */
async function portOf(program: StartedProgram): Promise<number> {
  const line = await program.said(/Listening on/);
  return Number(/Listening on [^"]*:(\d+)/.exec(line)![1]);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

const [hubs = 20, spokesEach = 20] = process.argv.slice(2).map(Number);
process.exitCode = await main(hubs, spokesEach) ? 0 : 1;
