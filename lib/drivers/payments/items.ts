/** Computes how a subscription's items must change, without side effects. Used for both updates and previews. */
import { type ItemRequest, PaymentError, type Subscription } from "#lib/drivers/payments/payments.ts";

type ItemChange =
  | { readonly id: string; readonly quantity: number }
  | { readonly price: string; readonly quantity: number; readonly metadata: { readonly size: string } };

/**
 * Returns the changes for items whose quantity differs. Each size has only one item, so a request changes an existing
 * item with the same price or size. If no such item exists, a new item is created, unless its quantity is zero.
 */
export function computeItemChanges(
  subscription: Pick<Subscription, "items">,
  requests: readonly ItemRequest[],
): ItemChange[] {
  const { items } = subscription;
  return requests.flatMap((each): ItemChange[] => {
    const existing = items.find(({ id }) => "item" in each && id === each.item) ??
      items.find(({ price }) => price === each.price) ??
      items.find(({ size }) => size !== null && size === each.size);
    if (existing) return existing.quantity === each.quantity ? [] : [{ id: existing.id, quantity: each.quantity }];
    const { price, size, quantity } = each;
    if (quantity === 0) return [];
    if (price !== undefined && size !== undefined) return [{ price, quantity, metadata: { size } }];
    const message = "A subscription item no longer exists, and its size is unknown";
    throw new PaymentError("item_gone", message, { transient: true, hint: "Reconcile the hub's billing." });
  });
}
