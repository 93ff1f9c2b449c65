/** `wheelwright spokes`: combines the verbs of the `spoke-*` modules. */
import type { Noun } from "./verb-declaration.ts";
import { actionVerbs } from "./spoke-action-verbs.ts";
import { creationVerbs } from "./spoke-create-verbs.ts";
import { insightVerbs } from "./spoke-read-verbs.ts";
import { changeVerbs } from "./spoke-change-verbs.ts";

export const spokesNoun: Noun = {
  name: "spokes",
  summary: "Spokes: one Moodle each. A spoke is named by its id, by HUB/SLUG, or by its domain",
  verbs: [...insightVerbs.slice(0, 2), ...creationVerbs, ...changeVerbs, ...actionVerbs, ...insightVerbs.slice(2)],
};
