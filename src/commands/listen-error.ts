/** Explains why the program cannot listen on an address, and which setting to change. */
import { getErrorReason } from "#lib/base/errors.ts";
import { CommandError, EXIT } from "../cli/exit-status.ts";

type ListenFailure = readonly [status: number, why: string];

const WRONG_ADDRESS: ListenFailure = [
  EXIT.config,
  "this machine does not have that address. Set HOST to an address of this machine, or to 0.0.0.0 for all addresses",
];
const LISTEN_FAILURES: Readonly<Record<string, ListenFailure>> = {
  EADDRINUSE: [
    EXIT.unavailable,
    "the port is in use. Stop the other program, or set PORT to another port",
  ],
  EACCES: [
    EXIT.noPermission,
    "this user may not use that port. Set PORT to a port above 1023, and use a proxy",
  ],
  EADDRNOTAVAIL: WRONG_ADDRESS,
  EINVAL: WRONG_ADDRESS, // Deno reports EINVAL instead of EADDRNOTAVAIL
  ENOTFOUND: [EXIT.config, "host name not found. Set HOST to an address of this machine, or to 0.0.0.0"],
};

/** Returns an error that gives the reason and a remedy. `variable` is the environment variable that sets the port. */
export function createListenError(
  { host, port }: { readonly host: string; readonly port: number },
  cause: unknown,
  variable = "PORT",
): CommandError {
  const refusal = LISTEN_FAILURES[String((cause as { code?: unknown }).code)];
  const [status, why] = refusal ?? [EXIT.unavailable, `${getErrorReason(cause)} (see HOST and PORT)`];
  const reason = why.replace(/\bPORT\b/, variable);
  return new CommandError(status, `Cannot listen on ${host}:${port}: ${reason}`, { cause });
}
