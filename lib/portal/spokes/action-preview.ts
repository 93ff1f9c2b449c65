/** Renders the preview of an action from the API's dry run: its effects, its steps and the changes in the cluster. */
import { type Markup, markup } from "#lib/http/page.ts";
import { icon, type IconName } from "#lib/portal/components/icons.ts";
import { formatPrice } from "#lib/portal/components/amounts.ts";
import { panel } from "#lib/portal/components/parts.ts";
import type { CostEstimate, PreviewedAction } from "#lib/portal/components/api-types.ts";

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
            fields.length === 1 ? "1 field" : `${fields.length} fields`
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
