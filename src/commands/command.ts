/** What a command is: how it is called, and what runs. Its modules are loaded only when it is asked for. */
import type { ParseArgsOptionDescriptor } from "node:util";

export interface Command {
  readonly name: string;
  readonly summary: string;
  /** What follows the name, for the help: `[--port N]`. */
  readonly usage: string;
  readonly options: Readonly<Record<string, ParseArgsOptionDescriptor & { readonly help: string }>>;
  /** How many words may follow besides options. */
  readonly words: number;
  /** What the first of these words may be; anything when absent. */
  readonly first?: readonly string[];
  readonly load: () => Promise<(given: Given) => Promise<void>>;
}

export interface Given {
  /** By name; of an option that may be repeated (`multiple`) all that were given. */
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  readonly words: readonly string[];
}

/** What keeps a command from doing its work, told in one sentence without a stack; `status` as in sysexits.h. */
export class CommandError extends Error {
  readonly status: number;
  constructor(status: number, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.name = "CommandError";
    this.status = status;
  }
}

export const EX_USAGE = 64, EX_DATA = 65, EX_UNAVAILABLE = 69, EX_SOFTWARE = 70, EX_NOPERM = 77, EX_CONFIG = 78;
/** Not of sysexits.h, but what shells make of Ctrl-C. */
export const EX_INTERRUPTED = 130;
