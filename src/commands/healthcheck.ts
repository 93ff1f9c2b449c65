/**
 * Implements `wheelwright healthcheck`, which checks whether the replica on this machine is ready. Container images use
 * this command because they contain no HTTP client.
 */
import { readProcessConfig } from "#lib/base/config.ts";
import { getErrorMessage } from "#lib/base/errors.ts";
import { SECOND } from "#lib/base/time.ts";
import { CommandError, EXIT } from "../cli/exit-status.ts";

const RESPONSE_TIMEOUT = 5 * SECOND;

export async function runHealthcheck(): Promise<void> {
  const { host, port } = readProcessConfig("any"); // other variables may be missing, because only the address is used
  const url = formatReadinessUrl(host, port);
  const signal = AbortSignal.timeout(RESPONSE_TIMEOUT);
  const reply = await fetch(url, { redirect: "error", signal }).catch((cause) => {
    const reason = getErrorMessage(cause.cause ?? cause);
    throw new CommandError(EXIT.failed, `Not ready: ${url} does not respond: ${reason}`, { cause });
  });
  const body = (await reply.text().catch(getErrorMessage)).slice(0, 1000);
  if (!reply.ok) throw new CommandError(EXIT.failed, `Not ready: ${reply.status} ${body}`);
  process.stdout.write("Ready\n");
}

/** Returns the readiness URL for a server that listens on this address. Replaces a wildcard address with loopback. */
export function formatReadinessUrl(host: string, port: number): string {
  const address = { "0.0.0.0": "127.0.0.1", "::": "::1" }[host] ?? host;
  return `http://${address.includes(":") ? `[${address}]` : address}:${port}/api/readyz`;
}
