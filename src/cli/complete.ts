/** Answers a shell that completes a line. */
import type { OpenCli } from "./run.ts";
export async function complete(_open: OpenCli, _line: readonly string[]): Promise<number> {
  return 0;
}
