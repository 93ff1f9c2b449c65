/** Implements `wheelwright spokes`, with the subcommands (verbs) from the `spoke-*` modules. */
import type { CommandGroup } from "./verb-declaration.ts";
import { actionVerbs } from "./spoke-action-verbs.ts";
import { creationVerbs } from "./spoke-create-verbs.ts";
import { spokeReadVerbs } from "./spoke-read-verbs.ts";
import { changeVerbs } from "./spoke-change-verbs.ts";

export const spokesCommands: CommandGroup = {
  name: "spokes",
  summary: "Spokes, each with one Moodle site. Identify a spoke by its ID, HUB/SLUG or domain",
  verbs: [...spokeReadVerbs.slice(0, 2), ...creationVerbs, ...changeVerbs, ...actionVerbs, ...spokeReadVerbs.slice(2)],
};
