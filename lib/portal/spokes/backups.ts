/** Renders a spoke's backups, the backup schedule, and instructions for restoring a backup. */
import { type Markup, markup } from "#lib/http/page.ts";
import { icon } from "#lib/portal/components/icons.ts";
import * as ui from "#lib/portal/components/parts.ts";
import type { RefusedSubmission } from "#lib/portal/components/forms.ts";
import { restoreRequestForm, restoreRequestList } from "#lib/portal/spokes/restore-requests.ts";
import type { BackupList, RestoreRequestItem } from "#lib/portal/components/api-types.ts";
import type { PageView } from "#lib/portal/components/view.ts";
import { allowedActions, spokeHeader, type SpokePageData } from "#lib/portal/spokes/spoke-page.ts";

interface BackupsProps {
  readonly spokePage: SpokePageData;
  readonly backups: BackupList;
  readonly requests: readonly RestoreRequestItem[];
}

export function backupsView({ spokePage, backups, requests }: BackupsProps, submission?: RefusedSubmission): PageView {
  const { spoke: { id, state } } = spokePage, isRemoved = state === "removed" || state === "removing";
  return {
    ...spokeHeader(spokePage, "/backups"),
    actions: allowedActions(spokePage).includes("backup") && backups.available
      ? ui.renderPostButton(`/spokes/${id}/actions/backup`, "Back up now", { variant: "main" })
      : "",
    body: markup`<div id="problems" data-live>${backupNotice(backups)}</div>
<div class="two-columns">${
      ui.panel("Backups", timeline(backups, isRemoved), { id: "backups", live: true })
    }<div class="column"><div class="column" id="requests" data-live>${restoreRequestList(spokePage, requests)}</div>${
      restoreRequestForm(spokePage, backups, submission)
    }<div class="column" id="side-panels" data-live>${isRemoved ? "" : schedulePanel(backups)}${
      retainedPanel(backups)
    }${restorePanel(spokePage)}</div></div></div>`,
  };
}

function backupNotice(backups: BackupList): Markup | string {
  const { available, lastError, lastFailureAt, lastSuccessAt } = backups;
  if (!available) return ui.callout("warn", markup`<p><b>Backups are not available.</b></p><p>${lastError ?? ""}</p>`);
  if (lastFailureAt === null || (lastSuccessAt !== null && lastSuccessAt > lastFailureAt)) {
    return failedTestNotice(backups);
  }
  return ui.callout(
    "bad",
    markup`<p><b>The last backup failed on ${ui.renderTime(lastFailureAt)}.</b></p><p>${lastError ?? ""}</p>`,
  );
}

function failedTestNotice({ unverifiedSince, lastVerifiedAt }: BackupList): Markup | string {
  if (unverifiedSince === null) return "";
  return ui.callout(
    "bad",
    markup`<p><b>The last restore test failed on ${
      ui.renderTime(unverifiedSince)
    }.</b></p><p>The site is not affected. Last passed restore test: ${ui.renderTime(lastVerifiedAt)}.</p>`,
  );
}

const STATES = {
  ready: ui.badge("good", "done", "Ready"),
  pending: ui.badge("info", "work", "In progress"),
  failed: ui.badge("bad", "cross", "Failed"),
} as const;

function timeline({ snapshots, schedule }: BackupList, isRemoved: boolean): Markup {
  if (snapshots.length === 0) {
    return ui.emptyState(
      "No backups yet",
      isRemoved ? "This spoke has no backups." : `Schedule: ${schedule}. You can also take a backup now.`,
    );
  }
  return markup`<ol class="timeline">${
    snapshots.map((snapshot) => {
      const { id, createdAt, sizeBytes, state, lmsVersion } = snapshot;
      const size = sizeBytes === null ? state === "ready" ? ["size unknown"] : [] : [formatBytes(sizeBytes)];
      return markup`<li id="${id}" class="${state}"><span class="when"><b>${
        ui.renderTime(createdAt)
      }</b><code class="tiny soft">${id}</code></span>
<span class="small soft">${[...size, ...(lmsVersion === null ? [] : [`Moodle ${lmsVersion}`])].join(", ")}</span> ${
        STATES[state]
      }${restoreTestLine(snapshot)}</li>`;
    })
  }</ol>`;
}

function restoreTestLine(
  { verifiedAt, verification, verificationError }: BackupList["snapshots"][number],
): Markup | string {
  const failed = verificationError === null
    ? ""
    : markup`<span class="bad">${icon("cross")} ${verificationError}</span>`;
  if (verification === null) return failed === "" ? "" : markup`<p class="small test-result">${failed}</p>`;
  const { courses, users, seconds, compared, files } = verification;
  const found = courses === null ? "" : `: ${countNoun(courses, "course")}, ${countNoun(users ?? 0, "user")}`;
  const fileCount = typeof files === "number" ? `, all ${countNoun(files, "uploaded file")}` : "";
  return markup`<p class="small soft test-result">${icon("done")} Restore test passed on ${
    ui.renderTime(verifiedAt)
  } in ${ui.formatDuration(seconds)}${found}${fileCount}${
    compared ? "; same counts as at the time of the backup" : "; no counts were stored with the backup"
  }. ${failed}</p>`;
}

function countNoun(count: number, what: string): string {
  return `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
}

function schedulePanel(
  { schedule, retention: { daily, weekly, monthly }, lastSuccessAt, lastFailureAt, restoreTests, lastVerifiedAt }:
    BackupList,
): Markup {
  return ui.panel(
    "Schedule and retention",
    ui.definitionList([
      ["Schedule", schedule],
      ["Last success", ui.renderTime(lastSuccessAt, "none yet")],
      ["Last failure", ui.renderTime(lastFailureAt, "none")],
      [
        "Retention",
        `${daily} daily, ${weekly} weekly and ${monthly} monthly backups; the newest is always kept`,
      ],
      ["Restore tests", RESTORE_TESTS[restoreTests]],
      restoreTests === "off" && lastVerifiedAt === null ? null : ["Last passed", ui.renderTime(lastVerifiedAt)],
    ]),
    { id: "schedule" },
  );
}

/** How often the newest backup is tested: it is restored into a temporary namespace and checked. */
const RESTORE_TESTS = {
  off: "off",
  weekly: "weekly, with the newest backup",
  nightly: "nightly, with the newest backup",
} as const;

function retainedPanel({ kept }: BackupList): Markup | string {
  if (kept.length === 0) return "";
  return ui.panel(
    "Volumes from before a restore",
    markup`${
      ui.definitionList(kept.map(({ claim, since, until }) => [
        claim,
        markup`from ${ui.renderTime(since)}, kept until ${ui.renderTime(until)}`,
      ]))
    }<p class="small">You can roll back to these volumes until then, and until the next backup succeeds.</p>`,
    { id: "retained-items" },
  );
}

function restorePanel({ spoke: { id, state }, isOperator, canManageHub }: SpokePageData): Markup {
  const steps = state === "removed"
    ? ["A new spoke is created in the same hub.", "The new spoke gets the files and the database from the backup."]
    : [
      "New volumes are created from the backup while the site runs.",
      "The site is stopped, then started with the new volumes.",
      "The previous volumes are kept for a week.",
    ];
  return ui.panel(
    "How a restore works",
    markup`<ol class="step-list small">${steps.map((step) => markup`<li>${step}</li>`)}</ol>
<p class="small">Changes since the backup are lost, including new passwords.</p>
<p class="small soft">${icon("people")} ${
      isOperator
        ? markup`Operators restore backups on the command line: <code>wheelwright restore ${id} --backup …</code>`
        : canManageHub
        ? "Only operators can restore a backup. Request a restore above."
        : "Only operators can restore a backup. An admin of the hub can request a restore."
    }</p>`,
    { id: "restoring" },
  );
}

function formatBytes(bytes: number): string {
  const power = Math.min(4, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${new Intl.NumberFormat("en", { maximumSignificantDigits: 3 }).format(bytes / 1024 ** power)} ${
    ["bytes", "KiB", "MiB", "GiB", "TiB"][power]
  }`;
}
