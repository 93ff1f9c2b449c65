/** Renders a form that runs an action on a spoke, with a preview of the action's effects from the API's dry run. */
import { formatCount } from "#lib/base/text.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import { Fault } from "#lib/base/errors.ts";
import { compareVersions } from "#lib/moodle/sizes.ts";
import { ACTION_PARAMETERS, ACTIONS, SPOKE_ACTIONS, type SpokeActionName } from "#lib/operations/table.ts";
import { buildModelField } from "#lib/portal/components/model-fields.ts";
import {
  type FormContent,
  type FormField,
  type RefusedSubmission,
  renderPostForm,
} from "#lib/portal/components/forms.ts";
import { callout, humanize, linkButton, panel, stateBadge } from "#lib/portal/components/parts.ts";
import type { CatalogOffer, CostEstimate, PreviewedAction, Spoke } from "#lib/portal/components/api-types.ts";
import type { PageView } from "#lib/portal/components/view.ts";
import { type SpokePageData, subpageHeader } from "#lib/portal/spokes/spoke-page.ts";
import { sizeField } from "#lib/portal/spokes/sizes.ts";
import { icon, type IconName } from "#lib/portal/components/icons.ts";
import { formatPrice } from "#lib/portal/components/amounts.ts";

/** Returns the action with this name. Throws a `missing` fault (`no_route`) if no action has this name. */
export function requireActionName(name: string | undefined): SpokeActionName {
  const found = SPOKE_ACTIONS.find((each) => each === name);
  if (!found) throw new Fault("missing", "no_route", "No such action");
  return found;
}

type ParameterName = keyof typeof ACTION_PARAMETERS & string;
export const ACTION_FIELDS = Object.keys(ACTION_PARAMETERS) as readonly ParameterName[];
export type ActionFields = Readonly<Record<ParameterName, string>>;

/** Returns the form's initial values: the next version for an upgrade, another size for a resize. */
export function defaultActionFields(
  action: SpokeActionName,
  { lmsVersion, size }: Spoke,
  catalog: CatalogOffer,
): ActionFields {
  const none = Object.fromEntries(ACTION_FIELDS.map((name) => [name, ""])) as ActionFields;
  if (action === "resize") return { ...none, size: catalog.sizes.find(({ name }) => name !== size)?.name ?? "" };
  if (action !== "upgrade") return none;
  const newer = catalog.versions.filter(({ name }) => compareVersions(name, lmsVersion) > 0);
  return { ...none, lmsVersion: (newer.find(({ preview }) => !preview) ?? newer[0])?.name ?? "" };
}

/** Returns the API request body that runs an action on a spoke. */
export function buildActionBody(action: SpokeActionName, fields: ActionFields): object {
  const values = Object.entries(ACTIONS[action].parameters ?? {}).map(([name, { schema }]) => {
    const value = fields[name as ParameterName];
    return [name, schema.type === "boolean" ? value !== "" : value || undefined];
  });
  return { action, ...Object.fromEntries(values) };
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
    lead: ACTIONS[action].summary,
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
            ...inputs,
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
): readonly FormContent[] {
  return Object.entries(ACTIONS[action].parameters ?? {}).map(([name, parameter]) => {
    const value = values[name as ParameterName], { schema, required } = parameter;
    if (name === "size") return sizeField({ catalog, chosen: value, currentSize: size, submission });
    if (name === "lmsVersion") return versionField(lmsVersion, catalog, value);
    const state = { catalog, value: schema.type === "boolean" ? value !== "" : value, required };
    return buildModelField(name, parameter, state);
  });
}

function versionField(
  current: string,
  { open, versions }: CatalogOffer,
  value: string,
): FormField {
  const named = versions.map(({ name, preview }) => [name, preview ? `${name} (preview)` : name] as const);
  const about = { name: "lmsVersion", label: "Version", value };
  if (!open.includes("versions")) {
    return {
      ...about,
      hint: `Current version: ${current}.`,
      options: value === "" ? [["", "Select a version"], ...named] : named,
    };
  }
  const hint = `Current version: ${current}. Available: ${named.map(([, text]) => text).join(", ")}.`;
  return { ...about, hint, required: true, maxLength: 40 };
}

export function previewSummary({ action, state, becomes, downtime, notes, price }: PreviewedAction): Markup {
  const stays = action === "maintenance-on" || becomes === "suspended";
  const lines: readonly (readonly [IconName, string])[] = [
    ...(downtime
      ? [[
        "warning",
        stays ? "The site becomes unavailable to visitors." : "The site is unavailable to visitors for a while.",
      ]]
      : state === "active"
      ? [["done", "The site stays available."]]
      : []) as [IconName, string][],
    ...(becomes === state ? [] : [["dot", `The state changes from ${state} to ${becomes}.`]]) as [IconName, string][],
    ...notes.map((note) => ["dot", `${note}.`] as const),
    ...costLines(price).map((words) => ["dot", words] as const),
  ];
  return markup`<ul class="effects small">${
    lines.map(([sign, words]) => markup`<li class="${sign}">${icon(sign)}<span>${words}</span></li>`)
  }</ul>`;
}

function costLines(price: CostEstimate): string[] {
  if (!price.available) return price.reason === undefined ? [] : [`The price is not available: ${price.reason}.`];
  const { currency, recurringMonthly, dueNow } = price;
  const credit = dueNow < 0
    ? `${formatPrice(-dueNow, currency)} is credited`
    : `${formatPrice(dueNow, currency)} is due now`;
  return [`New price: ${formatPrice(recurringMonthly, currency)} per month; ${credit}.`];
}

/** Renders the steps of an action, and the objects in the cluster that the action would change. */
export function previewPanels({ steps, changes }: PreviewedAction): Markup {
  const objects = new Map<string, PreviewedAction["changes"]>();
  for (const each of changes) objects.set(each.object, [...objects.get(each.object) ?? [], each]);
  const few = changes.length <= 8;
  return markup`${
    steps.length === 0 ? "" : panel(
      "Steps",
      markup`<ol class="step-list small">${steps.map((step) => markup`<li>${step}</li>`)}</ol>`,
      { id: "steps" },
    )
  }${
    panel(
      "Changes in the cluster",
      objects.size === 0
        ? markup`<p class="small soft">No existing object would change.</p>`
        : [...objects].map(([object, fields]) =>
          markup`<details id="object-${object}" class="object" ${
            few ? markup`open` : ""
          }><summary><code>${object}</code> <span class="soft tiny">${
            formatCount(fields.length, "field")
          }</span></summary><ul>${fields.map(changeLine)}</ul></details>`
        ),
      {
        id: "changes",
        lead: objects.size === 0 ? "" : "The cluster checked these changes in a dry run. Nothing has changed yet.",
      },
    )
  }`;
}

function changeLine({ field, from, to }: PreviewedAction["changes"][number]): Markup {
  return markup`<li>${
    field === ""
      ? markup`<span class="small">${isNothing(from) ? "created" : "removed"}</span>`
      : markup`<code>${field}</code>`
  }<div class="fromto">${
    isNothing(from) && field === "" ? "" : markup`<del><span class="visually-hidden">From </span>${valueOf(from)}</del>`
  }${
    isNothing(to) && field === "" ? "" : markup`<ins><span class="visually-hidden">to </span>${valueOf(to)}</ins>`
  }</div></li>`;
}

function valueOf(value: unknown): Markup | string {
  if (isNothing(value)) return "nothing";
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return text.includes("\n") ? markup`<pre tabindex="0">${text.trimEnd()}</pre>` : text === "" ? "empty" : text;
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined;
}
