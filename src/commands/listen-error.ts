/** Explains why the program cannot listen on an address, and what to set. */
import { reasonOf } from "#lib/base/errors.ts";
import { CommandError, EX_CONFIG, EX_NOPERM, EX_UNAVAILABLE } from "./command.ts";

type Refusal = readonly [status: number, why: string];

const ELSEWHERE: Refusal = [
  EX_CONFIG,
  "this machine has no such address; set HOST to one that it has, or to 0.0.0.0 for all",
];
const REFUSALS: Readonly<Record<string, Refusal>> = {
  EADDRINUSE: [
    EX_UNAVAILABLE,
    "the port is in use, perhaps by another Wheelwright; stop that, or set PORT to another one",
  ],
  EACCES: [
    EX_NOPERM,
    "this user may not listen on that port; set PORT to one above 1023, and let a proxy have the other",
  ],
  EADDRNOTAVAIL: ELSEWHERE,
  EINVAL: ELSEWHERE, // what Deno reports instead of EADDRNOTAVAIL
  ENOTFOUND: [EX_CONFIG, "host name not found; set HOST to an address of this machine, or to 0.0.0.0 for all"],
};

/** Returns an error with the reason and the remedy. `variable` is the environment variable of the port. */
export function cannotListen(
  { host, port }: { readonly host: string; readonly port: number },
  cause: unknown,
  variable = "PORT",
): CommandError {
  const refusal = REFUSALS[String((cause as { code?: unknown }).code)];
  const [status, why] = refusal ?? [EX_UNAVAILABLE, `${reasonOf(cause)} (see HOST and PORT)`];
  const told = why.replace(/\bPORT\b/, variable);
  return new CommandError(status, `Cannot listen on ${host}:${port}: ${told}`, { cause });
}
