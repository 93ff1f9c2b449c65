/**
 * Looks up descriptions and examples of API fields by name. The texts are in the files next to this one, so that the
 * views stay short. A test finds fields without a text.
 */
import { BILLING_FIELDS } from "#lib/reference/glossary/billing.ts";
import type { FieldEntry } from "#lib/reference/glossary/entry.ts";
import { OPERATION_FIELDS } from "#lib/reference/glossary/operations.ts";
import { RECORD_FIELDS } from "#lib/reference/glossary/records.ts";
import { RESOURCE_FIELDS } from "#lib/reference/glossary/resources.ts";

/** All entries, each with one key. */
export const GLOSSARY_LINES: readonly (readonly [key: string, entry: FieldEntry])[] = [
  RESOURCE_FIELDS,
  OPERATION_FIELDS,
  RECORD_FIELDS,
  BILLING_FIELDS,
].flatMap((entries) =>
  Object.entries(entries).flatMap(([keys, entry]) => keys.split(" | ").map((key) => [key, entry] as const))
);
const GLOSSARY = new Map(GLOSSARY_LINES);

/** Returns the description of a field, or null. `owner` is the schema or field that contains it. */
export function fieldDescription(owner: string, name: string): string | null {
  return entryOf(owner, name)?.[0] ?? null;
}

/** Returns the example of a field, or undefined if its schema has to provide one. */
export function fieldExample(owner: string, name: string): unknown {
  return entryOf(owner, name)?.[1];
}

function entryOf(owner: string, name: string): FieldEntry | undefined {
  return GLOSSARY.get(`${owner}.${name}`) ?? GLOSSARY.get(name);
}
