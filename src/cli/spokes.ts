/** `wheelwright spokes`: combines the verbs of the `spoke-*` modules. */
import type { Noun } from "./noun.ts";
import { actionVerbs } from "./spoke-actions.ts";
import { creationVerbs } from "./spoke-creation.ts";
import { insightVerbs } from "./spoke-insight.ts";
import { changeVerbs } from "./spoke-changes.ts";

export const spokesNoun: Noun = {
  name: "spokes",
  summary: "Spokes: one Moodle each. A spoke is named by its id, by HUB/SLUG, or by its domain",
  verbs: [...insightVerbs.slice(0, 2), ...creationVerbs, ...changeVerbs, ...actionVerbs, ...insightVerbs.slice(2)],
};
