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

export const previewStyle: string = `
.with-preview { display: grid; gap: var(--s5); grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); align-items: start; }
.with-preview > .panel:first-child { position: sticky; top: var(--s5); }
.with-preview[aria-busy=true] .effects, .with-preview[aria-busy=true] .column { opacity: .55; }
.effects { list-style: none; padding: 0; display: grid; gap: var(--s2); }
.effects li { display: grid; grid-template-columns: 1.15rem minmax(0, 1fr); gap: var(--s2); }
.effects .icon { margin-top: .15rem; }
.effects .warning .icon { color: var(--warn); } .effects .done .icon { color: var(--good); } .effects .dot .icon { color: var(--edge); width: .8rem; margin-inline: auto; }
.step-list { padding-inline-start: 1.4rem; display: grid; gap: var(--s1); }
.step-list li::marker { color: var(--ink-soft); font-variant-numeric: tabular-nums; }
.object > ul { list-style: none; padding: 0; display: grid; gap: var(--s3); margin-top: var(--s3); }
.object li { display: grid; gap: var(--s1); overflow-wrap: anywhere; }
.object li > code { font-size: var(--tiny); color: var(--ink-soft); }
.object + .object { border-top: 1px solid var(--line); padding-top: var(--s3); }
.fromto { display: grid; gap: 2px; font: var(--tiny)/1.5 var(--mono); }
.fromto > * { display: block; padding: .15rem .5rem .15rem 1.6rem; border-radius: var(--round-small); text-decoration: none; position: relative; min-width: 0; }
.fromto > ::before { position: absolute; inset-inline-start: .6rem; font-weight: 700; }
.fromto del { background: var(--bad-soft); } .fromto del::before { content: "−" / ""; color: var(--bad); }
.fromto ins { background: var(--good-soft); } .fromto ins::before { content: "+" / ""; color: var(--good); }
.fromto pre { white-space: pre-wrap; overflow-wrap: anywhere; max-height: 16rem; overflow: auto; }
@media (max-width: 64rem) { .with-preview { grid-template-columns: minmax(0, 1fr); } .with-preview > .panel:first-child { position: static; } }
`;
