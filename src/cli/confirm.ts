/** Asks for confirmation before an action that cannot be undone. */
import { CommandError } from "../commands/command.ts";
import type { Cli } from "./verb-declaration.ts";
import { warn } from "./output.ts";
import { askLine } from "./prompt.ts";
import { FAILED, MISUSED } from "./exit-status.ts";
import { plain } from "./text.ts";

/** Returns without an error if --yes is set or the user types `word`. Throws a CommandError otherwise. */
export async function confirmBy(cli: Cli, yes: boolean | undefined, what: string, word: string): Promise<void> {
  if (yes) return;
  if (!cli.terminal.in || !cli.terminal.err) {
    throw new CommandError(MISUSED, `${what}. Without a terminal, --yes says that it is meant`);
  }
  warn(`${what}. It cannot be taken back.`);
  if (await askLine(`Type ${plain(word)} to go on`) !== word) throw new CommandError(FAILED, "Nothing was done");
}
