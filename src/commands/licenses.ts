/** Implements `wheelwright licenses`: prints the licences that the executable must include. */
import { findBuildInfo } from "../release.ts";
import { CommandError, EX_UNAVAILABLE } from "./command.ts";

export async function runLicenses(): Promise<void> {
  const text = findBuildInfo()?.licenses;
  if (text === undefined) {
    throw new CommandError(
      EX_UNAVAILABLE,
      "In a source checkout, the licences are in LICENSE and in each package under node_modules",
    );
  }
  // Waits until the text is written: it is larger than a pipe's buffer, and the program ends afterwards.
  await new Promise<void>((resolve) => process.stdout.write(text, () => resolve()));
}
