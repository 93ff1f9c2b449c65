/** Implements `wheelwright restore --library`, which restores the packages of a hub's courses from a backup. */
import type { Requester } from "#lib/audit/requester.ts";
import { isUsableLibraryBackup, listLibraryBackups } from "#lib/domains/courses/library-store.ts";
import {
  type LibraryRestorePlan,
  planLibraryRestore,
  requestLibraryRestore,
} from "#lib/domains/courses/restore-library.ts";
import { findFederation } from "#lib/domains/federations/store.ts";
import type { Database } from "#lib/drivers/db/database.ts";
import { CommandError, EXIT } from "../cli/exit-status.ts";
import { renderTable } from "../cli/table.ts";
import type { RestoreOptions } from "./restore-options.ts";
import type { RolloutRestoreAnswer } from "./restore-rollout.ts";
import { WIDE } from "./restore-report.ts";

export async function runLibraryRestore(
  db: Database,
  requester: Requester,
  { hub: name, backup: backupId, list, "dry-run": dryRun }: RestoreOptions,
): Promise<RolloutRestoreAnswer> {
  const hub = await findFederation(db.rows, name!, "hidden");
  if (!hub) throw new CommandError(EXIT.data, `No hub ${name} found. Use the ID or the slug of a hub`);
  if (list) return { text: await renderLibraryBackups(db, hub.id), operations: [] };
  const plan = await planLibraryRestore(db.rows, hub, backupId), description = describePlan(plan);
  if (dryRun) {
    const text = `Missing packages of the hub ${hub.slug} would be copied ${description}.\nNothing was written.\n`;
    return { text, operations: [] };
  }
  const { id } = await requestLibraryRestore({ db }, requester, hub.id, backupId);
  const text = `Missing packages of the hub ${hub.slug} are being copied ${description}.\n` +
    `The operation ${id} is queued. To watch the progress, run: wheelwright operations watch ${id}\n`;
  return { text, operations: [id] };
}

async function renderLibraryBackups(db: Database, federationId: string): Promise<string> {
  const backups = (await listLibraryBackups(db.rows, federationId)).filter(isUsableLibraryBackup);
  if (backups.length === 0) return "No backups.\n";
  return renderTable(WIDE, backups, [
    ["BACKUP", ({ id }) => id],
    ["TAKEN", ({ createdAt }) => minuteOf(createdAt)],
    ["PACKAGES", ({ packages }) => packages.length],
    ["SIZE", ({ sizeBytes: size }) => size === null ? null : `${(size / 2 ** 30).toFixed(1)} GiB`],
  ]).text;
}

function describePlan({ backup, absent }: LibraryRestorePlan): string {
  const source = `from the backup ${backup.id} of ${minuteOf(backup.createdAt)}`;
  return absent.length === 0 ? source : `${source}, which does not contain: ${absent.join("; ")}`;
}

function minuteOf(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
