/** Describes the API fields for availability. */
import type { GlossaryEntriesByField } from "#lib/reference/glossary/entry.ts";

export const AVAILABILITY_FIELD_ENTRIES: GlossaryEntriesByField = {
  "SpokeAvailability.problem": [
    "Why the login page did not work when it was last requested; null if it worked, or was not requested",
    null,
  ],
  "SpokeAvailability.certificateEndsAt": [
    "When the certificate of the site's public address ends; null without HTTPS, and until a request has seen it",
    "2027-02-18T23:59:59.000Z",
  ],
  "Availability.months | SpokeAvailability.months":
    "The months (UTC), newest first, for two years. The last minutes are added a little later",
  "months.month": ["The month", "2026-11"],
  "months.availability": [
    "The percentage of measured minutes (up or down) in which the login page worked, rounded down to three decimals; " +
    "null if no minute was measured",
    99.953,
  ],
  "months.up": ["Minutes in which the login page worked", 36200],
  "months.down": ["Minutes in which the login page failed twice", 17],
  "months.planned": ["Minutes of operations, suspension and maintenance mode", 60],
  "months.unknown": ["Minutes without a measurement, because the control plane or the cluster was unavailable", 4],
};
