/** Defines the type of a command, which has a name, options, help and a function. */
import type { ParseArgsOptionDescriptor } from "node:util";

type Flags = Readonly<Record<string, ParseArgsOptionDescriptor & { readonly help: string }>>;

/** The values of a command line's options. An option with `multiple` has an array of values. */
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
  /** The arguments as the help shows them, with one line per variant, for example `[--port N]`. */
  readonly usage?: readonly string[];
  readonly options?: F;
  /** The maximum number of arguments, not counting options. */
  readonly words?: number;
  /** The values allowed for the first argument. If absent, any value is allowed. */
  readonly first?: readonly string[];
  /** Imports the modules that the command needs. Called only when the command runs. */
  readonly load: () => Promise<(args: CommandArguments<Values<F>>) => Promise<void>>;
}

export type Command = ReturnType<typeof defineCommand>;

/** Builds a command from its declaration, with defaults for omitted properties. */
export function defineCommand<const F extends Flags = Record<never, never>>(declared: CommandDeclaration<F>) {
  const { usage = [""], words = 0, load, first, name, summary } = declared, options: Flags = declared.options ?? {};
  const run = async (args: CommandArguments) => await (await load())(args as CommandArguments<Values<F>>);
  return { name, summary, usage, options, words, first, run };
}

/** An error that is shown without a stack trace. `status` is an exit status from sysexits.h or src/cli. */
export class CommandError extends Error {
  readonly status: number;
  constructor(status: number, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.name = "CommandError";
    this.status = status;
  }
}

/** The exit status for an invalid command line. Most programs use 2, although sysexits.h defines 64. */
export const EXIT_CODE_USAGE = 2;
export const EXIT_CODE_DATA = 65,
  EXIT_CODE_UNAVAILABLE = 69,
  EXIT_CODE_SOFTWARE = 70,
  EXIT_CODE_NOPERM = 77,
  EXIT_CODE_CONFIG = 78;
/** The exit status that shells report after Ctrl-C, which sysexits.h does not define. */
export const EXIT_CODE_INTERRUPTED = 130;
