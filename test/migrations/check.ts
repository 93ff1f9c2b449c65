/** Rejects migrations that block running requests or break the previous release (sql/README.md).
 *
 *   npm run check -- migrations */
import { checkMigrations } from "#test/migrations/check-migrations.ts";
import { readDumps } from "#test/migrations/released.ts";
import { loadMigrations } from "#test/support/migrations.ts";

const last = (await readDumps()).at(-1)!;
const found = await checkMigrations(await loadMigrations(), last.migrations);
for (const sentence of found) console.error(sentence);
if (found.length === 0) console.log(`The migrations since ${last.version} are compatible with it`);
process.exitCode = found.length === 0 ? 0 : 1;
