/** What a hub pays for. Amounts are in minor units of their currency: 1900 of EUR are € 19.00. */
import type { Entries } from "#lib/surface/docs/glossary/entry.ts";

export const BILLING: Entries = {
  "Billing.connected": ["Whether its spokes are billed", true],
  "Billing.email": ["Where the invoices go", "treasurer@north.example"],
  "BillingAddress.email": ["Where the invoices go", "treasurer@north.example"],
  "Billing.status": ["How the subscription stands at the payment provider; null where there is none yet", "active"],
  "Billing.pastDueSince": ["Since when an invoice has been overdue; null where none is", null],
  "Billing.currency": ["ISO 4217; null where there is no subscription yet", "EUR"],
  "Billing.items": ["What is paid for, as the payment provider counts it"],
  "items.size": ["Which size of spokes it is for; null for what is no spoke", "medium"],
  "items.quantity": ["How many", 3],
  "items.monthly": ["What they cost a month, all of them; null where that is no one amount", 14700],
  "Billing.monthly": ["What the hub costs a month; null where that is no one amount, or nothing is billed", 14700],
  "Billing.invoice": [
    "The latest invoice, or the one that is to be paid first while one is late; null where there is none",
  ],
  "invoice.number": ["What is printed on it; null while it is a draft", "NORTH-0007"],
  "invoice.status": ["How the payment provider calls it", "open"],
  "invoice.total": ["What it comes to", 14700],
  "invoice.remaining": ["What of that is still to be paid", 14700],
  "invoice.currency": ["ISO 4217", "EUR"],
  "invoice.dueAt": ["When it has to be paid; null where it is charged at once", "2026-12-21T12:00:00.000Z"],
  "invoice.url": [
    "The payment provider's page for it. Whoever has the address can open it; null while it is a draft",
    "https://invoice.stripe.example/i/north-0007",
  ],
  "Billing.pending": ["Whether the payment provider is still to be told of a change", false],
  "Billing.difference": [
    "Where the payment provider counts something else than there is; null where it does not",
    null,
  ],
  "difference.message": ["What differs", "The payment provider counts 2 of size medium where there are 3"],
  "difference.sizes": ["The same in numbers; empty where it is more than numbers"],
  "sizes.spokes": ["How many are to be billed", 3],
  "sizes.billed": ["How many the payment provider counts", 2],
  "Billing.error": ["Why the payment provider could not be told, for operators; null for everybody else", null],
  "Billing.seenAt": ["When the subscription was last looked at; null if never", "2026-11-21T12:00:00.000Z"],
};
