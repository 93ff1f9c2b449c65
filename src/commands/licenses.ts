/** `wheelwright licenses`: the licences that the executable has to carry with it. */
import { built } from "../release.ts";
import { CommandError, EX_UNAVAILABLE } from "./command.ts";

export async function licenses(): Promise<void> {
  const text = built()?.licenses;
  if (text === undefined) {
    throw new CommandError(
      EX_UNAVAILABLE,
      "In a checkout the licences lie in LICENSE and in each package under node_modules",
    );
  }
  // Waits until it is out: a pipe takes less than this at once, and the exit status is set right afterwards.
  await new Promise<void>((resolve) => process.stdout.write(text, () => resolve()));
}
