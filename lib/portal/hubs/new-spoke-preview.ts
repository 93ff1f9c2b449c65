/**
 * Renders the parts of the new-spoke form: the selection of a spoke to copy, and a preview from the API's dry run with the
 * price, the address and the objects in the cluster.
 */
import { type Markup, markup } from "#lib/http/page.ts";
import { type FormField, type RefusedSubmission, renderFormField } from "#lib/portal/components/forms.ts";
import { formatCpus, formatPrice, formatStorage } from "#lib/portal/components/amounts.ts";
import { badge, callout, copyableCode, definitionList, humanize, panel } from "#lib/portal/components/parts.ts";
import type {
  BackupList,
  CatalogOffer,
  CostEstimate,
  Hub,
  PreviewedSpoke,
  Spoke,
} from "#lib/portal/components/api-types.ts";
import type { CurrentUser } from "#lib/portal/components/view.ts";

export interface NewSpokeProps {
  readonly me: CurrentUser;
  readonly hub: Hub;
  readonly catalog: CatalogOffer;
  /** The values in the form; empty when the page is first shown. */
  readonly values: Readonly<Record<string, string>>;
  readonly submission?: RefusedSubmission | undefined;
  /** The preview from the API; null until the user requests a preview. */
  readonly preview: PreviewedSpoke | null;
  readonly cost: CostEstimate;
  /** The spoke to copy; null to create a spoke from scratch. */
  readonly source: SpokeToCopy | null;
  readonly copyable: readonly Spoke[];
}

/** Returns the preview panel, which the portal's script replaces while the user types. */
export function spokePreviewPanel({ catalog, values, submission, preview, cost }: NewSpokeProps): Markup {
  const size = preview?.spoke.size ?? values.size ?? catalog.defaults.size;
  return panel(
    "Preview",
    markup`<div role="status">${previewStatus(preview, submission)}</div>
${priceLine(cost, catalog, size)}
${preview ? spokeDetails(preview) : ""}`,
    { id: "preview" },
  );
}

function previewStatus(preview: PreviewedSpoke | null, submission: RefusedSubmission | undefined): Markup {
  if (submission) return renderRefusal(submission);
  return preview
    ? markup`<p class="small">${badge("good", "done", "Ready to create")}</p>`
    : markup`<p class="small soft">Enter a slug to preview the spoke before you create it.</p>`;
}

/** Matches the name and value of the required DNS record in the API's error message about an unverified domain. */
const RECORD = /set the TXT record (\S+) to (\S+), /;

export function renderRefusal({ message }: RefusedSubmission): Markup {
  const [, name, value] = RECORD.exec(message) ?? [];
  return markup`<p class="small">${badge("warn", "warning", "Not yet")} ${spoken(message)}.</p>${
    name && value
      ? definitionList([["TXT record", copyableCode(name, "the record's name")], [
        "Value",
        copyableCode(value, "the record's value"),
      ]])
      : ""
  }`;
}

/** Makes the field name in an API message readable: `displayName must be …` becomes `Display name must be …`. */
function spoken(message: string): string {
  return message.replace(
    /^[a-z]\w*(?= must )/,
    (name) => humanize(name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)),
  );
}

/** Renders a spoke's price: the payment provider's calculation if the hub is billed, otherwise the list price. */
function priceLine(cost: CostEstimate, { sizes, charged }: CatalogOffer, size: string): Markup | string {
  if (cost.available) {
    const { currency, recurringMonthly, dueNow } = cost;
    return markup`<div><p class="price">${
      formatPrice(recurringMonthly, currency)
    } <span class="small soft">per month</span></p>
<p class="small soft">${
      dueNow < 0 ? `${formatPrice(-dueNow, currency)} is credited now` : `${formatPrice(dueNow, currency)} is due now`
    } for the rest of this month.</p></div>`;
  }
  const price = sizes.find(({ name }) => name === size)?.price;
  if (!price) return cost.reason === undefined ? "" : callout("info", `${cost.reason}.`);
  const why = cost.reason !== undefined
    ? `List price. ${cost.reason}.`
    : charged
    ? "List price. This hub is not billed, so nothing is charged."
    : "The catalog's price. No payment provider is configured, so nothing is charged.";
  return markup`<div><p class="price">${
    formatPrice(price.monthly, price.currency)
  } <span class="small soft">per month</span></p>
<p class="small soft">${why}</p></div>`;
}

function spokeDetails({ spoke, quota, objects }: PreviewedSpoke): Markup {
  const { demand } = quota;
  return markup`${
    definitionList([
      ["Address", spoke.url],
      ["Name", spoke.displayName],
      ["Moodle", spoke.lmsVersion],
      ["Region", spoke.region ?? "any"],
      spoke.from ? ["Copied from", spoke.from.backupId ?? "a new backup"] : null,
      spoke.mail === "held" ? ["Mail", "held until you turn it on"] : null,
      ["Administrator", spoke.adminEmail],
      [
        "Limits",
        `${formatCpus(demand.limits.cpu)} CPU, ${formatStorage(demand.limits.memory)} memory, ${
          formatStorage(demand.storage)
        } disk`,
      ],
    ])
  }${
    quota.over.length === 0 ? "" : callout(
      "warn",
      `This spoke exceeds the quota: ${quota.over.join("; ")}.`,
    )
  }<h3>${objects.length} objects to create</h3>
<ul class="objects">${
    [...namesByKind(objects)].map(([kind, names]) =>
      markup`<li><b>${kind}</b> <span class="soft">${names.join(", ")}</span></li>`
    )
  }</ul>
<details id="manifests"><summary>All manifests</summary><pre class="log" tabindex="0">${
    JSON.stringify(objects, null, 2)
  }</pre></details>`;
}

function namesByKind(objects: PreviewedSpoke["objects"]): Map<string, string[]> {
  const kinds = new Map<string, string[]>();
  for (const { kind, metadata } of objects) {
    const { name } = metadata as { readonly name: string };
    kinds.set(String(kind), [...kinds.get(String(kind)) ?? [], name]);
  }
  return kinds;
}

export interface SpokeToCopy {
  readonly spoke: Spoke;
  readonly backups: BackupList;
}

/** Returns the spokes that can be copied. Spokes in this hub are first in the list. */
export function listCopyableSpokes(spokes: readonly Spoke[], { id }: Pick<Hub, "id">): readonly Spoke[] {
  const copyable = spokes.filter(({ readyAt, state }) => readyAt !== null && state !== "removing");
  const here = (spoke: Spoke): boolean => spoke.federationId === id;
  return [...copyable.filter(here), ...copyable.filter((spoke) => !here(spoke))];
}

/** Renders a form in which the user selects a spoke to copy. */
export function copySpokePanel({ id }: Pick<Hub, "id">, spokes: readonly Spoke[]): Markup | string {
  if (spokes.length === 0) return "";
  return panel(
    "Or copy an existing spoke",
    markup`<form action="/hubs/${id}/spokes/new" class="stack">${
      renderFormField({
        name: "copyOf",
        label: "Copy of",
        hint: "Creates a separate site with the same courses and users. The copy sends no mail until you turn mail on.",
        options: spokes.map((spoke) => [spoke.id, `${spoke.displayName}, ${spoke.domain}`]),
      })
    }<div class="form-actions"><button class="quiet">Continue</button></div></form>`,
    { id: "copying" },
  );
}

/** Returns the field in which the user chooses what to copy: the spoke's current state or a backup. */
export function backupSelect(
  { backups: { snapshots } }: SpokeToCopy,
  value: string,
): FormField {
  const ready = snapshots.filter(({ state }) => state === "ready");
  const options = ready.map(({ id, createdAt }, i) =>
    [id, `${i === 0 ? "Newest backup" : "Backup"}, ${createdAt.slice(0, 16).replace("T", " ")} UTC`] as const
  );
  return {
    name: "copyBackup",
    label: "State to copy",
    hint: "To copy the current state, the original site is backed up first. The original site stays available.",
    value: value || (options[0]?.[0] ?? "now"),
    options: [...options, ["now", "Current state (takes a backup first)"]],
  };
}
