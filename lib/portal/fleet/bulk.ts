/** Renders the pages of an action on several spokes: its parameters, its preview and its results. */
import { formatCount } from "#lib/base/text.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import { formatPrice } from "#lib/portal/components/amounts.ts";
import * as ui from "#lib/portal/components/parts.ts";
import {
  checkboxField,
  type FormContent,
  type RefusedSubmission,
  renderPostForm,
} from "#lib/portal/components/forms.ts";
import type { BulkActionResult, CatalogOffer, PreviewedBulkAction } from "#lib/portal/components/api-types.ts";
import type { PageView } from "#lib/portal/components/view.ts";
import { type BulkFormValues, selectionFields } from "#lib/portal/fleet/bulk-form.ts";

interface BulkProps {
  readonly action: string;
  /** The fields of the form that selects the spokes. */
  readonly values: BulkFormValues;
}

const PARAMETERS = ["lmsVersion", "size", "skipBackup", "email"] as const;

function needsEmail(action: string): boolean {
  return action === "suspend-person" || action === "reinstate-person";
}

/** Returns whether the action needs a parameter that the form does not contain yet. */
export function needsParameter({ action, values }: BulkProps): boolean {
  return action === "upgrade" && !values.lmsVersion || action === "resize" && !values.size ||
    needsEmail(action) && !values.email;
}

/** Returns the action's parameters as the API takes them. */
export function bulkParameters({ action, values }: BulkProps): object {
  return {
    lmsVersion: action === "upgrade" ? values.lmsVersion : undefined,
    size: action === "resize" ? values.size : undefined,
    email: needsEmail(action) ? values.email : undefined,
    skipBackup: action === "upgrade" && values.skipBackup === "on" ? true : undefined,
  };
}

export function bulkParametersView(props: BulkProps & { readonly catalog: CatalogOffer }): PageView {
  const { action, values, catalog } = props, isUpgrade = action === "upgrade";
  const choices = (isUpgrade ? catalog.versions : catalog.sizes).map(({ name }) => [name] as const);
  const fields: FormContent[] = isUpgrade
    ? [
      { name: "lmsVersion", label: "Version", options: choices },
      checkboxField("skipBackup", "Upgrade without a backup if the cluster cannot take one", false),
    ]
    : needsEmail(action)
    ? [{ name: "email", label: "Email address", type: "email", required: true }]
    : [{ name: "size", label: "Size", options: choices }];
  return {
    ...bulkHead(`${ui.humanize(action)} several spokes`),
    body: ui.panel(
      isUpgrade ? "Version to upgrade to" : needsEmail(action) ? "Person" : "New size",
      renderPostForm({
        action: "/spokes/actions",
        button: "Preview",
        also: cancelLink(values),
        hidden: { ...selectionFields(values), action },
      }, ...fields),
      { id: "parameters" },
    ),
  };
}

interface BulkPreviewProps extends BulkProps {
  readonly preview: PreviewedBulkAction;
  /** A message above the preview, if the selection has changed since the preview that the user has confirmed. */
  readonly warning?: string | undefined;
  readonly submission?: RefusedSubmission | undefined;
}

export function bulkPreviewView({ action, values, preview, warning, submission }: BulkPreviewProps): PageView {
  const { possible, refused, spokes } = preview, title = formatBulkAction(preview), all = spokes.length;
  const cannot = spokes.filter(({ becomes }) => becomes === null),
    can = spokes.filter(({ becomes }) => becomes !== null);
  return {
    ...bulkHead(`${title}: ${formatCount(all, "spoke")}`),
    body: all === 0
      ? noSelection(values)
      : markup`${warning ? ui.callout("warn", `${warning}.`) : ""}${
        possible === 0
          ? ui.callout("warn", "None of the selected spokes can run this action now.")
          : refused > 0
          ? ui.callout("warn", `${formatCount(refused, "spoke")} cannot run this action now. The other spokes can.`)
          : ""
      }<div class="two-columns"><div class="column">${
        ui.panel("Preview", ui.definitionList(previewFacts(preview)), { id: "preview" })
      }${
        cannot.length === 0
          ? ""
          : ui.panel("Spokes that cannot", spokeTable("List of spokes that cannot", cannot), { id: "cannot" })
      }${
        can.length === 0 ? "" : ui.panel("Spokes that can", spokeTable("List of spokes that can", can), { id: "can" })
      }</div>${
        possible === 0
          ? ui.panel("Nothing to start", markup`<p>${cancelLink(values)}</p>`, { id: "start" })
          : ui.panel("Start", startForm({ action, values, preview, submission }), { id: "start" })
      }</div>`,
  };
}

/** Returns the text that confirms the removal of this number of spokes. */
export function removalConfirmation(count: number): string {
  return `destroy ${formatCount(count, "spoke")}`;
}

function startForm({ action, values, preview, submission }: BulkPreviewProps): Markup {
  const { possible, selection } = preview, isRemoval = action === "destroy";
  const parameters = PARAMETERS.flatMap((name) => values[name] ? [[name, values[name]]] : []);
  return renderPostForm(
    {
      action: "/spokes/actions",
      button: `${ui.humanize(action)}: ${formatCount(possible, "spoke")}`,
      variant: isRemoval ? "danger" : "main",
      also: cancelLink(values),
      submission,
      hidden: {
        ...selectionFields(values),
        ...Object.fromEntries(parameters),
        ...{ action, expected: selection, count: String(possible), confirmed: "yes" },
      },
    },
    ...isRemoval
      ? [
        ui.callout("bad", "This permanently removes the sites with all their data, and cannot be cancelled."),
        {
          name: "confirmation",
          label: "Confirmation",
          hint: markup`Type <b>${removalConfirmation(possible)}</b> to confirm.`,
          required: true,
          maxLength: 63,
        },
      ]
      : [
        markup`<p class="small soft">If the spokes change before you start, nothing is done, and a new preview is shown.</p>`,
      ],
  );
}

function previewFacts(preview: PreviewedBulkAction): readonly (readonly [string, unknown] | null)[] {
  const { possible, refused, downtimes, usualSeconds, price, spokes } = preview;
  const outcomes = Map.groupBy(spokes.filter(({ becomes }) => becomes !== null), ({ becomes }) => becomes);
  return [
    ["Can run it", formatCount(possible, "spoke")],
    refused === 0 ? null : ["Cannot", formatCount(refused, "spoke")],
    ["State afterwards", [...outcomes].map(([state, { length }]) => `${state}: ${length}`).join(", ") || "–"],
    ["Usual duration", usualSeconds === null ? "not known yet" : `${ui.formatDuration(usualSeconds)} per spoke`],
    ["Downtime", formatDowntime(downtimes, usualSeconds)],
    price.available
      ? [
        "Price",
        `${formatPrice(price.recurringMonthly, price.currency)} per month, ${
          formatPrice(price.dueNow, price.currency)
        } now`,
      ]
      : price.reason === undefined
      ? null
      : ["Price", `${price.reason}.`],
  ];
}

function formatDowntime(downtimes: number | null, usualSeconds: number | null): string {
  if (downtimes === null) return "only of sites whose pods change";
  if (downtimes === 0) return "none";
  const total = usualSeconds === null ? "" : `, in total about ${ui.formatDuration(usualSeconds * downtimes)}`;
  return `${formatCount(downtimes, "spoke")}${total}`;
}

function spokeTable(caption: string, spokes: PreviewedBulkAction["spokes"]): Markup {
  return ui.dataTable(
    caption,
    ["Spoke", "State", "Result"],
    spokes.map(({ spokeId, domain, state, becomes, reason }) => [
      markup`<a href="/spokes/${spokeId}">${domain}</a>`,
      ui.stateBadge(state),
      becomes === null ? `${reason}.` : `Becomes ${becomes}`,
    ]),
  );
}

function noSelection(values: BulkFormValues): Markup {
  return ui.emptyState(
    "No spokes selected",
    "Select spokes in the list, then choose an action.",
    cancelLink(values, "main"),
  );
}

export function noBulkSelectionView({ action, values }: BulkProps): PageView {
  return { ...bulkHead(`${ui.humanize(action)}: no spokes`), body: noSelection(values) };
}

interface BulkResultsProps extends BulkProps {
  readonly answers: readonly BulkActionResult[];
  /** The domains of the spokes by ID. */
  readonly domains: ReadonlyMap<string, string>;
}

export function bulkResultsView({ action, values, answers, domains }: BulkResultsProps): PageView {
  const accepted = answers.filter((answer) => answer.accepted).length;
  return {
    ...bulkHead(`${ui.humanize(action)}: ${accepted} of ${answers.length} accepted`),
    lead: accepted === answers.length ? "" : "Spokes for which the action was refused are unchanged.",
    body: markup`${
      ui.panel(
        "Results",
        ui.dataTable(
          "Results",
          ["Spoke", "Result", ""],
          answers.map(({ id, accepted, error }) => [
            markup`<a href="/spokes/${id}">${domains.get(id) ?? id}</a>`,
            accepted ? ui.badge("good", "done", "Accepted") : ui.badge("bad", "cross", "Refused"),
            accepted ? "Queued or running." : `${error?.message}.`,
          ]),
        ),
        { id: "answers" },
      )
    }<p>${cancelLink(values, "main", "See the progress")}</p>`,
  };
}

/** Returns the path of the list from which the spokes were selected. */
export function bulkListPath({ hub }: BulkFormValues): string {
  return hub ? `/hubs/${encodeURIComponent(hub)}` : "/spokes";
}

function cancelLink(values: BulkFormValues, variant: "main" | "quiet" = "quiet", text?: string): Markup {
  const path = bulkListPath(values),
    usual = variant === "quiet" ? "Cancel" : `Back to the ${values.hub ? "hub" : "list"}`;
  return ui.linkButton([text ?? usual, path], variant);
}

function formatBulkAction({ action, parameters }: Pick<PreviewedBulkAction, "action" | "parameters">): string {
  const values = Object.values(parameters).filter((value) => typeof value === "string");
  return [ui.humanize(action), ...values.length > 0 ? ["to", ...values] : []].join(" ");
}

function bulkHead(title: string): Pick<PageView, "title" | "section" | "crumbs"> {
  return { title, section: "spokes", crumbs: [["Spokes", "/spokes"]] };
}
