/** Asks for confirmation before an action that cannot be undone. */
import { CommandError } from "../commands/command.ts";
import type { CliContext } from "./verb-declaration.ts";
import { printWarning } from "./output.ts";
import { promptLine } from "./prompt.ts";
import { EXIT_FAILED, EXIT_USAGE } from "./exit-status.ts";
import { sanitizeLine } from "./text.ts";

/** Returns without an error if --yes is set or the user types `word`. Throws a CommandError otherwise. */
export async function confirmByTyping(
  cli: CliContext,
  yes: boolean | undefined,
  question: string,
  word: string,
): Promise<void> {
  if (yes) return;
  if (!cli.terminal.in || !cli.terminal.err) {
    throw new CommandError(EXIT_USAGE, `${question}. Without a terminal, --yes says that it is meant`);
  }
  printWarning(`${question}. It cannot be taken back.`);
  if (await promptLine(`Type ${sanitizeLine(word)} to go on`) !== word) {
    throw new CommandError(EXIT_FAILED, "Nothing was done");
  }
}
