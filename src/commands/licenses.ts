/** Implements `wheelwright licenses`, which prints the licences of all software in the executable. */
import { findBuildInfo } from "../release.ts";
import { CommandError, EXIT } from "../cli/exit-status.ts";

export async function runLicenses(): Promise<void> {
  const text = findBuildInfo()?.licenses;
  if (text === undefined) {
    throw new CommandError(
      EXIT.unavailable,
      "In a source checkout, the licences are in LICENSE and in each package under node_modules",
    );
  }
  // Waits until all of the text is written: the text exceeds a pipe's buffer, and the process exits afterwards.
  await new Promise<void>((resolve) => process.stdout.write(text, () => resolve()));
}
