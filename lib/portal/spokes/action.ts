/** An action on a spoke: what it would do, before it is done. */
import { type Markup, markup } from "#lib/http/page.ts";
import { Fault } from "#lib/base/errors.ts";
import { compareVersions } from "#lib/moodle/sizes.ts";
import { SPOKE_ACTIONS, type SpokeActionName } from "#lib/operations/table.ts";
import { checkbox, field, postForm, selectField, type Submission } from "#lib/portal/components/forms.ts";
import { humanize, linkButton, notice, panel, stateBadge } from "#lib/portal/components/parts.ts";
import type { CatalogOffer, PreviewedAction, Spoke } from "#lib/portal/components/api-types.ts";
import type { View } from "#lib/portal/components/view.ts";
import { previewPanels, previewStyle, previewSummary } from "#lib/portal/spokes/action-preview.ts";
import { type SpokePage, subpageHead } from "#lib/portal/spokes/spoke-page.ts";
import { sizeChoice, sizeStyle } from "#lib/portal/spokes/sizes.ts";

const DESCRIPTIONS: Readonly<Record<SpokeActionName, string>> = {
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
export function requireAction(name: string | undefined): SpokeActionName {
  const found = SPOKE_ACTIONS.find((each) => each === name);
  if (!found) throw new Fault("missing", "no_route", "There is no such action");
  return found;
}

/** What a form of an action sends besides. */
export type ActionFields = Readonly<Record<"lmsVersion" | "size" | "skipBackup", string>>;

/** What is chosen before anybody has: the next version, or another size. */
export function defaultFields(
  action: SpokeActionName,
  { lmsVersion, size }: Spoke,
  catalog: CatalogOffer,
): ActionFields {
  const none = { lmsVersion: "", size: "", skipBackup: "" };
  if (action === "resize") return { ...none, size: catalog.sizes.find(({ name }) => name !== size)?.name ?? "" };
  if (action !== "upgrade") return none;
  const newer = catalog.versions.filter(({ name }) => compareVersions(name, lmsVersion) > 0);
  return { ...none, lmsVersion: (newer.find(({ preview }) => !preview) ?? newer[0])?.name ?? "" };
}

/** What the API takes for it. */
export function actionBody(action: SpokeActionName, { lmsVersion, size, skipBackup }: ActionFields): object {
  if (action === "resize") return { action, size };
  return action === "upgrade" ? { action, lmsVersion, skipBackup: skipBackup !== "" } : { action };
}

export interface ActionProps {
  readonly spokePage: SpokePage;
  readonly action: SpokeActionName;
  readonly catalog: CatalogOffer;
  readonly values: ActionFields;
  /** What it would come to; null where that is refused, or cannot be asked. */
  readonly preview: PreviewedAction | null;
  readonly submission?: Submission | undefined;
  /** Whether asking for it would only be refused. */
  readonly blocked: boolean;
}

export function actionView({ spokePage, action, catalog, values, preview, submission, blocked }: ActionProps): View {
  const { spoke } = spokePage, back = `/spokes/${spoke.id}`, path = `${back}/actions/${action}`;
  const inputs = fieldsOf(action, spoke, catalog, values, submission);
  return {
    ...subpageHead(spokePage),
    title: humanize(action),
    badge: stateBadge(spoke.state, spoke.health),
    lead: DESCRIPTIONS[action],
    style: previewStyle + sizeStyle,
    body: markup`<div class="asking" id="asking">${
      panel(
        spoke.displayName,
        blocked && inputs.length === 0
          ? markup`${notice("warn", `${submission?.message ?? "This cannot be done now"}.`)}
<p>${linkButton(["Back to the spoke", back])}</p>`
          : postForm(
            {
              action: path,
              button: humanize(action),
              variant: action === "suspend" ? "danger" : "main",
              submission,
              also: markup`${inputs.length === 0 ? "" : PREVIEW_BUTTON}<a class="small" href="${back}">Cancel</a>`,
              ...(inputs.length > 0 && { previews: "asking" }),
            },
            inputs,
            preview ? previewSummary(preview) : "",
          ),
        { id: "ask" },
      )
    }<div class="pile">${preview ? previewPanels(preview) : ""}</div></div>`,
  };
}

/** For those whose page shows it by itself there is nothing to press. */
const PREVIEW_BUTTON =
  markup`<noscript><button class="quiet" name="preview" value="yes">Show what it would do</button></noscript>`;

function fieldsOf(
  action: SpokeActionName,
  { size, lmsVersion }: Spoke,
  catalog: CatalogOffer,
  values: ActionFields,
  submission: Submission | undefined,
): readonly Markup[] {
  if (action === "resize") return [sizeChoice({ catalog, chosen: values.size, currentSize: size, submission })];
  if (action !== "upgrade") return [];
  const skip = "Only where the cluster cannot take one: without a backup there is no way back.";
  return [
    versionField(lmsVersion, catalog, values.lmsVersion, submission),
    checkbox("skipBackup", "Go on without a backup", values.skipBackup !== "", skip),
  ];
}

function versionField(
  current: string,
  { open, versions }: CatalogOffer,
  value: string,
  submission: Submission | undefined,
): Markup {
  const named = versions.map(({ name, preview }) => [name, preview ? `${name} (preview)` : name] as const);
  const about = { name: "lmsVersion", label: "Version", value, submission };
  if (!open.includes("versions")) {
    return selectField({
      ...about,
      hint: `It runs ${current}.`,
      options: value === "" ? [["", "Choose one"], ...named] : named,
    });
  }
  const hint = `It runs ${current}. On offer: ${named.map(([, text]) => text).join(", ")}.`;
  return field({ ...about, hint, required: true, maxLength: 40 });
}
