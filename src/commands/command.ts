/** What a command is: its name, its flags, what the help says, and what runs. */
import type { ParseArgsOptionDescriptor } from "node:util";

type Flags = Readonly<Record<string, ParseArgsOptionDescriptor & { readonly help: string }>>;

/** What was given of the flags; of one that may be repeated (`multiple`), all. */
type Values<F extends Flags> = {
  readonly [name in keyof F]?: F[name] extends { readonly type: "boolean" } ? boolean
    : F[name] extends { readonly multiple: true } ? readonly string[]
    : string;
};

export interface Given<Options = object> {
  readonly options: Options;
  readonly words: readonly string[];
}

interface Declared<F extends Flags> {
  readonly name: string;
  readonly summary: string;
  /** What may follow the name, for the help, one way a line: `[--port N]`. */
  readonly usage?: readonly string[];
  readonly options?: F;
  /** How many words may follow besides options. */
  readonly words?: number;
  /** What the first of these words may be; anything when absent. */
  readonly first?: readonly string[];
  /** Its modules are loaded only when it is asked for. */
  readonly load: () => Promise<(given: Given<Values<F>>) => Promise<void>>;
}

export type Command = ReturnType<typeof command>;

/** A command as it is declared, with what it need not say. */
export function command<const F extends Flags = Record<never, never>>(declared: Declared<F>) {
  const { usage = [""], words = 0, load, first, name, summary } = declared, options: Flags = declared.options ?? {};
  const run = async (given: Given) => await (await load())(given as Given<Values<F>>);
  return { name, summary, usage, options, words, first, run };
}

/** What keeps a command from doing its work, told in one sentence without a stack; `status` as in sysexits.h, or of src/cli. */
export class CommandError extends Error {
  readonly status: number;
  constructor(status: number, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.name = "CommandError";
    this.status = status;
  }
}

/** A line that is not right. sysexits.h has 64; like most programs, all commands here end with 2. */
export const EX_USAGE = 2;
export const EX_DATA = 65, EX_UNAVAILABLE = 69, EX_SOFTWARE = 70, EX_NOPERM = 77, EX_CONFIG = 78;
/** Not of sysexits.h, but what shells make of Ctrl-C. */
export const EX_INTERRUPTED = 130;
