/**
 * Hubs' customers at the provider: one for each hub, known by the hub's id in its metadata.
 *
 * Searching sees what was made a minute ago, not what was made just now; that the idempotency key covers. So that this one
 * never clashes with a changed name, a customer is made with nothing but the hub's id, and described afterwards.
 */
import * as v from "valibot";
import { nullIfMissing, type PaymentClient } from "#lib/drivers/payments/client.ts";
import { createOnce } from "#lib/drivers/payments/create-once.ts";
import type { CustomerRequest } from "#lib/drivers/payments/payments.ts";
import { CustomerShape, parseAnswer } from "#lib/drivers/payments/schemas.ts";

export async function customerFor(
  client: PaymentClient,
  wanted: CustomerRequest,
  signal: AbortSignal,
): Promise<string> {
  const { federationId } = wanted;
  // One that was deleted just now may still be found, or be made again by the key's memory: describing it tells.
  const described = (id: string) => describeCustomer(client, id, wanted, signal);
  return await createOnce(client, {
    key: `customer-${federationId}`,
    find: async () => {
      const found = await findCustomer(client, federationId, signal);
      if (found === null) return null;
      return found.name === wanted.name && found.email === wanted.email ? found.id : await described(found.id);
    },
    create: async (idempotencyKey) => {
      const params = { metadata: { federationId } };
      const made = await client.call(signal, (stripe) => stripe.customers.create(params, { idempotencyKey }));
      return await described(parseAnswer(CustomerShape, made, "customer").id);
    },
  }, signal);
}

/** Its id; null where no such customer exists. */
export async function describeCustomer(
  client: PaymentClient,
  id: string,
  { name, email }: CustomerRequest,
  signal: AbortSignal,
): Promise<string | null> {
  const update = client.call(signal, (stripe) => stripe.customers.update(id, { name, email }));
  return await nullIfMissing(update) && id;
}

/** The oldest, should there be several: everybody chooses the same one. */
async function findCustomer(client: PaymentClient, federationId: string, signal: AbortSignal) {
  if (!/^\w+$/.test(federationId)) throw new TypeError("A hub's id cannot be searched for");
  const query = `metadata["federationId"]:"${federationId}"`;
  const answer = await client.call(signal, (stripe) => stripe.customers.search({ query, limit: 100 }));
  const { data } = parseAnswer(v.object({ data: v.array(CustomerShape) }), answer, "list of customers");
  const ours = data.filter(({ deleted, metadata }) => !deleted && metadata["federationId"] === federationId);
  return ours.sort((a, b) => a.created - b.created || (a.id < b.id ? -1 : 1))[0] ?? null;
}
