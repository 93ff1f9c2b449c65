/**
 * Manages customers at the payment provider: one customer per hub, with the hub's ID in its metadata. The provider's
 * search omits customers created within about the last minute, so an idempotency key prevents duplicates. A customer is
 * created with only the hub's ID and then updated, because a key must always be used with the same parameters.
 */
import * as v from "valibot";
import { nullIfMissing, type PaymentCalls } from "#lib/drivers/payments/client.ts";
import { createOnce } from "#lib/drivers/payments/create-once.ts";
import type { CustomerRequest } from "#lib/drivers/payments/payments.ts";
import { CustomerSchema, parseResponse } from "#lib/drivers/payments/schemas.ts";

export async function findOrCreateCustomer(client: PaymentCalls, request: CustomerRequest): Promise<string> {
  const { federationId } = request;
  // Returns null for a customer that was just deleted, because the provider's search may still find it.
  const describe = (id: string) => updateCustomerDetails(client, id, request);
  return await createOnce(client, {
    key: `customer-${federationId}`,
    find: async () => {
      const found = await findCustomer(client, federationId);
      if (found === null) return null;
      return found.name === request.name && found.email === request.email ? found.id : await describe(found.id);
    },
    create: async (idempotencyKey) => {
      const params = { metadata: { federationId } };
      const response = await client.call((stripe) => stripe.customers.create(params, { idempotencyKey }));
      return await describe(parseResponse(CustomerSchema, response, "customer").id);
    },
  });
}

/** Updates the customer's name and email address. Returns the customer's ID, or null if the customer does not exist. */
export async function updateCustomerDetails(
  client: PaymentCalls,
  id: string,
  { name, email }: CustomerRequest,
): Promise<string | null> {
  const update = client.call((stripe) => stripe.customers.update(id, { name, email }));
  return await nullIfMissing(update) && id;
}

/** Finds the hub's customer. If the hub has several customers, every replica chooses the oldest one. */
async function findCustomer(client: PaymentCalls, federationId: string) {
  if (!/^\w+$/.test(federationId)) throw new TypeError("The hub's ID contains invalid characters");
  const query = `metadata["federationId"]:"${federationId}"`;
  const answer = await client.call((stripe) => stripe.customers.search({ query, limit: 100 }));
  const { data } = parseResponse(v.object({ data: v.array(CustomerSchema) }), answer, "list of customers");
  const ours = data.filter(({ deleted, metadata }) => !deleted && metadata["federationId"] === federationId);
  return ours.sort((a, b) => a.created - b.created || (a.id < b.id ? -1 : 1))[0] ?? null;
}
