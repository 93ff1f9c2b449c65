/** Implements `wheelwright spokes`, with the verbs from the `spoke-*` modules. */
import { spokeActionVerbs } from "./spoke-action-verbs.ts";
import { spokeBulkVerb } from "./spoke-bulk-verb.ts";
import { spokeChangeVerbs } from "./spoke-change-verbs.ts";
import { spokeCreationVerbs } from "./spoke-create-verbs.ts";
import { spokeReadVerbs } from "./spoke-read-verbs.ts";

export const spokesCommands = [
  ...spokeReadVerbs.slice(0, 2),
  ...spokeCreationVerbs,
  ...spokeChangeVerbs,
  ...spokeActionVerbs,
  spokeBulkVerb,
  ...spokeReadVerbs.slice(2),
];
