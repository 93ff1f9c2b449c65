/** Defines the metrics about hubs and sites, which describe all replicas together. */
export interface MetricDefinition {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels?: readonly string[];
  /** The upper bounds of the histogram's buckets, in the metric's unit. */
  readonly buckets?: readonly number[];
  /** Whether the metric describes all replicas together. Only the leading replica reports such metrics. */
  readonly fleetWide?: true;
}

export const FLEET_METRIC_DEFINITIONS = [
  {
    name: "wheelwright_spokes",
    type: "gauge",
    help: "Number of spokes, excluding removed spokes",
    labels: ["state", "health"],
    fleetWide: true,
  },
  {
    name: "wheelwright_spokes_drifted",
    type: "gauge",
    help: "Spokes that differ from their manifests, or that were rendered from an older blueprint",
    fleetWide: true,
  },
  {
    name: "wheelwright_spokes_storage_low",
    type: "gauge",
    help: "Spokes that use at least this percentage of their storage",
    labels: ["percent"],
    fleetWide: true,
  },
  {
    name: "wheelwright_storage_bytes",
    type: "gauge",
    help: "Storage of all sites that have reported their usage: used, and the size of the disks",
    labels: ["disk", "amount"],
    fleetWide: true,
  },
  {
    name: "wheelwright_site_users",
    type: "gauge",
    help: "User accounts on all sites that have reported their usage, and those used in the last 30 days",
    labels: ["accounts"],
    fleetWide: true,
  },
  {
    name: "wheelwright_spokes_certificate_ending",
    type: "gauge",
    help: "Spokes whose certificate ends within this number of days, or has ended",
    labels: ["days"],
    fleetWide: true,
  },
  {
    name: "wheelwright_spokes_failing",
    type: "gauge",
    help: "Spokes whose Moodle reports failing background tasks, or failed checks of its status report",
    labels: ["part"],
    fleetWide: true,
  },
  {
    name: "wheelwright_templates",
    type: "gauge",
    help: "Templates (pristine installations) for new sites",
    labels: ["state"],
    fleetWide: true,
  },
  {
    name: "wheelwright_backup_oldest_age_seconds",
    type: "gauge",
    help:
      "Longest time since an active spoke's last successful backup, or since the spoke's creation if it has no backup",
    fleetWide: true,
  },
  {
    name: "wheelwright_oldest_verification_age_seconds",
    type: "gauge",
    help: "Longest time since an active spoke's last successful restore test; absent if no test has succeeded",
    fleetWide: true,
  },
  {
    name: "wheelwright_restore_tests_failing",
    type: "gauge",
    help: "Active spokes whose last restore test failed",
    fleetWide: true,
  },
  {
    name: "wheelwright_audit_seal_age_seconds",
    type: "gauge",
    help: "Age of the oldest audit event without a seal; 0 if all events are sealed",
    fleetWide: true,
  },
  {
    name: "wheelwright_webhook_oldest_event_age_seconds",
    type: "gauge",
    help: "Age of the oldest event that an active webhook has not delivered yet; 0 if all are delivered",
    fleetWide: true,
  },
] as const satisfies readonly MetricDefinition[];
