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

/** Returns the catalog with only the sizes that a hub's tier allows, of which one is the default. */
export function limitSizes(catalog: CatalogOffer, tierName: string | null): CatalogOffer {
  const allowed = catalog.tiers.find(({ name }) => name === tierName)?.sizes;
  if (!allowed) return catalog;
  const { size } = catalog.defaults;
  return {
    ...catalog,
    sizes: catalog.sizes.filter(({ name }) => allowed.includes(name)),
    defaults: { ...catalog.defaults, size: allowed.includes(size) ? size : allowed[0]! },
  };
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
