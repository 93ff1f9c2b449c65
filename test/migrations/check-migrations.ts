/** Checks that the last release keeps working next to the new one after the new migrations.
 *
 * A header can allow what the rules reject. A migration that removes something names the migration that the program
 * must know, `-- needs 0060_add_size`, and the last release must have it. Everything else needs a reason: `-- accepts
 * rows: the table has as many rows as there are clusters`. */
import { type Node, parse } from "libpg-query";
import { computeMigrationChecksum, findRequiredMigration, type Migration } from "#lib/drivers/db/compare-schema.ts";
import { checkStatement, createdTableOf, MIGRATION_RULES, type MigrationRule } from "#test/migrations/rules.ts";

/** The migrations of the last release with their checksums, by name. */
export type ReleasedMigrations = ReadonlyMap<string, string>;

/** Returns a sentence for each problem. */
export async function checkMigrations(
  migrations: readonly Migration[],
  released: ReleasedMigrations,
): Promise<string[]> {
  const found = changed(migrations, released), young = new Set<string>();
  for (const [name, text] of migrations) {
    if (released.has(name)) continue;
    const statements = await read(text).catch((error: Error) => {
      found.push(`sql/${name}.sql cannot be read: ${error.message}`);
      return [];
    });
    for (const made of statements.map(createdTableOf)) if (made !== null) young.add(made);
    found.push(...checkMigration(text, statements, young, released).map((told) => `sql/${name}.sql ${told}`));
  }
  return found;
}

async function read(text: string): Promise<Node[]> {
  return ((await parse(text)).stmts ?? []).map(({ stmt }) => stmt!);
}

/** Finds released migrations that changed. They must stay as they are, because they already ran. */
function changed(migrations: readonly Migration[], released: ReleasedMigrations): string[] {
  const texts = new Map(migrations);
  return [...released].flatMap(([name, checksum]) => {
    const text = texts.get(name);
    if (text === undefined) return [`sql/${name}.sql is in the last release and must not be removed`];
    return computeMigrationChecksum(text) === checksum
      ? []
      : [`sql/${name}.sql is in the last release and must not change`];
  });
}

function checkMigration(
  text: string,
  statements: readonly Node[],
  young: ReadonlySet<string>,
  released: ReleasedMigrations,
): string[] {
  const accepted = acceptedBy(text),
    needs = findRequiredMigration(text),
    used = new Set<string>(),
    found: string[] = [];
  for (const { rule, what } of statements.flatMap((statement) => checkStatement(statement, young))) {
    used.add(rule);
    if (accepted.has(rule) || rule === "contract" && needs !== null) continue;
    found.push(`${MIGRATION_RULES[rule]} (${rule}: ${what})`);
  }
  if (needs !== null && !released.has(needs)) found.push(`needs ${needs}, which is not in the last release`);
  if (needs !== null && !used.has("contract")) found.push("has an unnecessary 'needs': it removes nothing");
  const validates = statements.filter((statement) => JSON.stringify(statement).includes('"AT_ValidateConstraint"'));
  if (validates.length > 0 && statements.length > 1) {
    found.push("validates a constraint while other statements hold locks: use a separate file");
  }
  for (const [rule, reason] of accepted) {
    if (!(rule in MIGRATION_RULES)) found.push(`accepts ${rule}, which is not a rule`);
    else if (!used.has(rule)) found.push(`accepts ${rule}, but does not violate it`);
    if (reason.length < 20) found.push(`accepts ${rule} without a sufficient reason`);
  }
  return found;
}

/** Returns the rules that the migration overrides, with its reasons. */
function acceptedBy(text: string): Map<MigrationRule | string, string> {
  return new Map(
    [...text.matchAll(/^-- accepts ([\w-]+):? *(.*?)\r?$/gm)].map(([, rule = "", reason = ""]) => [rule, reason]),
  );
}
