/** The environment that this process was started with. Light: the client's commands load nothing else of the configuration. */
export type ProcessVariables = Readonly<Record<string, string | undefined>>;

export function processEnvironment(): ProcessVariables {
  return process.env;
}

/** That of a program which this process starts, with more. */
export function extendEnvironment(extra: ProcessVariables): ProcessVariables {
  return { ...process.env, ...extra };
}

/** Whether an output shows colours: NO_COLOR, CLICOLOR and the FORCE ones mean what they do everywhere, and a file has none. */
export function shouldUseColours(
  { env, terminal }: { readonly env: ProcessVariables; readonly terminal: boolean },
): boolean {
  if (env.FORCE_COLOR) return !["0", "false"].includes(env.FORCE_COLOR);
  if (env.NO_COLOR) return false;
  if (env.CLICOLOR_FORCE && env.CLICOLOR_FORCE !== "0") return true;
  return terminal && env.CLICOLOR !== "0" && env.TERM !== "dumb";
}

/** The same for the environment and the output of this process. */
export function shouldUseColoursOnStdout(): boolean {
  return shouldUseColours({ env: process.env, terminal: process.stdout.isTTY === true });
}
