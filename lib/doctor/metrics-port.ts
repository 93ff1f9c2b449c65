/** Checks whether METRICS_PORT is free, by listening on the port briefly. */
import { createServer } from "node:net";
import type { Config } from "#lib/base/config.ts";
import { createFailure, createPass, createWarning, type Finding } from "#lib/doctor/finding.ts";
import { readErrorMessage, type TimedRead } from "#lib/doctor/timed-read.ts";

const CHECK = "metrics";

/** Checks that METRICS_PORT, if set, is free. Accepts a port that a running Wheelwright uses for its metrics. */
export async function checkMetricsPort({ host, metricsPort }: Config, timedRead: TimedRead): Promise<Finding[]> {
  if (metricsPort === null) return [];
  const address = `${host}:${metricsPort}`, error = await tryToListen(host, metricsPort);
  if (error === null) {
    return [createPass(CHECK, `${address} is free; anyone who can reach it can read the metrics`)];
  }
  const hint = "Set METRICS_PORT to a free port, or remove it.";
  const problem = `cannot listen on ${address}: ${readErrorMessage(error)}`;
  if ((error as { code?: unknown }).code !== "EADDRINUSE") return [createFailure(CHECK, problem, hint)];
  const isOwnPort = await timedRead((signal) => servesOwnMetrics(host, metricsPort, signal));
  if ("value" in isOwnPort && isOwnPort.value) {
    return [createPass(CHECK, `${address} already serves the metrics of Wheelwright`)];
  }
  return [createWarning(CHECK, problem, hint)]; // serve may run on another machine
}

function tryToListen(host: string, port: number): Promise<Error | null> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", resolve);
    probe.listen(port, host, () => probe.close(() => resolve(null)));
  });
}

async function servesOwnMetrics(host: string, port: number, signal: AbortSignal): Promise<boolean> {
  const name = ["0.0.0.0", "::"].includes(host) ? "localhost" : host;
  const reply = await fetch(`http://${name.includes(":") ? `[${name}]` : name}:${port}/metrics`, { signal });
  return (await reply.text()).includes("wheelwright_build_info");
}
