/** Describes the API fields for billing, prices and costs, and for the catalog's defaults. */
import type { GlossaryEntriesByField } from "#lib/reference/glossary/entry.ts";

export const BILLING_FIELD_ENTRIES: GlossaryEntriesByField = {
  // The fields for billing. Amounts are in the currency's smallest unit: 1900 means €19.00, but ¥1,900.
  "Billing.connected": "Whether the hub's spokes are billed",
  "Billing.email | BillingAddress.email": [
    "The email address that receives the hub's invoices",
    "treasurer@north.example",
  ],
  "Billing.status": [
    "The status of the hub's subscription at the payment provider; null if the hub has no subscription",
    "active",
  ],
  "Billing.pastDueSince": ["When an invoice of the hub became overdue; null if no invoice is overdue", null],
  "Billing.currency": ["The ISO 4217 code of the subscription's currency; null if the hub has no subscription", "EUR"],
  "Billing.items": "The items of the hub's subscription, with the quantities that the payment provider bills",
  "items.size": ["The size of the billed spokes; null if the item is not for spokes", "medium"],
  "items.quantity": ["The billed quantity of the item", 3],
  "items.monthly": ["The monthly price for the item's whole quantity; null if the price is not a single amount", 14700],
  "Billing.monthly": [
    "The total monthly price for the hub; null if nothing is billed, or if the price is not a single amount",
    14700,
  ],
  "Billing.invoice":
    "The hub's latest invoice, or the oldest unpaid invoice if one is overdue; null before the first invoice",
  "invoice.number": ["The number of the invoice; null for a draft", "NORTH-0007"],
  "invoice.status": ["The status of the invoice at the payment provider", "open"],
  "invoice.total": ["The total amount of the invoice, in the currency's smallest unit", 14700],
  "invoice.remaining": ["The unpaid amount of the invoice, in the currency's smallest unit", 14700],
  "invoice.currency | price.currency | Cost.currency": ["The ISO 4217 code of the currency", "EUR"],
  "invoice.dueAt": ["When the invoice is due; null if the invoice is charged immediately", "2026-12-21T12:00:00.000Z"],
  "invoice.url": [
    "The invoice's page at the payment provider, which anyone with the URL can open; null for a draft",
    "https://invoice.stripe.example/i/north-0007",
  ],
  "Billing.pending": ["Whether a change to the hub's spokes must still be sent to the payment provider", false],
  "Billing.difference": [
    "How the payment provider's numbers of spokes differ from those in the hub; null if they are equal",
    null,
  ],
  "difference.message": [
    "A sentence that states how the number of billed spokes differs from the number of spokes in the hub",
    "The payment provider bills 2 instead of 3 spokes of size medium",
  ],
  "difference.sizes": "The difference as numbers for each size; empty if numbers alone cannot describe the difference",
  "sizes.spokes": ["The number of spokes with this size that should be billed", 3],
  "sizes.billed": ["The number of spokes with this size that the payment provider bills", 2],
  "Billing.error": ["Why the payment provider could not be updated. Only for operators; null for other users", null],
  "Billing.checkedAt": "When the subscription was last checked at the payment provider; null if it was never checked",

  // The fields for what a hub's spokes cost.
  "HubCost.prices": "Whether the amounts are those that the payment provider bills, or the catalog's prices",
  "HubCost.reason": ["Why the catalog's prices are used; null if the payment provider bills the hub", null],
  "HubCost.lines": "The cost for each size. Suspended, failed and unfinished spokes cost nothing and are not listed",
  "lines.size": ["The size of the spokes; null for an item of the subscription that is not for spokes", "medium"],
  "lines.spokes": ["The number of spokes, or the quantity of the subscription's item", 3],
  "lines.each": ["The monthly price of one spoke, in the currency's smallest unit; null if none is known", 4900],
  "lines.monthly": ["The monthly price of all these spokes, in the currency's smallest unit", 14700],
  "lines.currency | totals.currency | nextInvoice.currency": ["The ISO 4217 code of the currency", "EUR"],
  "lines.reason": ["Why the line has no amount; null if it has one", null],
  "HubCost.totals": "The sum of the lines for each currency",
  "totals.monthly": ["The monthly total in this currency, in the currency's smallest unit", 14700],
  "HubCost.nextInvoice":
    "The payment provider's estimate of the next invoice, which may be a minute old; null if unknown",
  "nextInvoice.total": ["The total amount of the next invoice, in the currency's smallest unit", 14700],
  "nextInvoice.due": ["The amount to pay after credit is deducted, in the currency's smallest unit", 14700],
  "nextInvoice.at": ["When the next invoice will be created", "2026-12-21T12:00:00.000Z"],
  "HubCost.nextInvoiceReason": ["Why the next invoice is unknown; null if it is known", null],

  // The fields for the catalog's default values and prices, and for the cost of a spoke.
  "Catalog.defaults": "The default values for fields that a request omits; null for a field without a default. " +
    "A spoke's region defaults to the region of its hub",
  "defaults.size": ["The default size of a new spoke", "medium"],
  "defaults.lmsVersion": ["The default Moodle version of a new spoke", "4.5.12"],
  "defaults.region": ["Always null, because a new spoke is in the region of its hub by default", null],
  "defaults.tier | defaults.mode | defaults.contentMode": ["Always null: this field has no default value", null],
  "defaults.brand": ["Always null: a spoke without a brand has the default theme of Moodle", null],
  "defaults.seed": ["Always null: a site without a seed starts without courses", null],
  "Catalog.rootDomain": [
    "The parent of default domains: a spoke's default domain is its slug, a dot, and this domain",
    "school.example",
  ],
  "Catalog.currency": [
    "The ISO 4217 code of all prices; null if the catalog has no prices, or prices in several currencies",
    "EUR",
  ],
  "Catalog.charged": "Whether a payment provider is connected, so that users are charged the prices in the catalog",
  "sizes.price": "The monthly price of a spoke with this size; null if this size has no price",
  "sizes.quota": "The resource quota for the namespace of a spoke with this size",
  "price.monthly": [
    "The monthly price of one spoke, in the currency's smallest unit: 1900 means €19.00, but ¥1,900",
    1900,
  ],

  "Cost.available": "Whether the cost is known. " +
    "It is known only if the hub is billed through a payment provider, the size has a price, and you manage the hub",
  "Cost.size": ["The spoke's size after the change", "medium"],
  "Cost.recurringMonthly": [
    "The spoke's monthly price after the change, in the currency's smallest unit: 1900 means €19.00, but ¥1,900",
    4900,
  ],
  "Cost.dueNow": [
    "The prorated amount that is due now, in the currency's smallest unit; negative for a credit. " +
    "If this is the hub's first spoke, it is the amount of the first invoice",
    3267,
  ],
  "Cost.prorationDate": "The time for which the prorated amount was computed",
};
