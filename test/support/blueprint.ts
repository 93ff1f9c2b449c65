/** Reads the built-in blueprint once per process, because this takes longer than most tests. */
import { type Blueprint, loadBlueprint } from "#lib/moodle/blueprint.ts";
import { blueprint as files } from "#src/blueprints.ts";

const loaded = new Map<"built-in", Promise<Blueprint>>();

export function builtInBlueprint(): Promise<Blueprint> {
  const blueprint = loaded.get("built-in") ?? loadBlueprint(files);
  loaded.set("built-in", blueprint);
  return blueprint;
}
