/** Reads the environment of this process. The module imports nothing, so that client commands start fast. */
export type ProcessVariables = Readonly<Record<string, string | undefined>>;

export function processEnvironment(): ProcessVariables {
  return process.env;
}

/** Returns the environment for a child process, with extra variables. */
export function extendEnvironment(extra: ProcessVariables): ProcessVariables {
  return { ...process.env, ...extra };
}

/** Whether to write colours: true on a terminal. NO_COLOR, CLICOLOR, CLICOLOR_FORCE and FORCE_COLOR override it. */
export function shouldUseColours(
  { env, terminal }: { readonly env: ProcessVariables; readonly terminal: boolean },
): boolean {
  if (env.FORCE_COLOR) return !["0", "false"].includes(env.FORCE_COLOR);
  if (env.NO_COLOR) return false;
  if (env.CLICOLOR_FORCE && env.CLICOLOR_FORCE !== "0") return true;
  return terminal && env.CLICOLOR !== "0" && env.TERM !== "dumb";
}

/** Whether to write colours to the standard output of this process. */
export function shouldUseColoursOnStdout(): boolean {
  return shouldUseColours({ env: process.env, terminal: process.stdout.isTTY === true });
}
