/** Implements `wheelwright restore --rollout ID`, which restores a wave of a rollout from the backups of its operations. */
import { isatty } from "node:tty";
import { Fault } from "#lib/base/errors.ts";
import type { Requester } from "#lib/audit/requester.ts";
import { planWaveRestore, requestWaveRestore, type WaveRestorePlan } from "#lib/domains/backups/wave-restore.ts";
import type { Database } from "#lib/drivers/db/database.ts";
import { UsageError } from "../cli/exit-status.ts";
import { confirmByTyping } from "../cli/prompt.ts";
import { renderTable } from "../cli/table.ts";
import type { RestoreOptions } from "./restore-options.ts";
import { WIDE } from "./restore-report.ts";

/** The text to print, and the IDs of the requested restores. */
export interface RolloutRestoreAnswer {
  readonly text: string;
  readonly operations: readonly string[];
}

export async function restoreWave(
  db: Database,
  requester: Requester,
  { rollout: id, wave, yes, "dry-run": dryRun }: RestoreOptions,
): Promise<RolloutRestoreAnswer> {
  if (wave !== undefined && !/^\d{1,4}$/.test(wave)) throw new UsageError("--wave must be the number of a wave");
  const plan = await planWaveRestore(db.rows, id!, wave === undefined ? undefined : Number(wave));
  if (dryRun) return { text: `${renderWaveRestore(plan)}Nothing was written.\n`, operations: [] };
  const possible = plan.spokes.filter(({ reason }) => reason === null), count = possible.length;
  const question =
    `${count === 1 ? "1 spoke loses" : `${count} spokes lose`} all changes since the rollout's backups. ` +
    "For a preview, use --dry-run";
  await confirmByTyping({ terminal: { in: isatty(0), err: isatty(2) } }, yes, question, id!);
  const operations: string[] = [], outcomes: [string, string][] = [];
  for (const each of possible) {
    try {
      const job = await requestWaveRestore({ db }, requester, plan.rollout, each);
      operations.push(job.id);
      outcomes.push([each.spoke.domain, job.id]);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      outcomes.push([each.spoke.domain, error.message]);
    }
  }
  const table = renderTable(WIDE, outcomes, [["SPOKE", ([domain]) => domain], ["RESTORE", ([, outcome]) => outcome]]);
  return { text: table.text, operations };
}

function renderWaveRestore({ rollout, wave, spokes }: WaveRestorePlan): string {
  const table = renderTable(WIDE, spokes, [
    ["SPOKE", ({ spoke }) => spoke.domain],
    ["BACKUP", ({ backupId }) => backupId],
    ["REASON TO SKIP", ({ reason }) => reason],
  ]);
  return `Wave ${wave} of the rollout ${rollout.id} would be restored:\n\n${table.text}\n`;
}
