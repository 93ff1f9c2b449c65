/**
 * What the catalogue says besides names, and what a spoke costs. Amounts are in the minor units of their currency, whichever
 * that has: 1900 of EUR are € 19.00, 1900 of JPY are ¥ 1,900.
 */
import type { Entries } from "#lib/surface/docs/glossary/entry.ts";

export const OFFERS: Entries = {
  "Catalog.defaults": ["What is taken where a request says nothing; null for none, or for a spoke's region its hub's"],
  "defaults.size": ["The size that is taken", "medium"],
  "defaults.lmsVersion": ["The version that is taken", "4.5.12"],
  "defaults.region": ["None: a hub has none, and a spoke has its hub's", null],
  "defaults.tier": ["None", null],
  "defaults.mode": ["None", null],
  "defaults.contentMode": ["None", null],
  "defaults.brand": ["None: the platform's own look", null],
  "defaults.seed": ["None: it begins without courses", null],
  "Catalog.rootDomain": [
    "What a spoke's domain ends in where none is asked for: its slug, a dot, and this",
    "school.example",
  ],
  "Catalog.currency": ["That of all prices; null where there are none, or in several currencies", "EUR"],
  "Catalog.charged": ["Whether a payment provider is connected, so that prices are charged and not only shown", true],
  "sizes.price": ["A month for each spoke; null where it has none"],
  "sizes.quota": ["What its namespace may take at most"],
  "price.currency": ["ISO 4217", "EUR"],
  "price.monthly": ["A month for each, in minor units: 1900 of EUR are € 19.00, 1900 of JPY are ¥ 1,900", 1900],

  "Cost.available": [
    "Whether it can be told: not without a payment provider, for a hub that is not billed, for a size without a price, and by who does not run the hub",
    true,
  ],
  "Cost.currency": ["ISO 4217", "EUR"],
  "Cost.size": ["The size that the spoke has then", "medium"],
  "Cost.recurringMonthly": [
    "What this spoke costs each month from then on, in minor units: 1900 of EUR are € 19.00, 1900 of JPY are ¥ 1,900",
    4900,
  ],
  "Cost.dueNow": [
    "What is due now for the change, prorated over the month, in minor units; of a hub's first spoke the first invoice. Negative where something is credited",
    3267,
  ],
  "Cost.prorationDate": ["As of when that was computed", "2026-11-21T12:00:00.000Z"],
};
