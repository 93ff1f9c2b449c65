/** Renders a form field to select a spoke's size, with the resources and prices of each size. */
import { type Markup, markup } from "#lib/http/page.ts";
import type { RefusedSubmission } from "#lib/portal/components/forms.ts";
import { formatCpus, formatPrice, formatStorage } from "#lib/portal/components/amounts.ts";
import { humanize } from "#lib/portal/components/parts.ts";
import type { CatalogOffer } from "#lib/portal/components/api-types.ts";

interface SizeChoice {
  readonly catalog: CatalogOffer;
  readonly chosen: string;
  /** The spoke's current size, which cannot be selected. */
  readonly currentSize?: string;
  readonly submission?: RefusedSubmission | undefined;
}

export function sizeField({ catalog: { sizes }, chosen, currentSize, submission }: SizeChoice): Markup {
  const problem = submission?.problems.size;
  return markup`<fieldset class="sizes" ${problem === undefined ? "" : markup`aria-describedby="size-problem"`}>
<legend>Size</legend>${
    sizes.map(({ name, title, resources: { app, database, disks }, price }) =>
      markup`<label class="size"><input type="radio" name="size" value="${name}" ${
        name === chosen ? markup`checked` : ""
      } ${name === currentSize ? markup`disabled` : ""}><span><b>${title ?? humanize(name)}</b> ${
        name === currentSize ? markup`<span class="tiny">current</span>` : ""
      }</span><span class="number">${
        price ? markup`<b>${formatPrice(price.monthly, price.currency)}</b> <span class="tiny">per month</span>` : ""
      }</span>
<span class="tiny resources">Moodle up to ${formatCpus(app.limits.cpu)} CPU and ${
        formatStorage(app.limits.memory)
      }, database up to ${formatStorage(database.limits.memory)}, ${
        formatStorage(disks.files)
      } for files</span></label>`
    )
  }${problem === undefined ? "" : markup`<p class="problem" id="size-problem">Size ${problem}.</p>`}</fieldset>`;
}

export const sizeStyle: string = `
.sizes { border: 0; padding: 0; display: grid; gap: var(--s2); min-width: 0; }
.sizes legend { padding: 0; margin-bottom: var(--s1); font-weight: 600; font-size: var(--small); }
.sizes .problem { font-size: var(--small); font-weight: 600; color: var(--bad); }
.size { display: grid; grid-template-columns: auto minmax(0, 1fr) auto; gap: 0 var(--s3); align-items: center; padding: var(--s2) var(--s3); border: 1px solid var(--line); border-radius: var(--round-small); font-weight: 400; cursor: pointer; }
.size .resources { grid-column: 2 / -1; color: var(--ink-soft); }
.size:has(:checked) { border-color: var(--accent); background: var(--accent-soft); }
.size:has(:disabled) { cursor: default; color: var(--ink-soft); border-style: dashed; }
.size:has(:focus-visible) { outline: 2px solid var(--accent); outline-offset: 1px; }
.size input:focus-visible { outline: none; }
`;
