/** Lists of the provider, which come in pages. */
import type { Stripe } from "stripe";
import * as v from "valibot";
import type { PaymentClient } from "#lib/drivers/payments/client.ts";
import { fit } from "#lib/drivers/payments/read.ts";

/** What each page is asked with. */
interface PageParams {
  readonly limit: number;
  readonly starting_after?: string;
}

interface Paging<S extends v.GenericSchema> {
  readonly shape: S;
  /** Of which list, to be said when it is no list. */
  readonly what: string;
  readonly ask: (stripe: Stripe, page: PageParams) => Promise<unknown>;
}

const LIMIT = 100; // the most that the provider gives

/** All of a list, in the provider's order. */
export async function readPages<S extends v.GenericSchema<unknown, { readonly id: string }>>(
  client: PaymentClient,
  { shape, what, ask }: Paging<S>,
  signal: AbortSignal,
): Promise<v.InferOutput<S>[]> {
  const list = v.object({ data: v.array(shape), has_more: v.boolean() });
  const all: v.InferOutput<S>[] = [];
  for (let more = true; more;) {
    const last = all.at(-1);
    const params = { limit: LIMIT, ...(last && { starting_after: last.id }) };
    const page = fit(list, await client.ask(signal, (stripe) => ask(stripe, params)), what);
    all.push(...page.data);
    more = page.has_more && page.data.length > 0; // an empty page that promises more would be asked for for ever
  }
  return all;
}
