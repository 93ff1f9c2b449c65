/** Renders the page that removes a spoke: what is deleted, what is kept, and the confirmation. */
import { type Markup, markup } from "#lib/http/page.ts";
import { type RefusedSubmission, renderPostForm } from "#lib/portal/components/forms.ts";
import { icon } from "#lib/portal/components/icons.ts";
import { callout, linkButton, panel, renderPostButton, stateBadge } from "#lib/portal/components/parts.ts";
import { failureReport, progressBar } from "#lib/portal/components/progress.ts";
import type { BackupList, OperationDetails, Spoke } from "#lib/portal/components/api-types.ts";
import type { PageView } from "#lib/portal/components/view.ts";
import { type SpokePageData, subpageHeader } from "#lib/portal/spokes/spoke-page.ts";

export interface DestroyProps {
  readonly spokePage: SpokePageData;
  readonly backups: BackupList;
  /** The operation that removes the spoke; null before a user requests the removal. */
  readonly removal: OperationDetails | null;
  readonly submission?: RefusedSubmission | undefined;
}

export function destroySpokeView({ spokePage, backups, removal, submission }: DestroyProps): PageView {
  const { spoke } = spokePage, { displayName, state, health } = spoke;
  const about = {
    ...subpageHeader(spokePage),
    badge: stateBadge(state, health),
    follow: spokePage.follow,
  };
  if (state === "removing" || state === "removed") {
    return { ...about, title: `Removal of ${displayName}`, body: removalPanels(spokePage, removal, submission) };
  }
  return {
    ...about,
    title: `Destroy ${displayName}`,
    lead: "This permanently removes the site. The removal starts immediately and cannot be cancelled.",
    body: markup`<div class="two-columns"><div class="column">${
      panel("What is deleted", lostList(spoke), { id: "deleted-items" })
    }${panel("What is kept", retainedList(backups), { id: "retained-items" })}</div>${
      panel("Confirm", slugForm(spoke, "Destroy this spoke", {}, submission), { id: "destroy" })
    }</div>`,
  };
}

function lostList({ domain, formerDomains }: Spoke): Markup {
  return iconList("cross", [
    markup`The site at <b>${domain}</b>: its courses, users, activity and files`,
    markup`The address${formerDomains.length > 0 ? " and all former addresses" : ""}, which other sites can then use`,
    "The site's namespace in the cluster, with all objects in that namespace",
    "Running and queued operations, which are cancelled",
    "The access rights of the spoke's admins",
  ]);
}

function retainedList({ available, lastError, lastSuccessAt, snapshots }: BackupList): Markup {
  const ready = snapshots.filter(({ state }) => state === "ready").length;
  return markup`${
    iconList("done", [
      ...(available
        ? ["A final backup of the site's files and database, taken before anything is deleted and kept permanently"]
        : []),
      ...(ready > 0 ? [ready === 1 ? "The existing backup" : `The ${ready} existing backups`] : []),
      "The spoke's audit events, for the hub's admins",
    ])
  }${available ? "" : callout("warn", markup`<p><b>No final backup can be taken.</b> ${lastError ?? ""}</p>`)}${
    lastSuccessAt === null && !available ? callout("bad", "This site has no backups.") : ""
  }
<p class="small soft">An operator can recreate the spoke from a backup.</p>`;
}

function iconList(sign: "cross" | "done", lines: readonly (Markup | string)[]): Markup {
  return markup`<ul class="signed ${sign}">${
    lines.map((line) => markup`<li>${icon(sign)}<span>${line}.</span></li>`)
  }</ul>`;
}

function slugForm(
  { id, slug }: Spoke,
  button: string,
  hidden: Readonly<Record<string, string>>,
  submission: RefusedSubmission | undefined,
): Markup {
  return renderPostForm(
    {
      action: `/spokes/${id}/destroy`,
      button,
      variant: "danger",
      submission,
      hidden,
      also: markup`<a class="small" href="/spokes/${id}">Cancel</a>`,
    },
    {
      name: "slug",
      label: "Slug of the spoke",
      hint: markup`Type <b>${slug}</b> to confirm.`,
      required: true,
      maxLength: 63,
    },
  );
}

function removalPanels(
  { spoke, isOperator }: SpokePageData,
  removal: OperationDetails | null,
  submission: RefusedSubmission | undefined,
): Markup {
  if (spoke.state === "removed") {
    return callout("info", markup`This spoke was removed. ${spoke.stateReason ? `${spoke.stateReason}.` : ""}`);
  }
  const stuck = removal === null || removal.error !== null;
  return markup`<div class="two-columns">${
    panel(
      "Removal in progress",
      markup`${removal ? markup`${progressBar(removal)}${failureReport(removal)}` : ""}
<p class="small">Wheelwright retries until the removal succeeds.${
        stuck ? " If you fixed the cause, retry now." : ""
      }</p>
<div class="form-actions">${
        stuck ? renderPostButton(`/spokes/${spoke.id}/destroy`, "Retry now", { variant: "main" }) : ""
      }${linkButton(["Back to the spoke", `/spokes/${spoke.id}`])}</div>`,
      { id: "removal", live: true },
    )
  }${
    isOperator && stuck
      ? panel(
        "Abandon the removal",
        markup`<p class="small">If the spoke's cluster no longer exists, the removal never finishes. Abandon
the removal to mark the spoke as removed. <b>Objects in the cluster are not deleted.</b></p>
${slugForm(spoke, "Abandon", { abandon: "yes" }, submission)}`,
        { id: "abandon" },
      )
      : ""
  }</div>`;
}
