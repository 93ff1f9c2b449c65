/** An action on a spoke: what it would do, before it is done. */
import { type Markup, markup } from "#lib/http/page.ts";
import { Fault } from "#lib/base/errors.ts";
import { compareVersions } from "#lib/moodle/sizes.ts";
import { SPOKE_ACTIONS, type SpokeActionName } from "#lib/operations/table.ts";
import { choice, field, formOf, tick, type Tried } from "#lib/portal/components/forms.ts";
import { linkButton, notice, panel, stateBadge, titled } from "#lib/portal/components/parts.ts";
import type { Foreseen, Offers, Spoke } from "#lib/portal/components/told.ts";
import type { View } from "#lib/portal/components/view.ts";
import { foreseenParts, foreseenStyle, foreseenWords } from "#lib/portal/spokes/foreseen.ts";
import { belowSpoke, type SpokePlace } from "#lib/portal/spokes/place.ts";
import { sizeChoice, sizeStyle } from "#lib/portal/spokes/sizes.ts";

const WHAT: Readonly<Record<SpokeActionName, string>> = {
  suspend: "Stops the site, and keeps all that it has.",
  resume: "Starts the site again, with all that it had.",
  restart: "Starts Moodle and its scheduled tasks anew. Data stay as they are.",
  upgrade: "Brings the site to a newer version of Moodle, with a backup first.",
  resize: "Gives the site more or less to work with.",
  "maintenance-on": "Tells visitors that the site is in maintenance.",
  "maintenance-off": "Lets visitors in again.",
  "purge-caches": "Empties Moodle's caches.",
  backup: "Takes a backup of the site's files and database now, besides the nightly ones.",
  "run-cron": "Runs Moodle's scheduled tasks now, besides the regular runs.",
  "reset-admin-password": "Gives the site's account admin a new password, and ends its sessions.",
  reapply: "Puts back what differs from what the site was made from.",
  retry: "Goes on with what failed.",
};

/** Throws Fault missing `no_route`. */
export function demandAction(name: string | undefined): SpokeActionName {
  const found = SPOKE_ACTIONS.find((each) => each === name);
  if (!found) throw new Fault("missing", "no_route", "There is no such action");
  return found;
}

/** What a form of an action sends besides. */
export type ActionFields = Readonly<Record<"lmsVersion" | "size" | "skipBackup", string>>;

/** What is chosen before anybody has: the next version, or another size. */
export function firstWish(action: SpokeActionName, { lmsVersion, size }: Spoke, offers: Offers): ActionFields {
  const none = { lmsVersion: "", size: "", skipBackup: "" };
  if (action === "resize") return { ...none, size: offers.sizes.find(({ name }) => name !== size)?.name ?? "" };
  if (action !== "upgrade") return none;
  const newer = offers.versions.filter(({ name }) => compareVersions(name, lmsVersion) > 0);
  return { ...none, lmsVersion: (newer.find(({ preview }) => !preview) ?? newer[0])?.name ?? "" };
}

/** What the API takes for it. */
export function actionBody(action: SpokeActionName, { lmsVersion, size, skipBackup }: ActionFields): object {
  if (action === "resize") return { action, size };
  return action === "upgrade" ? { action, lmsVersion, skipBackup: skipBackup !== "" } : { action };
}

export interface ActionShown {
  readonly place: SpokePlace;
  readonly action: SpokeActionName;
  readonly offers: Offers;
  readonly given: ActionFields;
  /** What it would come to; null where that is refused, or cannot be asked. */
  readonly foreseen: Foreseen | null;
  readonly tried?: Tried | undefined;
  /** Whether asking for it would only be refused. */
  readonly blocked: boolean;
}

export function actionView({ place, action, offers, given, foreseen, tried, blocked }: ActionShown): View {
  const { spoke } = place, back = `/spokes/${spoke.id}`, path = `${back}/actions/${action}`;
  const wished = fieldsOf(action, spoke, offers, given, tried);
  return {
    ...belowSpoke(place),
    title: titled(action),
    badge: stateBadge(spoke.state, spoke.health),
    lead: WHAT[action],
    style: foreseenStyle + sizeStyle,
    body: markup`<div class="asking" id="asking">${
      panel(
        spoke.displayName,
        blocked && wished.length === 0
          ? markup`${notice("warn", `${tried?.message ?? "This cannot be done now"}.`)}
<p>${linkButton(["Back to the spoke", back])}</p>`
          : formOf(
            {
              action: path,
              button: titled(action),
              look: action === "suspend" ? "danger" : "main",
              tried,
              also: markup`${wished.length === 0 ? "" : SHOW}<a class="small" href="${back}">Cancel</a>`,
              ...(wished.length > 0 && { previews: "asking" }),
            },
            wished,
            foreseen ? foreseenWords(foreseen) : "",
          ),
        { id: "ask" },
      )
    }<div class="pile">${foreseen ? foreseenParts(foreseen) : ""}</div></div>`,
  };
}

/** For those whose page shows it by itself there is nothing to press. */
const SHOW =
  markup`<noscript><button class="quiet" name="preview" value="yes">Show what it would do</button></noscript>`;

function fieldsOf(
  action: SpokeActionName,
  { size, lmsVersion }: Spoke,
  offers: Offers,
  given: ActionFields,
  tried: Tried | undefined,
): readonly Markup[] {
  if (action === "resize") return [sizeChoice({ offers, chosen: given.size, present: size, tried })];
  if (action !== "upgrade") return [];
  const skip = "Only where the cluster cannot take one: without a backup there is no way back.";
  return [
    versionField(lmsVersion, offers, given.lmsVersion, tried),
    tick("skipBackup", "Go on without a backup", given.skipBackup !== "", skip),
  ];
}

function versionField(present: string, { open, versions }: Offers, value: string, tried: Tried | undefined): Markup {
  const named = versions.map(({ name, preview }) => [name, preview ? `${name} (preview)` : name] as const);
  const about = { name: "lmsVersion", label: "Version", value, tried };
  if (!open.includes("versions")) {
    return choice({
      ...about,
      hint: `It runs ${present}.`,
      options: value === "" ? [["", "Choose one"], ...named] : named,
    });
  }
  const hint = `It runs ${present}. On offer: ${named.map(([, text]) => text).join(", ")}.`;
  return field({ ...about, hint, required: true, most: 40 });
}
