/** Describes the API fields of the overview. Also passes on the entries for webhooks. */
import { WEBHOOK_FIELD_ENTRIES } from "#lib/reference/glossary/webhooks.ts";
import type { GlossaryEntriesByField, GlossaryEntry } from "#lib/reference/glossary/entry.ts";

const GIB = 2 ** 30;

/** The fields of the whole period and of each day. */
const COUNTED: readonly (readonly [name: string, entry: GlossaryEntry])[] = [
  ["installs", ["The number of sites whose installation succeeded", 14]],
  ["installSeconds", ["Their median duration in seconds; null if there were none", 96]],
  ["failures", ["The number of operations that failed", 2]],
  ["waitSeconds", ["The median time between an operation's request by a user and its start, in seconds", 0.4]],
  ["waitSeconds95", ["The 95th percentile of this time, in seconds", 6.2]],
];

export const OVERVIEW_FIELD_ENTRIES: GlossaryEntriesByField = {
  ...WEBHOOK_FIELD_ENTRIES,
  ...Object.fromEntries(
    COUNTED.map((
      [name, entry],
    ) => [["OverviewHistory", "samples"].map((owner) => `${owner}.${name}`).join(" | "), entry]),
  ),
  "OverviewHistory.updatedAt":
    "When the totals of hubs were last added up, every few minutes; null if they never were, or if you see only spokes",
  "OverviewHistory.causes":
    "The most frequent causes of failures, most frequent first; all others are counted as `other`",
  "causes.code": ["The failure's code", "cluster_unreachable"],
  "causes.count": ["The number of operations that failed with this code", 2],
  "OverviewHistory.samples": "The days (UTC), oldest first. An operation counts on the day on which it ended",
  "samples.day": ["The day", "2026-11-20"],
  "samples.growth": ["The change of the used bytes since the day before; null if one of them is unknown", GIB / 4],
};
