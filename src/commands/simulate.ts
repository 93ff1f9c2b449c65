/** Implements `wheelwright simulate`, which runs a simulated cluster that several replicas of `serve` can share. */
import { writeFile } from "node:fs/promises";
import { readProcessConfig } from "#lib/base/config.ts";
import { createLog } from "#lib/base/log.ts";
import { openSimulator } from "#lib/dev/simulator/open.ts";
import { handleStopSignals } from "../stop-signals.ts";
import type { OptionValues } from "../cli/command.ts";
import { createListenError } from "./listen-error.ts";
import type { SIMULATE_OPTIONS } from "./options.ts";
import { UsageError } from "../cli/exit-status.ts";

export async function runSimulate(options: OptionValues<typeof SIMULATE_OPTIONS>): Promise<void> {
  const config = readProcessConfig("dev");
  const port = Number(options.port ?? 0);
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    throw new UsageError("--port must be a whole number from 0 to 65535");
  }
  const log = createLog({ ...config.log, write: (line) => process.stderr.write(line) });
  const record = options.record ? { record: true as const } : {};
  const { simulatorDelayMs: delayMs, simulatorFactor: measured } = config;
  const simulator = await openSimulator({ port, delayMs, measured, log, ...record }).catch((cause) => {
    throw createListenError({ host: "127.0.0.1", port }, cause);
  });
  try {
    if (options.kubeconfig) await writeFile(options.kubeconfig, simulator.kubeconfig());
    process.stdout.write(`Simulated cluster on ${simulator.url}\n`);
    await handleStopSignals().signalName;
  } finally {
    await simulator.close();
  }
}
