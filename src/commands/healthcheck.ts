/**
 * `wheelwright healthcheck`: whether the replica on this machine is ready, for images in which there is nothing else to
 * ask with.
 */
import { readProcessConfig } from "#lib/base/config.ts";
import { messageOf } from "#lib/base/errors.ts";
import { SECOND } from "#lib/base/time.ts";
import { CommandError } from "./command.ts";

const PATIENCE = 5 * SECOND;
const UNHEALTHY = 1; // what container engines take for it

export async function healthcheck(): Promise<void> {
  const { host, port } = readProcessConfig("any"); // the address alone matters, so nothing else needs to be there
  const url = readinessUrl(host, port);
  const reply = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(PATIENCE) }).catch((cause) => {
    throw new CommandError(UNHEALTHY, `Not ready: ${url} does not answer: ${messageOf(cause.cause ?? cause)}`, {
      cause,
    });
  });
  const said = (await reply.text().catch(messageOf)).slice(0, 1000);
  if (!reply.ok) throw new CommandError(UNHEALTHY, `Not ready: ${reply.status} ${said}`);
  process.stdout.write("Ready\n");
}

/** Where to ask a server that listens on this address; every address is no address to call. */
export function readinessUrl(host: string, port: number): string {
  const one = { "0.0.0.0": "127.0.0.1", "::": "::1" }[host] ?? host;
  return `http://${one.includes(":") ? `[${one}]` : one}:${port}/api/readyz`;
}
