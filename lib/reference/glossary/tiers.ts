/** Describes the API fields of tiers, and of the preview of a change of a hub. */
import { EXAMPLE_IDS, type GlossaryEntriesByField } from "#lib/reference/glossary/entry.ts";

export const TIER_FIELD_ENTRIES: GlossaryEntriesByField = {
  "tiers.restricted": "Whether only operators may give the tier to a hub, or take it away",
  "tiers.placement":
    "Where the pods of the hub's sites run; null if the tier does not say, or if you are not an operator",
  nodeSelector: ["The labels that nodes must have", { "example.org/pool": "dedicated" }],
  tolerations: "The tolerations of pods, as in Kubernetes",
  "tolerations.key": ["The key of the taint; null tolerates every key", "example.org/pool"],
  "tolerations.operator": ["How the value is compared: Equal or Exists", "Equal"],
  "tolerations.value": ["The value of the taint; null if every value is tolerated", "dedicated"],
  "tolerations.effect": ["The effect of the taint; null tolerates every effect", "NoSchedule"],
  "tolerations.tolerationSeconds": ["How long pods stay after the taint NoExecute was added; null is forever", null],
  priorityClass: ["The name of the PriorityClass of pods; null if the tier sets none", "important"],
  "tiers.sizes": ["The sizes that the hub's spokes may have; null if every size is allowed", ["medium", "large"]],
  "tiers.backups": "The nightly backups of the hub's spokes",
  "backups.window": "When nightly backups start; null means 22:00 to 04:00 UTC",
  "backups.retention": "How many backups are kept; null means 7 daily, 4 weekly and 6 monthly",
  "tiers.bounds": "The limits for all spokes of the hub together",
  "bounds.spokes": ["The maximum number of spokes; null if there is no limit", 20],
  "bounds.storage": ["The maximum storage of the volumes of all sites; null if there is no limit", "2Ti"],

  "FederationPatch.rollOut": [
    "Whether to start a rollout that brings the hub's tier to its spokes. Only operators can",
    false,
  ],
  "ChangedFederation.preview": ["What the change would do, in a dry run; otherwise null", null],
  "FederationPreview.changes": ["The fields of the hub that change", [{
    field: "tier",
    from: "shared",
    to: "dedicated",
  }]],
  "FederationPreview.counts": "The number of spokes with each effect",
  "counts.moves": ["Spokes whose pods move, so that their sites are down for a short time", 4],
  "counts.in_place": ["Spokes that change without downtime", 0],
  "counts.suspended": ["Spokes that are left out because they are suspended", 1],
  "counts.refused": ["Spokes that cannot change in their present state", 0],
  "counts.unchanged": ["Spokes that have what the tier sets", 0],
  "FederationPreview.usualSeconds": [
    "The usual duration of the operation on one spoke; null if it has never succeeded",
    95,
  ],
  "FederationPreview.downtimes": ["The number of sites that are down for at most this time", 4],
  "FederationPreview.minimumSeconds": [
    "The least time in which a rollout can end; null if the usual duration is unknown",
    885,
  ],
  "FederationPreview.spokes": ["The spokes that the tier concerns", [{
    spokeId: EXAMPLE_IDS.spoke,
    slug: "ash",
    domain: "ash.school.example",
    effect: "moves",
    sizeAllowed: true,
    reason: null,
  }]],
  "FederationPreview.more": ["The number of further spokes, which are not listed", 0],
  "FederationPreview.notes": ["What else the change does", []],
  sizeAllowed: ["Whether the tier allows the spoke's size. A spoke keeps its size in any case", true],
};
