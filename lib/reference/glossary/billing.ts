/** Describes the API fields for billing, prices and costs, and for the catalog's defaults. */
import type { FieldEntries } from "#lib/reference/glossary/entry.ts";

export const BILLING_FIELDS: FieldEntries = {
  // Billing. Amounts are in the currency's smallest unit: 1900 in JPY is ¥1,900.
  "Billing.connected": ["Whether the hub's spokes are billed", true],
  "Billing.email | BillingAddress.email": ["The address that invoices are sent to", "treasurer@north.example"],
  "Billing.status": ["The subscription's status at the payment provider; null if there is no subscription", "active"],
  "Billing.pastDueSince": ["Since when an invoice has been overdue; null if none is", null],
  "Billing.currency": ["ISO 4217 code; null if there is no subscription", "EUR"],
  "Billing.items": ["The billed items, as the payment provider counts them"],
  "items.size": ["The size of the spokes; null if the item is not for spokes", "medium"],
  "items.quantity": ["The quantity", 3],
  "items.monthly": ["The monthly price of the whole quantity; null if it is not a single amount", 14700],
  "Billing.monthly": ["The hub's monthly price; null if it is not a single amount, or nothing is billed", 14700],
  "Billing.invoice": [
    "The latest invoice, or the oldest unpaid invoice if one is overdue; null before the first invoice",
  ],
  "invoice.number": ["The invoice number; null for a draft", "NORTH-0007"],
  "invoice.status": ["The status at the payment provider", "open"],
  "invoice.total": ["The total amount", 14700],
  "invoice.remaining": ["The amount that is not yet paid", 14700],
  "invoice.currency | price.currency | Cost.currency": ["ISO 4217 code", "EUR"],
  "invoice.dueAt": ["When it is due; null if it is charged immediately", "2026-12-21T12:00:00.000Z"],
  "invoice.url": [
    "The invoice's page at the payment provider. Anybody with the URL can open it; null for a draft",
    "https://invoice.stripe.example/i/north-0007",
  ],
  "Billing.pending": ["Whether a change is still to be sent to the payment provider", false],
  "Billing.difference": [
    "Differences between the payment provider's counts and the spokes; null if they are equal",
    null,
  ],
  "difference.message": ["What differs", "The payment provider counts 2 instead of 3 spokes of size medium"],
  "difference.sizes": ["The same as numbers; empty if it is not only numbers"],
  "sizes.spokes": ["The number of spokes to be billed", 3],
  "sizes.billed": ["The number that the payment provider counts", 2],
  "Billing.error": ["Why the payment provider could not be updated, for operators; null for other users", null],
  "Billing.checkedAt": ["When the subscription was last checked; null if never", "2026-11-21T12:00:00.000Z"],

  // The catalog's default values and prices, and what a spoke costs.
  "Catalog.defaults": [
    "The values used if a request leaves them out; null if there is no default. A spoke's region defaults to its hub's",
  ],
  "defaults.size": ["The default size", "medium"],
  "defaults.lmsVersion": ["The default version", "4.5.12"],
  "defaults.region": ["The default region. Always null: a spoke uses the region of its hub", null],
  "defaults.tier | defaults.mode | defaults.contentMode": ["Always null", null],
  "defaults.brand": ["Always null: the platform's own look", null],
  "defaults.seed": ["Always null: the site starts without courses", null],
  "Catalog.rootDomain": [
    "The default domain of a spoke is its slug, a dot, and this domain",
    "school.example",
  ],
  "Catalog.currency": ["The currency of all prices; null if there are no prices, or several currencies", "EUR"],
  "Catalog.charged": ["Whether a payment provider is connected, so that prices are charged", true],
  "sizes.price": ["The monthly price of a spoke; null if it has none"],
  "sizes.quota": ["The quota of the spoke's namespace"],
  "price.monthly": [
    "The monthly price of each, in the minor unit of the currency: 1900 means €19.00, but ¥1,900",
    1900,
  ],

  "Cost.available": [
    "Whether the cost is known. It needs a payment provider, a billed hub, a size with a price, and a caller who manages the hub",
    true,
  ],
  "Cost.size": ["The spoke's size after the change", "medium"],
  "Cost.recurringMonthly": [
    "The spoke's monthly price, in the minor unit of the currency: 1900 means €19.00, but ¥1,900",
    4900,
  ],
  "Cost.dueNow": [
    "The prorated amount due now, in minor units; for a hub's first spoke, the first invoice. Negative for a credit",
    3267,
  ],
  "Cost.prorationDate": ["The time for which the proration was computed", "2026-11-21T12:00:00.000Z"],
};
