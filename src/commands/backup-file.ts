/** Reads, writes and describes the files that `wheelwright backup` creates. */
import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { isatty } from "node:tty";
import { readProcessConfig } from "#lib/base/config.ts";
import { DecryptionFailed } from "#lib/drivers/crypto/age.ts";
import type { ByteChunk } from "#lib/drivers/db/copier.ts";
import { BackupUnencrypted, unpackBackup } from "#lib/drivers/dump/pack.ts";
import { RestoreRefused } from "#lib/drivers/dump/restore.ts";
import {
  BackupDamaged,
  type BackupManifest,
  type BackupPart,
  readBackupParts,
  type RowProgressListener,
} from "#lib/drivers/dump/script.ts";
import { promptSecret } from "../cli/prompt.ts";
import { formatCount } from "#lib/base/text.ts";
import { CommandError, EXIT, UsageError } from "../cli/exit-status.ts";

/** The file name that means standard input or standard output. */
export const STANDARD_STREAM = "-";

/** Writes a temporary file that only its owner can read, then renames the file. After a failure, deletes the file. */
export async function writeFileAtomically(file: string, content: AsyncIterable<ByteChunk>): Promise<void> {
  const part = `${file}.${randomBytes(4).toString("hex")}.part`;
  const handle = await open(part, "wx", 0o600);
  try {
    try {
      for await (const bytes of content) await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  await syncFolder(dirname(file));
}

/** Syncs a directory, so that a renamed file survives a crash. Ignores errors: some systems cannot sync directories. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path).catch(() => null);
  await folder?.sync().catch(() => {});
  await folder?.close();
}

interface ReadOptions {
  readonly onRows: RowProgressListener;
  /** Whether to accept an unencrypted file even if BACKUP_PASSPHRASE is set. */
  readonly allowUnencrypted: boolean;
}

/** Reads a backup file. Prompts for the passphrase if the file is encrypted and BACKUP_PASSPHRASE is not set. */
export function readBackup(file: string, { onRows, allowUnencrypted }: ReadOptions): AsyncGenerator<BackupPart> {
  const requireEncryption = !allowUnencrypted && readProcessConfig("any").backupPassphrase !== null;
  const text = unpackBackup(bytesOf(file), () => requirePassphrase(`Passphrase of ${file}`), { requireEncryption });
  return readBackupParts(text, onRows);
}

/** Opens the file only when a caller reads the first bytes, because no code would handle an earlier error. */
async function* bytesOf(file: string): AsyncGenerator<ByteChunk> {
  yield* file === STANDARD_STREAM ? process.stdin : createReadStream(file);
}

export async function requirePassphrase(question: string): Promise<string> {
  const { backupPassphrase } = readProcessConfig("any");
  if (backupPassphrase !== null) return backupPassphrase;
  if (isatty(0)) return await promptSecret(question);
  const message = "A passphrase is required. Without a terminal, set BACKUP_PASSPHRASE or BACKUP_PASSPHRASE_FILE";
  throw new UsageError(message);
}

/** Converts errors from reading or restoring a backup file to a CommandError. Returns other errors unchanged. */
export function toBackupError(file: string, error: unknown): unknown {
  if (error instanceof RestoreRefused) return new CommandError(EXIT.data, error.message);
  if (error instanceof BackupUnencrypted) {
    const message = `The backup ${file} is not encrypted, although BACKUP_PASSPHRASE is set. ` +
      "If you trust the source of the file, add --allow-unencrypted";
    return new CommandError(EXIT.data, message);
  }
  if (!(error instanceof BackupDamaged || error instanceof DecryptionFailed)) return error;
  const why = error.message.charAt(0).toLowerCase() + error.message.slice(1);
  return new CommandError(EXIT.data, `The backup ${file} cannot be used: ${why}`, { cause: error });
}

export function describeManifest({ takenAt, release, migrations }: BackupManifest): string {
  return `taken at ${takenAt.slice(0, 19).replace("T", " ")} UTC, by release ${release} (${migrations.at(-1)})`;
}

const PROGRESS_INTERVAL = 100; // milliseconds between two progress lines on a terminal

/** Counts the rows of each table, and shows the latest count if standard error is a terminal. */
export function openRowCounter() {
  const rows = new Map<string, number>(), isTerminal = process.stderr.isTTY === true;
  let notifiedAt = -Infinity;
  return {
    onRows(table: string, count: number): void {
      rows.set(table, count);
      if (!isTerminal || performance.now() - notifiedAt < PROGRESS_INTERVAL) return;
      notifiedAt = performance.now();
      process.stderr.write(`\r\x1b[2K  … ${table}: ${formatCount(count, "row")}`);
    },
    /** Clears the progress line. */
    end: () => void (isTerminal && process.stderr.write("\r\x1b[2K")),
    /** Returns the number of tables and the total number of rows as text. */
    summary(): string {
      const all = [...rows.values()].reduce((sum, count) => sum + count, 0);
      return `${formatCount(rows.size, "table")}, ${all.toLocaleString("en")} rows`;
    },
  };
}

/** Yields the content, and throws as soon as `signal` is aborted. */
export async function* abortable(content: AsyncIterable<ByteChunk>, signal: AbortSignal): AsyncGenerator<ByteChunk> {
  for await (const bytes of content) {
    signal.throwIfAborted();
    yield bytes;
  }
}
