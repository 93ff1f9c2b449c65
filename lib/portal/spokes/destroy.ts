/** The end of a spoke: what is lost, what is kept, and whether it is really this one. */
import { Fault } from "#lib/base/errors.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import { field, postForm, type Submission } from "#lib/portal/components/forms.ts";
import { icon } from "#lib/portal/components/icons.ts";
import { linkButton, notice, panel, postButton, stateBadge } from "#lib/portal/components/parts.ts";
import { failureReport, progressBar } from "#lib/portal/components/progress.ts";
import type { Backups, OperationDetails, Spoke } from "#lib/portal/components/api-types.ts";
import type { View } from "#lib/portal/components/view.ts";
import { type SpokePage, subpageHead } from "#lib/portal/spokes/spoke-page.ts";

/** Nobody removes a spoke by a slip: its slug is typed. Throws Fault invalid. */
export function requireSlug({ slug }: Spoke, typed: string): void {
  if (typed.trim() === slug) return;
  const fields = { slug: `must be ${slug}, the slug of this spoke` };
  throw new Fault("invalid", "invalid_input", `slug ${fields.slug}`, { fields });
}

export interface DestroyProps {
  readonly spokePage: SpokePage;
  readonly backups: Backups;
  /** The removal, once it was asked for. */
  readonly removal: OperationDetails | null;
  readonly submission?: Submission | undefined;
}

export function destroyView({ spokePage, backups, removal, submission }: DestroyProps): View {
  const { spoke } = spokePage, { displayName, state, health } = spoke;
  const about = { ...subpageHead(spokePage), badge: stateBadge(state, health), style: STYLE, follow: spokePage.follow };
  if (state === "removing" || state === "removed") {
    return { ...about, title: `The removal of ${displayName}`, body: removalPanels(spokePage, removal, submission) };
  }
  return {
    ...about,
    title: `Destroy ${displayName}`,
    lead: "This takes the site down for good. It begins at once, and cannot be called off.",
    body: markup`<div class="two"><div class="pile">${panel("What is lost", lostList(spoke), { id: "lost" })}${
      panel("What is kept", keptList(backups), { id: "kept" })
    }</div>${panel("Destroy it", slugForm(spoke, "Destroy this spoke", {}, submission), { id: "destroy" })}</div>`,
  };
}

function lostList({ domain, formerDomains }: Spoke): Markup {
  return iconList("cross", [
    markup`The site at <b>${domain}</b>: its courses, its users, what they have done, and all of its files`,
    markup`Its address${formerDomains.length > 0 ? " and its former ones" : ""}, which others may take afterwards`,
    "Its namespace in the cluster, with all that is in it",
    "What is under way or waits for it: that is called off",
    "The access of those who administer it",
  ]);
}

function keptList({ available, lastError, lastSuccessAt, snapshots }: Backups): Markup {
  const ready = snapshots.filter(({ state }) => state === "ready").length;
  return markup`${
    iconList("done", [
      ...(available
        ? ["A last backup of its files and its database, taken before anything is deleted; it stays for good"]
        : []),
      ...(ready > 0 ? [ready === 1 ? "The backup that there is" : `The ${ready} backups that there are`] : []),
      "What was done with it, and by whom, for those who run its hub",
    ])
  }${available ? "" : notice("warn", markup`<p><b>No last backup can be taken.</b> ${lastError ?? ""}</p>`)}${
    lastSuccessAt === null && !available ? notice("bad", "There is no backup of this site at all.") : ""
  }
<p class="small soft">An operator can make a new spoke from a backup; it has then what the site had when the backup was taken.</p>`;
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
  submission: Submission | undefined,
): Markup {
  return postForm(
    {
      action: `/spokes/${id}/destroy`,
      button,
      variant: "danger",
      submission,
      hidden,
      also: markup`<a class="small" href="/spokes/${id}">Cancel</a>`,
    },
    field({
      name: "slug",
      label: "Slug of the spoke",
      hint: markup`Type <b>${slug}</b>, so that it is this one that goes.`,
      required: true,
      submission,
      maxLength: 63,
    }),
  );
}

function removalPanels(
  { spoke, isOperator }: SpokePage,
  removal: OperationDetails | null,
  submission: Submission | undefined,
): Markup {
  if (spoke.state === "removed") {
    return notice("info", markup`It is removed. ${spoke.stateReason ? `${spoke.stateReason}.` : ""}`);
  }
  const stuck = removal === null || removal.error !== null;
  return markup`<div class="two">${
    panel(
      "It is being removed",
      markup`${removal ? markup`${progressBar(removal)}${failureReport(removal)}` : ""}
<p class="small">A removal goes on trying for as long as it takes.${
        stuck ? " If you have put right what it hangs on, let it try at once." : ""
      }</p>
<div class="ends">${stuck ? postButton(`/spokes/${spoke.id}/destroy`, "Try again now", { variant: "main" }) : ""}${
        linkButton(["Back to the spoke", `/spokes/${spoke.id}`])
      }</div>`,
      { id: "removal", live: true },
    )
  }${
    isOperator && stuck
      ? panel(
        "Give it up",
        markup`<p class="small">Where its cluster is gone for good, the removal never ends. Given up, the spoke counts as removed without the cluster's word; <b>what is left of it in the cluster stays there</b>.</p>
${slugForm(spoke, "Give the spoke up", { abandon: "yes" }, submission)}`,
        { id: "abandon" },
      )
      : ""
  }</div>`;
}

const STYLE = `
.signed { list-style: none; padding: 0; display: grid; gap: var(--s3); font-size: var(--small); }
.signed li { display: grid; grid-template-columns: 1.15rem minmax(0, 1fr); gap: var(--s3); overflow-wrap: anywhere; }
.signed .icon { margin-top: .1rem; }
.signed.cross .icon { color: var(--bad); } .signed.done .icon { color: var(--good); }
#destroy, #abandon { border-color: var(--bad); }
`;
