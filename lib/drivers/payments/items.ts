/** What makes a subscription's items be what is wanted: pure, for changes and previews alike. */
import { type ItemRequest, PaymentError, type Subscription } from "#lib/drivers/payments/payments.ts";

type ItemChange =
  | { readonly id: string; readonly quantity: number }
  | { readonly price: string; readonly quantity: number; readonly metadata: { readonly size: string } };

/**
 * Only what differs. A wanted item that is of a price or a size which the subscription has already changes that one, so
 * there is one item a size; one that is there no more is made anew, or is nothing when nothing is wanted of it.
 */
export function itemChanges(subscription: Pick<Subscription, "items">, wanted: readonly ItemRequest[]): ItemChange[] {
  const { items } = subscription;
  return wanted.flatMap((each): ItemChange[] => {
    const there = items.find(({ id }) => "item" in each && id === each.item) ??
      items.find(({ price }) => price === each.price) ??
      items.find(({ size }) => size !== null && size === each.size);
    if (there) return there.quantity === each.quantity ? [] : [{ id: there.id, quantity: each.quantity }];
    const { price, size, quantity } = each;
    if (quantity === 0) return [];
    if (price !== undefined && size !== undefined) return [{ price, quantity, metadata: { size } }];
    const message = "A subscription item no longer exists, and its size is unknown";
    throw new PaymentError("item_gone", message, { transient: true, hint: "Reconcile the hub's billing." });
  });
}
