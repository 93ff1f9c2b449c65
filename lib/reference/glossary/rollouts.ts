/** Describes the API fields of rollouts. */
import { EXAMPLE_IDS, type GlossaryEntriesByField, type GlossaryEntry } from "#lib/reference/glossary/entry.ts";

const ROLLOUT_ID = "rol_06fj2d0k3v8n5t1y7q4w9z2xbm";

/** The fields that several schemas have. */
const SHARED: readonly (readonly [name: string, owners: readonly string[], entry: string | GlossaryEntry])[] = [
  ["id", ["Rollout", "RolloutDetail"], ["The rollout's ID", ROLLOUT_ID]],
  ["state", ["Rollout", "RolloutDetail"], ["The rollout's state", "running"]],
  ["action", ["Rollout", "RolloutDetail", "RolloutPreview", "NewRollout"], [
    "The action on each spoke. Only operators can use reapply",
    "upgrade",
  ]],
  ["parameters", ["Rollout", "RolloutDetail", "RolloutPreview"], [
    "The parameters of the action",
    { lmsVersion: "5.2.2" },
  ]],
  ["canary", ["Rollout", "RolloutDetail", "RolloutPreview", "NewRollout"], "The first wave, which is watched"],
  ["batch", ["Rollout", "RolloutDetail", "RolloutPreview", "NewRollout"], [
    "The number of spokes in each later wave, or a percentage of all spokes (default: 10%)",
    "10%",
  ]],
  ["maxUnavailable", ["Rollout", "RolloutDetail", "RolloutPreview", "NewRollout"], [
    "The maximum number of spokes in a cluster that are changed at the same time (default: 5)",
    5,
  ]],
  ["maxFailures", ["Rollout", "RolloutDetail", "RolloutPreview", "NewRollout"], [
    "The number of failed spokes at which the rollout pauses (default: 1)",
    1,
  ]],
  ["window", ["Rollout", "RolloutDetail", "RolloutPreview", "NewRollout"], [
    "The hours in which operations may start. Operations that have started continue; by default, they start at any time",
  ]],
  ["note", ["Rollout", "RolloutDetail"], ["What the rollout waits for; null if it is not running", null]],
  ["reason", ["Rollout", "RolloutDetail"], ["Why the rollout was paused or aborted", null]],
  ["waves", ["Rollout", "RolloutDetail"], ["The number of waves, including the canary", 11]],
  ["currentWave", ["Rollout", "RolloutDetail"], [
    "The first wave that is not finished, starting with 0, the canary; null if all waves are finished",
    2,
  ]],
  ["counts", ["Rollout", "RolloutDetail"], "The number of spokes in each state"],
  ["spokes", ["RolloutDetail", "RolloutPreview"], "The spokes, in the order in which they are changed"],
];

/** The fields of actions on many spokes. */
const BULK_FIELD_ENTRIES: GlossaryEntriesByField = {
  "BulkAction.filter": [
    "Selects spokes by their values. A spoke must match everything that is set, and be in ids if given",
    {
      federationId: "north",
      lmsVersion: "4.5.12",
    },
  ],
  "BulkAction.expected": [
    "The preview's selection. Required for a filter and for destroy; nothing starts if the selection has changed",
    "5e0cf4d1a09b4f2f8f0c6f6cbd8e7a21",
  ],
  "BulkPreview.selection": [
    "Identifies the spokes and which of them can run the action",
    "5e0cf4d1a09b4f2f8f0c6f6cbd8e7a21",
  ],
  "BulkPreview.possible": ["The number of spokes that can run the action", 24],
  "BulkPreview.refused": ["The number of spokes that cannot run the action", 1],
  "RolloutPreview.minimumSeconds": [
    "The least time in which the rollout can end, in seconds, with the watched canary; checks of health and a time " +
    "window make it longer. Null if the usual duration is unknown",
    1320,
  ],
  "RolloutPreview.price":
    "The monthly price of the changed spokes at the catalog's prices; null if the action does not change it",
  "price.totals": "The prices by currency",
  "price.unpriced": ["The number of spokes for whose size, before or after, the catalog has no price", 0],
  "totals.before": ["The monthly price before the rollout, in the minor unit of the currency", 38000],
  "totals.after": ["The monthly price after the rollout", 57000],
  "BulkPreview.usualSeconds | RolloutPreview.usualSeconds": [
    "The usual duration of the action on one spoke; null if it has never succeeded",
    42,
  ],
  "BulkPreview.downtimes | RolloutPreview.downtimes": [
    "The number of sites that the action makes unavailable; null if this depends on what changes on each site",
    24,
  ],
  "BulkPreview.parameters": ["The parameters of the action", { lmsVersion: "5.2.2" }],
  "BulkPreview.spokes": "The selected spokes",
  "spokes.becomes": ["The spoke's state after the action; null if it cannot run the action", "active"],
};

export const ROLLOUT_FIELD_ENTRIES: GlossaryEntriesByField = {
  ...BULK_FIELD_ENTRIES,
  ...Object.fromEntries(
    SHARED.map(([name, owners, entry]) => [owners.map((owner) => `${owner}.${name}`).join(" | "), entry]),
  ),
  "path.rolloutId": ["The rollout's ID", ROLLOUT_ID],
  "StreamEvent.rolloutId": ["The rollout's ID; absent if the event is not about a rollout", ROLLOUT_ID],
  "NewRollout.": ["", {
    action: "upgrade",
    lmsVersion: "5.2.2",
    selector: { federationId: "north" },
    window: { days: ["sat", "sun"], from: "22:00", to: "05:00", timeZone: "Europe/Berlin" },
  }],
  "NewRollout.selector": "The spokes to change. A spoke must match everything that is set",
  "selector.all | filter.all": ["Selects all spokes that you can see", true],
  "selector.ids": ["The IDs of the spokes, in the order in which they are changed", [EXAMPLE_IDS.spoke]],
  "selector.federationId | filter.federationId": ["The ID or slug of a hub", "north"],
  "selector.slug | filter.slug": ["The spokes' slug", "ash"],
  "selector.state | filter.state": ["The spokes' state", "active"],
  "selector.health | filter.health": ["The spokes' health", "healthy"],
  "selector.q | filter.q": ["Text in the spokes' slug, display name or domain", "ash"],
  "selector.lmsVersion | filter.lmsVersion": ["The Moodle version that the spokes run", "4.5.12"],
  "selector.size | filter.size": ["The spokes' size", "medium"],
  "selector.region | filter.region": ["The spokes' region", "eu-west"],
  "selector.minStoragePercent | filter.minStoragePercent": [
    "Only spokes whose `storagePercent` is at least this number",
    80,
  ],
  "selector.addon | filter.addon": ["Only spokes whose site has this add-on", "mod_attendance"],
  "selector.behind | filter.behind": [
    "Selects only spokes that lack what their hub shares, or have an older add-on than the catalog lists",
    true,
  ],
  "selector.outdated | filter.outdated": [
    "If true, only spokes whose manifests come from an older revision of the blueprint",
    true,
  ],
  "canary.spokes": ["The number of spokes in the first wave (default: 1)", 1],
  "canary.minutes": [
    "How long the first wave is watched before the next one starts, in minutes (default: 10)",
    10,
  ],
  "window.days": ["The days on which the window opens", ["sat", "sun"]],
  "window.from": ["The time of day at which the window opens", "22:00"],
  "window.to": ["The time of day at which the window closes, on the next day if it is not after `from`", "05:00"],
  "window.timeZone": ["The time zone of the days and times", "Europe/Berlin"],
  "counts.waiting": ["Spokes whose operation has not started", 170],
  "counts.running": ["Spokes whose operation is queued or running", 4],
  "counts.checking": ["Spokes whose operation has succeeded, and which have not been found healthy since", 1],
  "counts.succeeded": ["Spokes that were found healthy after their operation", 24],
  "counts.failed": ["Spokes whose operation failed, or which were not healthy afterwards", 0],
  "counts.skipped": ["Spokes that the action cannot change", 1],
  "spokes.wave": ["The spoke's wave, starting with 0, the canary; null if the action cannot change the spoke", 1],
  "spokes.state": ["The spoke's state in the rollout", "waiting"],
  "spokes.reason": ["Why the spoke failed or is skipped", null],
  "spokes.operationId": ["The ID of the spoke's operation; null before it starts", null],
  "spokes.endedAt": ["When the spoke's operation ended; null before that", null],
  "RolloutPreview.waves": ["The number of spokes in each wave, starting with the canary", [1, 20, 20]],
  "RolloutPreview.skipped": ["The number of spokes that the action cannot change", 1],
  "RolloutResumption.failed": ["Whether failed spokes are tried again or skipped (default: retry)", "retry"],
};
