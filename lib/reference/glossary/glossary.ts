/**
 * What the fields of the API mean, by name, each with an example.
 *
 * One line a field, in the files beside this one. From these lines the document's descriptions and all of its examples
 * are made; a test names the fields that have no line. They stand here and not in the views, where each would need a
 * pipe of its own and would hide what the view says.
 */
import type { Entry } from "#lib/reference/glossary/entry.ts";
import { OPERATION_FIELDS } from "#lib/reference/glossary/operations.ts";
import { RECORD_FIELDS } from "#lib/reference/glossary/records.ts";
import { RESOURCE_FIELDS } from "#lib/reference/glossary/resources.ts";

/** All lines, each by one key. */
export const GLOSSARY_LINES: readonly (readonly [key: string, entry: Entry])[] = [
  RESOURCE_FIELDS,
  OPERATION_FIELDS,
  RECORD_FIELDS,
].flatMap((entries) =>
  Object.entries(entries).flatMap(([keys, entry]) => keys.split(" | ").map((key) => [key, entry] as const))
);
const GLOSSARY = new Map(GLOSSARY_LINES);

/** What a field means, or null where nothing is known of it. `owner` is the schema or the field that it stands in. */
export function fieldDescription(owner: string, name: string): string | null {
  return entryOf(owner, name)?.[0] ?? null;
}

/** An example of it, or undefined where its schema has to give one. */
export function fieldExample(owner: string, name: string): unknown {
  return entryOf(owner, name)?.[1];
}

function entryOf(owner: string, name: string): Entry | undefined {
  return GLOSSARY.get(`${owner}.${name}`) ?? GLOSSARY.get(name);
}
