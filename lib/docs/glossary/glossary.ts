/**
 * What the fields of the API mean, by name, each with an example.
 *
 * One line a field, in the files beside this one. From these lines the document's descriptions and all of its examples
 * are made; a test names the fields that have no line. They stand here and not in the views, where each would need a
 * pipe of its own and would hide what the view says.
 */
import { BACKUPS } from "#lib/docs/glossary/backups.ts";
import { BILLING } from "#lib/docs/glossary/billing.ts";
import { CHANGELOG } from "#lib/docs/glossary/changelog.ts";
import type { Entry } from "#lib/docs/glossary/entry.ts";
import { OFFERS } from "#lib/docs/glossary/offers.ts";
import { PARAMETERS } from "#lib/docs/glossary/parameters.ts";
import { PROGRESS } from "#lib/docs/glossary/progress.ts";
import { RECORDS } from "#lib/docs/glossary/records.ts";
import { THINGS } from "#lib/docs/glossary/things.ts";

/** What a field means, or null where nothing is known of it. `owner` is the schema or the field that it stands in. */
export function sayingOf(owner: string, name: string): string | null {
  return entryOf(owner, name)?.[0] ?? null;
}

/** An example of it, or undefined where its schema has to give one. */
export function exampleOf(owner: string, name: string): unknown {
  return entryOf(owner, name)?.[1];
}

function entryOf(owner: string, name: string): Entry | undefined {
  return lookUp(`${owner}.${name}`) ?? lookUp(name);
}

function lookUp(key: string): Entry | undefined {
  return [PARAMETERS, THINGS, PROGRESS, RECORDS, BACKUPS, BILLING, CHANGELOG, OFFERS].find((entries) =>
    Object.hasOwn(entries, key)
  )
    ?.[key];
}
