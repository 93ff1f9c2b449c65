/**
 * What the fields of the API mean, by name, each with an example.
 *
 * One line a field, in the files beside this one. From these lines the document's descriptions and all of its examples
 * are made; a test names the fields that have no line. They stand here and not in the views, where each would need a
 * pipe of its own and would hide what the view says.
 */
import type { Entry } from "#lib/reference/glossary/entry.ts";
import { PROGRESS } from "#lib/reference/glossary/progress.ts";
import { RECORDS } from "#lib/reference/glossary/records.ts";
import { THINGS } from "#lib/reference/glossary/things.ts";

/** All lines, each by one key. */
export const LINES: readonly (readonly [key: string, entry: Entry])[] = [THINGS, PROGRESS, RECORDS].flatMap((entries) =>
  Object.entries(entries).flatMap(([keys, entry]) => keys.split(" | ").map((key) => [key, entry] as const))
);
const GLOSSARY = new Map(LINES);

/** What a field means, or null where nothing is known of it. `owner` is the schema or the field that it stands in. */
export function sayingOf(owner: string, name: string): string | null {
  return entryOf(owner, name)?.[0] ?? null;
}

/** An example of it, or undefined where its schema has to give one. */
export function exampleOf(owner: string, name: string): unknown {
  return entryOf(owner, name)?.[1];
}

function entryOf(owner: string, name: string): Entry | undefined {
  return GLOSSARY.get(`${owner}.${name}`) ?? GLOSSARY.get(name);
}
