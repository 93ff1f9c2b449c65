/** Implements `wheelwright spokes`, with the subcommands (verbs) from the `spoke-*` modules. */
import type { CommandGroup } from "./verb-declaration.ts";
import { spokeActionVerbs } from "./spoke-action-verbs.ts";
import { spokeCreationVerbs } from "./spoke-create-verbs.ts";
import { spokeReadVerbs } from "./spoke-read-verbs.ts";
import { spokeChangeVerbs } from "./spoke-change-verbs.ts";

export const spokesCommands: CommandGroup = {
  name: "spokes",
  summary: "Spokes, each with one Moodle site. Identify a spoke by its ID, HUB/SLUG or domain",
  verbs: [
    ...spokeReadVerbs.slice(0, 2),
    ...spokeCreationVerbs,
    ...spokeChangeVerbs,
    ...spokeActionVerbs,
    ...spokeReadVerbs.slice(2),
  ],
};
