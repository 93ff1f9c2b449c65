/** `wheelwright restore-database FILE`: fills an empty database from what `wheelwright backup` wrote, and leaves it held. */
import { readProcessConfig } from "#lib/base/config.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { openLog } from "#lib/base/log.ts";
import { migrate } from "#lib/drivers/db/migrate.ts";
import { restoreParts } from "#lib/drivers/dump/restore.ts";
import type { BackupManifest } from "#lib/drivers/dump/script.ts";
import { record } from "#lib/records/changes/record.ts";
import { migrations } from "../migrations.ts";
import { backupProblem, manifestWords, openCount, readBackup, requireFile } from "./backup-file.ts";
import type { Given } from "./command.ts";
import { whoAsks } from "./database.ts";
import { reachDatabase } from "./reach.ts";

export async function restoreDatabase({ words: [word] }: Given): Promise<void> {
  const file = requireFile("restore-database", word);
  const { database: { source, ownerSource }, log } = readProcessConfig("migrate");
  await reachDatabase(ownerSource ?? source, openLog({ ...log, write: (line) => process.stderr.write(line) }));
  const count = openCount();
  const wish = { url: ownerSource ?? source, parts: readBackup(file, count.onRows), migrations, note };
  const manifest = await restoreParts(wish)
    .catch((error) => Promise.reject(backupProblem(file, error))).finally(count.end);
  await migrate(source, migrations, ownerSource); // nothing is missing; but the service's role has no rights yet
  process.stdout.write(
    `Restored ${count.words()}, ${manifestWords(manifest)}\n` +
      "The database is held: replicas answer, and run no operation until it was compared with the clusters:\n" +
      "wheelwright doctor --reconcile\n",
  );
}

async function note(tx: Tx, { takenAt, release }: BackupManifest): Promise<void> {
  const metadata = { takenAt, release };
  await record(tx, whoAsks("restore-database"), {
    audit: [{ kind: "database_restored", objectType: "database", objectId: "wheelwright", metadata }],
  });
}
