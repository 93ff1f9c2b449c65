/** Reads this process's environment variables. This module has no imports, so that client commands start fast. */
export type ProcessVariables = Readonly<Record<string, string | undefined>>;

export function processEnvironment(): ProcessVariables {
  return process.env;
}

/** Returns this process's environment with extra variables added, for starting a child process. */
export function extendEnvironment(extra: ProcessVariables): ProcessVariables {
  return { ...process.env, ...extra };
}

/** Returns whether to use colours: by default, only on a terminal. NO_COLOR and similar variables override this. */
export function shouldUseColours(
  { env, terminal }: { readonly env: ProcessVariables; readonly terminal: boolean },
): boolean {
  if (env.FORCE_COLOR) return !["0", "false"].includes(env.FORCE_COLOR);
  if (env.NO_COLOR) return false;
  if (env.CLICOLOR_FORCE && env.CLICOLOR_FORCE !== "0") return true;
  return terminal && env.CLICOLOR !== "0" && env.TERM !== "dumb";
}

/** Returns whether to use colours on this process's standard output. */
export function shouldUseColoursOnStdout(): boolean {
  return shouldUseColours({ env: process.env, terminal: process.stdout.isTTY === true });
}
