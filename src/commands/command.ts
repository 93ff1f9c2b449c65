/** Defines a command: its name, its options, its help and its function. */
import type { ParseArgsOptionDescriptor } from "node:util";

type Flags = Readonly<Record<string, ParseArgsOptionDescriptor & { readonly help: string }>>;

/** The values of the options in a command line. An option with `multiple` has an array of values. */
type Values<F extends Flags> = {
  readonly [name in keyof F]?: F[name] extends { readonly type: "boolean" } ? boolean
    : F[name] extends { readonly multiple: true } ? readonly string[]
    : string;
};

export interface CommandArguments<Options = object> {
  readonly options: Options;
  readonly words: readonly string[];
}

interface CommandDeclaration<F extends Flags> {
  readonly name: string;
  readonly summary: string;
  /** The arguments for the help, one form per line: `[--port N]`. */
  readonly usage?: readonly string[];
  readonly options?: F;
  /** The maximum number of arguments that are not options. */
  readonly words?: number;
  /** The allowed values of the first argument. If absent, any value is allowed. */
  readonly first?: readonly string[];
  /** Imports the command's modules, only when the command runs. */
  readonly load: () => Promise<(args: CommandArguments<Values<F>>) => Promise<void>>;
}

export type Command = ReturnType<typeof defineCommand>;

/** Returns a command from its declaration, with defaults for the omitted fields. */
export function defineCommand<const F extends Flags = Record<never, never>>(declared: CommandDeclaration<F>) {
  const { usage = [""], words = 0, load, first, name, summary } = declared, options: Flags = declared.options ?? {};
  const run = async (args: CommandArguments) => await (await load())(args as CommandArguments<Values<F>>);
  return { name, summary, usage, options, words, first, run };
}

/** A failure that is reported in one sentence, without a stack. `status` is an exit status of sysexits.h or src/cli. */
export class CommandError extends Error {
  readonly status: number;
  constructor(status: number, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.name = "CommandError";
    this.status = status;
  }
}

/** The exit status for an invalid command line. Most programs use 2, although sysexits.h defines 64. */
export const EX_USAGE = 2;
export const EX_DATA = 65, EX_UNAVAILABLE = 69, EX_SOFTWARE = 70, EX_NOPERM = 77, EX_CONFIG = 78;
/** The exit status that shells report after Ctrl-C. sysexits.h does not define it. */
export const EX_INTERRUPTED = 130;
