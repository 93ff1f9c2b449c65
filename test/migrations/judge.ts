/**
 * Whether the migrations after the last release let that release go on working beside the next one.
 *
 * A header may let through what the rules refuse. What takes something away names the migration that a program must know to
 * do without it, `-- needs 0060_add_size`, and the last release knows it. For all else there is a reason, in a line:
 * `-- accepts rows: the table has as many rows as there are clusters`.
 */
import { type Node, parse } from "libpg-query";
import { checksumOf, type Migration, requiredMigration } from "#lib/drivers/db/compare-schema.ts";
import { madeBy, refuse, type Rule, RULES } from "#test/migrations/rules.ts";

/** The migrations of the last release, by name, with their checksums. */
export type Released = ReadonlyMap<string, string>;

/** A sentence for each thing that is wrong. */
export async function judgeMigrations(migrations: readonly Migration[], released: Released): Promise<string[]> {
  const found = changed(migrations, released), young = new Set<string>();
  for (const [name, text] of migrations) {
    if (released.has(name)) continue;
    const statements = await read(text).catch((error: Error) => {
      found.push(`sql/${name}.sql cannot be read: ${error.message}`);
      return [];
    });
    for (const made of statements.map(madeBy)) if (made !== null) young.add(made);
    found.push(...judgeOne(text, statements, young, released).map((told) => `sql/${name}.sql ${told}`));
  }
  return found;
}

async function read(text: string): Promise<Node[]> {
  return ((await parse(text)).stmts ?? []).map(({ stmt }) => stmt!);
}

/** What ran somewhere stays as it was. */
function changed(migrations: readonly Migration[], released: Released): string[] {
  const texts = new Map(migrations);
  return [...released].flatMap(([name, checksum]) => {
    const text = texts.get(name);
    if (text === undefined) return [`sql/${name}.sql is in the last release, and must not go`];
    return checksumOf(text) === checksum ? [] : [`sql/${name}.sql is in the last release, and must not change`];
  });
}

function judgeOne(
  text: string,
  statements: readonly Node[],
  young: ReadonlySet<string>,
  released: Released,
): string[] {
  const accepted = acceptedBy(text), needs = requiredMigration(text), used = new Set<string>(), found: string[] = [];
  for (const { rule, what } of statements.flatMap((statement) => refuse(statement, young))) {
    used.add(rule);
    if (accepted.has(rule) || rule === "contract" && needs !== null) continue;
    found.push(`${RULES[rule]} (${rule}: ${what})`);
  }
  if (needs !== null && !released.has(needs)) found.push(`needs ${needs}, which the last release does not know`);
  if (needs !== null && !used.has("contract")) found.push("says what it needs, and takes nothing away");
  const validates = statements.filter((statement) => JSON.stringify(statement).includes('"AT_ValidateConstraint"'));
  if (validates.length > 0 && statements.length > 1) {
    found.push("validates a constraint under the locks of its other statements: put it into a file of its own");
  }
  for (const [rule, reason] of accepted) {
    if (!(rule in RULES)) found.push(`accepts ${rule}, and no rule has that name`);
    else if (!used.has(rule)) found.push(`accepts ${rule}, and nothing in it is refused for that`);
    if (reason.length < 20) found.push(`accepts ${rule} without a reason that could be judged`);
  }
  return found;
}

/** The rules that the migration lets itself off, with its reasons. */
function acceptedBy(text: string): Map<Rule | string, string> {
  return new Map(
    [...text.matchAll(/^-- accepts ([\w-]+):? *(.*?)\r?$/gm)].map(([, rule = "", reason = ""]) => [rule, reason]),
  );
}
