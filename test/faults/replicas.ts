/** Starts replicas as processes, and finds the one that holds a job. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Job } from "#lib/jobs/job.ts";
import { openWorkScene, type WorkScene } from "#test/lib/work/scene.ts";
import { until } from "#test/support/until.ts";

const PROGRAM = fileURLToPath(new URL("./replica.ts", import.meta.url));
const RUN = "deno" in process.versions ? ["run", "--quiet", "-A"] : [];

export interface Process {
  readonly id: string;
  readonly child: ChildProcess;
  readonly lines: string[];
  readonly ended: Promise<unknown>;
  send(signal: NodeJS.Signals): void;
}

export interface FaultScene extends WorkScene {
  start(id: string): Promise<Process>;
  /** The running job of the spoke that is in this step, and who holds it. */
  caught(spokeId: string, step: string): Promise<{ job: Job; holder: Process; other: Process }>;
}

/** Objects take `delayMs` to become ready, so that there is something to interrupt. */
export async function openFaultScene(delayMs: number): Promise<FaultScene> {
  const scene = await openWorkScene(delayMs);
  const directory = await mkdtemp(join(tmpdir(), "wheelwright-faults-"));
  const kubeconfig = join(directory, "kubeconfig");
  await writeFile(kubeconfig, scene.simulator.kubeconfig());
  const processes: Process[] = [];

  async function start(id: string): Promise<Process> {
    const child = spawn(process.execPath, [...RUN, PROGRAM, id, scene.db.url, kubeconfig], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lines: string[] = [];
    createInterface({ input: child.stdout! }).on("line", (line) => lines.push(line));
    const started: Process = {
      id,
      child,
      lines,
      ended: new Promise((resolve) => child.once("close", resolve)),
      send: (signal) => void process.kill(child.pid!, signal), // child.kill() sends but one signal on Deno
    };
    processes.push(started);
    await until(() => lines.includes("ready"), 60_000);
    return started;
  }

  return {
    ...scene,
    start,
    caught: (spokeId, step) =>
      until(async () => {
        const job = (await scene.operations(spokeId)).find(({ state }) => state === "running");
        const holder = processes.find(({ id }) => id === job?.holder);
        const other = processes.find(({ id }) => id !== job?.holder);
        const at = job?.stepNames[job.stepsDone.length];
        return job && holder && other && at === step && { job, holder, other };
      }, 60_000),
    async close() {
      for (const { child, send } of processes) {
        if (child.exitCode === null && child.signalCode === null) send("SIGKILL");
      }
      await Promise.all(processes.map(({ ended }) => ended));
      await scene.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
