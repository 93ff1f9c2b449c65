/** Renders a form that runs an action on a spoke, with a preview of the action's effects. */
import { type Markup, markup } from "#lib/http/page.ts";
import { Fault } from "#lib/base/errors.ts";
import { compareVersions } from "#lib/moodle/sizes.ts";
import { SPOKE_ACTIONS, type SpokeActionName } from "#lib/operations/table.ts";
import {
  checkboxField,
  inputField,
  type RefusedSubmission,
  renderPostForm,
  selectField,
} from "#lib/portal/components/forms.ts";
import { callout, humanize, linkButton, panel, stateBadge } from "#lib/portal/components/parts.ts";
import type { CatalogOffer, PreviewedAction, Spoke } from "#lib/portal/components/api-types.ts";
import type { PageView } from "#lib/portal/components/view.ts";
import { previewPanels, previewStyle, previewSummary } from "#lib/portal/spokes/action-preview.ts";
import { type SpokePageData, subpageHeader } from "#lib/portal/spokes/spoke-page.ts";
import { sizeField, sizeStyle } from "#lib/portal/spokes/sizes.ts";

const DESCRIPTIONS: Readonly<Record<SpokeActionName, string>> = {
  suspend: "Stops the site. Its data is kept.",
  resume: "Starts the suspended site again.",
  restart: "Restarts Moodle and its scheduled tasks. Data is kept.",
  upgrade: "Upgrades Moodle to a newer version. A backup is taken first.",
  resize: "Changes the site's CPU, memory and storage.",
  "maintenance-on": "Shows Moodle's maintenance page to visitors.",
  "maintenance-off": "Ends maintenance mode.",
  "purge-caches": "Purges Moodle's caches.",
  backup: "Takes a backup of the site's files and database now.",
  "run-cron": "Runs Moodle's scheduled tasks now.",
  "reset-admin-password": "Sets a new password for the site's admin account and ends its sessions.",
  reapply: "Reverts changes that were made to the site's objects in the cluster.",
  retry: "Resumes the spoke's failed operation.",
};

/** Returns the action with this name. Throws a `missing` fault (`no_route`) if no action has this name. */
export function requireActionName(name: string | undefined): SpokeActionName {
  const found = SPOKE_ACTIONS.find((each) => each === name);
  if (!found) throw new Fault("missing", "no_route", "No such action");
  return found;
}

export type ActionFields = Readonly<Record<"lmsVersion" | "size" | "skipBackup", string>>;

/** Returns the form's initial values: the next version for an upgrade, another size for a resize. */
export function defaultActionFields(
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

/** Returns the API request body that runs an action on a spoke. */
export function buildActionBody(action: SpokeActionName, { lmsVersion, size, skipBackup }: ActionFields): object {
  if (action === "resize") return { action, size };
  return action === "upgrade" ? { action, lmsVersion, skipBackup: skipBackup !== "" } : { action };
}

export interface ActionProps {
  readonly spokePage: SpokePageData;
  readonly action: SpokeActionName;
  readonly catalog: CatalogOffer;
  readonly values: ActionFields;
  /** The preview of the action; null if the API refused the preview or could not create one. */
  readonly preview: PreviewedAction | null;
  readonly submission?: RefusedSubmission | undefined;
  /** Whether the API would refuse the action. */
  readonly blocked: boolean;
}

export function actionView(
  { spokePage, action, catalog, values, preview, submission, blocked }: ActionProps,
): PageView {
  const { spoke } = spokePage, back = `/spokes/${spoke.id}`, path = `${back}/actions/${action}`;
  const inputs = fieldsOf(action, spoke, catalog, values, submission);
  return {
    ...subpageHeader(spokePage),
    title: humanize(action),
    badge: stateBadge(spoke.state, spoke.health),
    lead: DESCRIPTIONS[action],
    style: previewStyle + sizeStyle,
    body: markup`<div class="with-preview" id="with-preview">${
      panel(
        spoke.displayName,
        blocked && inputs.length === 0
          ? markup`${callout("warn", `${submission?.message ?? "This is not possible right now"}.`)}
<p>${linkButton(["Back to the spoke", back])}</p>`
          : renderPostForm(
            {
              action: path,
              button: humanize(action),
              variant: action === "suspend" ? "danger" : "main",
              submission,
              also: markup`${inputs.length === 0 ? "" : PREVIEW_BUTTON}<a class="small" href="${back}">Cancel</a>`,
              ...(inputs.length > 0 && { previews: "with-preview" }),
            },
            inputs,
            preview ? previewSummary(preview) : "",
          ),
        { id: "ask" },
      )
    }<div class="column">${preview ? previewPanels(preview) : ""}</div></div>`,
  };
}

/** A preview button for browsers without JavaScript. In other browsers, the script shows the preview automatically. */
const PREVIEW_BUTTON = markup`<noscript><button class="quiet" name="preview" value="yes">Preview</button></noscript>`;

function fieldsOf(
  action: SpokeActionName,
  { size, lmsVersion }: Spoke,
  catalog: CatalogOffer,
  values: ActionFields,
  submission: RefusedSubmission | undefined,
): readonly Markup[] {
  if (action === "resize") return [sizeField({ catalog, chosen: values.size, currentSize: size, submission })];
  if (action !== "upgrade") return [];
  const skip = "Use this only if the cluster cannot take a backup. Without a backup, you cannot roll back.";
  return [
    versionField(lmsVersion, catalog, values.lmsVersion, submission),
    checkboxField("skipBackup", "Skip the backup", values.skipBackup !== "", skip),
  ];
}

function versionField(
  current: string,
  { open, versions }: CatalogOffer,
  value: string,
  submission: RefusedSubmission | undefined,
): Markup {
  const named = versions.map(({ name, preview }) => [name, preview ? `${name} (preview)` : name] as const);
  const about = { name: "lmsVersion", label: "Version", value, submission };
  if (!open.includes("versions")) {
    return selectField({
      ...about,
      hint: `Current version: ${current}.`,
      options: value === "" ? [["", "Select a version"], ...named] : named,
    });
  }
  const hint = `Current version: ${current}. Available: ${named.map(([, text]) => text).join(", ")}.`;
  return inputField({ ...about, hint, required: true, maxLength: 40 });
}
