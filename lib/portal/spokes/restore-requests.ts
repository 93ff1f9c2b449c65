/** Renders restore requests on a spoke's backups page: a form, a list, and buttons for an operator's decision. */
import { type Markup, markup } from "#lib/http/page.ts";
import { type RefusedSubmission, renderPostForm } from "#lib/portal/components/forms.ts";
import type { IconName } from "#lib/portal/components/icons.ts";
import * as ui from "#lib/portal/components/parts.ts";
import type { BackupList, RestoreRequestItem } from "#lib/portal/components/api-types.ts";
import type { SpokePageData } from "#lib/portal/spokes/spoke-page.ts";

const BADGES: Readonly<Record<RestoreRequestItem["state"], readonly [ui.BadgeTone, IconName, string]>> = {
  open: ["warn", "wait", "Open"],
  done: ["good", "done", "Done"],
  declined: ["bad", "cross", "Declined"],
};

/** Returns the form for restore requests; empty if the user may not request a restore or no backup is ready. */
export function restoreRequestForm(
  { spoke: { id }, canManageHub }: SpokePageData,
  backups: BackupList,
  submission?: RefusedSubmission,
): Markup | string {
  const ready = backups.snapshots.filter(({ state }) => state === "ready");
  if (!canManageHub || ready.length === 0) return "";
  return ui.panel(
    "Request a restore",
    renderPostForm(
      {
        action: `/spokes/${id}/backups`,
        button: "Request a restore",
        submission,
        hidden: { key: crypto.randomUUID() },
      },
      {
        name: "backupId",
        label: "Backup",
        options: ready.map(({ id, createdAt }) =>
          [id, `${new Date(createdAt).toISOString().slice(0, 16).replace("T", " ")} UTC (${id})`] as const
        ),
      },
      {
        name: "reason",
        label: "Reason",
        type: "textarea",
        hint: "Shown to operators.",
        required: true,
        maxLength: 2000,
      },
    ),
    {
      id: "request",
      lead: "Operators are notified and restore the spoke. Changes since the backup are lost.",
    },
  );
}

export function restoreRequestList(
  { isOperator }: SpokePageData,
  requests: readonly RestoreRequestItem[],
): Markup | string {
  if (requests.length === 0) return "";
  return ui.panel(
    "Restore requests",
    markup`<ul class="list plain">${
      requests.map((request) => {
        const { id, backupId, reason, state, requestedBy, createdAt, decidedBy, decidedAt, declineReason } = request;
        return markup`<li id="${id}"><span class="name"><code class="tiny">${backupId}</code><span class="tiny soft">${requestedBy.email}, ${
          ui.renderTime(createdAt)
        }</span></span>
<span class="small marks"><span class="reason">${reason}</span>${
          declineReason === null ? "" : markup`<span class="reason">Declined: ${declineReason}</span>`
        }${
          decidedAt === null
            ? ""
            : markup`<span class="tiny soft">${decidedBy?.email ?? "Restored"}, ${ui.renderTime(decidedAt)}</span>`
        }${isOperator && state === "open" ? decision(request) : ""}</span>${ui.badge(...BADGES[state])}</li>`;
      })
    }</ul>`,
    { id: "requested" },
  );
}

function decision({ id, spokeId, command }: RestoreRequestItem): Markup {
  const action = `/spokes/${spokeId}/restore-requests/${id}`;
  return markup`${command === null ? "" : ui.copyableCode(command, "the command that restores")}
${ui.renderPostButton(action, "Mark as done", { fields: { state: "done" }, about: id })}
<details><summary>Decline …</summary>${
    renderPostForm(
      { action, button: "Decline", variant: "danger", hidden: { state: "declined" } },
      markup`<div class="field"><label for="${id}-reason">Reason</label>
<textarea id="${id}-reason" name="declineReason" required maxlength="2000" rows="3"></textarea></div>`,
    )
  }</details>`;
}
