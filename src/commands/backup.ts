/**
 * Implements `wheelwright backup FILE`, which writes a consistent snapshot of the whole database to a file while the
 * service runs, or to standard output if FILE is `-`. With `--verify`, only reads the whole FILE, to check the file.
 */
import { pipeline } from "node:stream/promises";
import { isatty } from "node:tty";
import { readProcessConfig } from "#lib/base/config.ts";
import { MigrationError } from "#lib/drivers/db/compare-schema.ts";
import { packBackup } from "#lib/drivers/dump/pack.ts";
import { PgDumpFailed } from "#lib/drivers/dump/pg-dump.ts";
import type { BackupManifest } from "#lib/drivers/dump/script.ts";
import { type DatabaseSnapshot, openDatabaseSnapshot } from "#lib/drivers/dump/snapshot.ts";
import { migrations } from "../migrations.ts";
import { readProgramRelease } from "../release.ts";
import { handleStopSignals } from "../stop-signals.ts";
import {
  abortable,
  describeManifest,
  openRowCounter,
  readBackup,
  requirePassphrase,
  STANDARD_STREAM,
  toBackupError,
  writeFileAtomically,
} from "./backup-file.ts";
import type { OptionValues } from "../cli/command.ts";
import { resolveDatabase } from "./database.ts";
import type { BACKUP_OPTIONS } from "./options.ts";
import { toDatabaseError } from "./wait-for-database.ts";
import { CommandError, EXIT, UsageError } from "../cli/exit-status.ts";

export async function runBackup(file: string, options: OptionValues<typeof BACKUP_OPTIONS>): Promise<void> {
  const { encrypt = false, verify = false, "allow-unencrypted": allowUnencrypted = false } = options;
  if (verify && encrypt) throw new UsageError("--verify cannot be combined with --encrypt");
  if (verify) return await verifyFile(file, allowUnencrypted);
  if (allowUnencrypted) throw new UsageError("--allow-unencrypted requires --verify");
  if (file === STANDARD_STREAM && isatty(1)) {
    throw new UsageError("Cannot write a backup to a terminal. Specify a file");
  }
  const passphrase = encrypt ? await choosePassphrase() : readProcessConfig("any").backupPassphrase;
  const { url, close } = await resolveDatabase();
  try {
    const snapshot = await openDatabaseSnapshot(url, readProgramRelease().version, migrations).catch((error) => {
      throw error instanceof MigrationError ? error : toDatabaseError(error);
    });
    await write(snapshot, file, passphrase).finally(snapshot.close);
  } finally {
    await close();
  }
}

async function write(snapshot: DatabaseSnapshot, file: string, passphrase: string | null): Promise<void> {
  const stop = handleStopSignals(), count = openRowCounter();
  stop.signal.addEventListener("abort", () => snapshot.close(), { once: true }); // ends a running query
  try {
    const content = abortable(packBackup(snapshot.text(count.onRows), passphrase), stop.signal);
    if (file === STANDARD_STREAM) await pipeline(content, process.stdout, { end: false });
    else await writeFileAtomically(file, content);
  } catch (error) {
    const left = file === STANDARD_STREAM ? "the output is incomplete" : "nothing was written";
    if (stop.signal.aborted) throw new CommandError(EXIT.interrupted, `Stopped; ${left}`);
    throw error instanceof PgDumpFailed ? new CommandError(EXIT.unavailable, error.message) : error;
  } finally {
    stop.dispose();
    count.end();
  }
  const how = `read by ${snapshot.method()}, ${passphrase === null ? "not encrypted" : "encrypted"}`;
  const report = `Backed up ${count.summary()}, ${describeManifest(snapshot.manifest)}; ${how}\n`;
  (file === STANDARD_STREAM ? process.stderr : process.stdout).write(report);
}

async function verifyFile(file: string, allowUnencrypted: boolean): Promise<void> {
  const count = openRowCounter();
  let manifest: BackupManifest | undefined;
  try {
    for await (const part of readBackup(file, { onRows: count.onRows, allowUnencrypted })) {
      if (part.kind === "manifest") manifest = part.manifest;
    }
  } catch (error) {
    throw toBackupError(file, error);
  } finally {
    count.end();
  }
  process.stdout.write(`The backup ${file} is complete: ${count.summary()}, ${describeManifest(manifest!)}\n`);
}

async function choosePassphrase(): Promise<string> {
  const passphrase = await requirePassphrase("Passphrase for the backup");
  if (passphrase.length < 12) throw new CommandError(EXIT.data, "The passphrase must have at least 12 characters");
  if (passphrase === await requirePassphrase("Repeat the passphrase")) return passphrase;
  throw new CommandError(EXIT.data, "The passphrases do not match");
}
