/** Checks whether METRICS_PORT is free, by listening on it for a moment. */
import { createServer } from "node:net";
import type { Config } from "#lib/base/config.ts";
import { failing, type Finding, passing, warning } from "#lib/doctor/finding.ts";
import { readErrorMessage, type TimedRead } from "#lib/doctor/timed-read.ts";

const CHECK = "metrics";

/** Checks the port. Returns no finding if metrics are off. An occupied port may belong to a running `serve`. */
export async function checkMetricsPort({ host, metricsPort }: Config, timedRead: TimedRead): Promise<Finding[]> {
  if (metricsPort === null) return [];
  const place = `${host}:${metricsPort}`, trouble = await tryToListen(host, metricsPort);
  if (trouble === null) return [passing(CHECK, `${place} is free for METRICS_PORT; whoever reaches it reads them`)];
  const hint = "Set METRICS_PORT to a port that is free, or leave it out.";
  const problem = `${place} cannot be listened on: ${readErrorMessage(trouble)}`;
  if ((trouble as { code?: unknown }).code !== "EADDRINUSE") return [failing(CHECK, problem, hint)];
  const found = await timedRead((signal) => isOurs(host, metricsPort, signal));
  if ("seen" in found && found.seen) return [passing(CHECK, `${place} serves metrics of Wheelwright already`)];
  return [warning(CHECK, problem, hint)]; // serve may run on another machine
}

function tryToListen(host: string, port: number): Promise<Error | null> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", resolve);
    probe.listen(port, host, () => probe.close(() => resolve(null)));
  });
}

async function isOurs(host: string, port: number, signal: AbortSignal): Promise<boolean> {
  const name = ["0.0.0.0", "::"].includes(host) ? "localhost" : host;
  const reply = await fetch(`http://${name.includes(":") ? `[${name}]` : name}:${port}/metrics`, { signal });
  return (await reply.text()).includes("wheelwright_build_info");
}
