/** Implements `wheelwright restore-database FILE`, which fills an empty database from a backup file. */
import { readProcessConfig } from "#lib/base/config.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { createLog } from "#lib/base/log.ts";
import { migrate } from "#lib/drivers/db/migrate.ts";
import { restoreDatabaseBackup } from "#lib/drivers/dump/restore.ts";
import type { BackupManifest } from "#lib/drivers/dump/script.ts";
import { recordChange } from "#lib/changes/record.ts";
import { migrations } from "../migrations.ts";
import { describeManifest, openRowCounter, readBackup, toBackupError } from "./backup-file.ts";
import { createCommandLineRequester, resolveDatabase } from "./database.ts";
import { waitForDatabase } from "./wait-for-database.ts";
import type { OptionValues } from "../cli/command.ts";
import type { RESTORE_DATABASE_OPTIONS } from "./options.ts";

export async function runRestoreDatabase(
  file: string,
  options: OptionValues<typeof RESTORE_DATABASE_OPTIONS>,
): Promise<void> {
  const allowUnencrypted = options["allow-unencrypted"] === true;
  const log = createLog({ ...readProcessConfig("any").log, write: (line) => process.stderr.write(line) });
  const { url, owner, directory, close } = await resolveDatabase(log, { create: true });
  try {
    await waitForDatabase(owner ?? url, log);
    const count = openRowCounter(), parts = readBackup(file, { onRows: count.onRows, allowUnencrypted });
    const howToEmpty = directory === null ? {} : { howToEmpty: `Stop npm start, move ${directory} away and try again` };
    const manifest = await restoreDatabaseBackup({
      url: owner ?? url,
      parts,
      migrations,
      note: recordRestore,
      ...howToEmpty,
    })
      .catch((error) => Promise.reject(toBackupError(file, error))).finally(count.end);
    await migrate(url, migrations, owner); // grants permissions to the service's role; the schema is already complete
    printReport(
      `Restored ${count.summary()}, ${describeManifest(manifest)}${directory === null ? "" : `, into ${directory}`}`,
    );
  } finally {
    await close();
  }
}

function printReport(sentence: string): void {
  process.stdout.write(
    `${sentence}\n` +
      "The database is on hold: replicas run no operations until you compare the database with the clusters:\n" +
      "wheelwright doctor --reconcile\n",
  );
}

async function recordRestore(tx: Tx, { takenAt, release }: BackupManifest): Promise<void> {
  const metadata = { takenAt, release };
  await recordChange(tx, createCommandLineRequester("restore-database"), {
    audit: [{ kind: "database_restored", objectType: "database", objectId: "wheelwright", metadata }],
  });
}
