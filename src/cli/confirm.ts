/** Prompts the user for confirmation before an action that cannot be undone. */
import { CommandError } from "../commands/command.ts";
import type { CliContext } from "./verb-declaration.ts";
import { printWarning } from "./output.ts";
import { promptLine } from "./prompt.ts";
import { EXIT_FAILED, EXIT_USAGE } from "./exit-status.ts";
import { sanitizeLine } from "./text.ts";

/** Returns if --yes is set or the user types `word`. Otherwise, throws a CommandError. */
export async function confirmByTyping(
  cli: CliContext,
  yes: boolean | undefined,
  question: string,
  word: string,
): Promise<void> {
  if (yes) return;
  if (!cli.terminal.in || !cli.terminal.err) {
    throw new CommandError(EXIT_USAGE, `${question}. Without a terminal, confirm with --yes`);
  }
  printWarning(`${question}. This cannot be undone.`);
  if (await promptLine(`Type ${sanitizeLine(word)} to continue`) !== word) {
    throw new CommandError(EXIT_FAILED, "Cancelled");
  }
}
