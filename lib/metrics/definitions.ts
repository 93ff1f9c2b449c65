/**
 * Defines all metrics, for the registry, deploy/metrics.md, alerts and dashboards. No label identifies a customer,
 * because the metrics page has no authentication. Labels have few values, because each combination is a separate time
 * series.
 */
export interface Metric {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels?: readonly string[];
  /** The upper bounds of the histogram's buckets, in the metric's unit. */
  readonly buckets?: readonly number[];
  /** Whether the metric describes all replicas together. Only the leading replica reports such metrics. */
  readonly fleetWide?: true;
}

const SHORT_BUCKETS = [0.005, 0.025, 0.1, 0.25, 1, 2.5, 10];
/** Histogram buckets in seconds for operations, which can take minutes. */
const LONG_BUCKETS = [1, 5, 15, 30, 60, 120, 300, 600, 1200, 3600];

export const METRICS = [
  {
    name: "wheelwright_build_info",
    type: "gauge",
    help: "1, with the running version and commit",
    labels: ["version", "commit"],
  },
  {
    name: "wheelwright_http_request_duration_seconds",
    type: "histogram",
    help: "Time from a request's headers to the response's headers",
    labels: ["method", "route", "status"],
    buckets: SHORT_BUCKETS,
  },
  {
    name: "wheelwright_http_requests_in_flight",
    type: "gauge",
    help: "Requests in progress that count against MAX_IN_FLIGHT or against the limit of sign-ins",
  },
  {
    name: "wheelwright_http_requests_shed_total",
    type: "counter",
    help:
      "Requests refused with 503: MAX_IN_FLIGHT is reached (full), the event loop is late (late), or the caller has too many (share)",
    labels: ["reason"],
  },
  {
    name: "wheelwright_operation_duration_seconds",
    type: "histogram",
    help:
      "Time from the request of an operation to its end: succeeded, failed or cancelled. Without operations cancelled while queued",
    labels: ["kind", "outcome"],
    buckets: LONG_BUCKETS,
  },
  {
    name: "wheelwright_operation_step_duration_seconds",
    type: "histogram",
    help: "Steps of jobs: succeeded, failed, or interrupted (released, cancelled, or waiting for another job)",
    labels: ["kind", "step", "outcome"],
    buckets: LONG_BUCKETS,
  },
  {
    name: "wheelwright_job_duration_seconds",
    type: "histogram",
    help: "Runs of jobs, including operations: succeeded, failed, cancelled, queued again, or lost to another replica",
    labels: ["kind", "outcome"],
    buckets: [0.01, 0.1, 1, 5, 15, 60, 300, 1200],
  },
  {
    name: "wheelwright_jobs_running",
    type: "gauge",
    help: "Jobs running on this replica, at most SCHEDULER_LANES",
  },
  {
    name: "wheelwright_lanes",
    type: "gauge",
    help: "Lanes whose operation is running, or is queued and could run now",
    labels: ["state"],
    fleetWide: true,
  },
  {
    name: "wheelwright_lane_oldest_wait_seconds",
    type: "gauge",
    help: "Longest wait of an operation that could run now, if a replica had capacity; 0 if none waits",
    fleetWide: true,
  },
  { name: "wheelwright_takeovers_total", type: "counter", help: "Jobs taken over from a replica without a heartbeat" },
  {
    name: "wheelwright_fences_lost_total",
    type: "counter",
    help: "Runs that this replica abandoned because another replica may have claimed the job",
  },
  { name: "wheelwright_streams", type: "gauge", help: "Open event streams" },
  {
    name: "wheelwright_stream_events_behind",
    type: "gauge",
    help: "Events that the slowest reader of a stream has not received yet",
  },
  {
    name: "wheelwright_mails_total",
    type: "counter",
    help: "Attempts to send an email: succeeded or failed",
    labels: ["outcome"],
  },
  {
    name: "wheelwright_provider_call_duration_seconds",
    type: "histogram",
    help: "Calls to the payment provider: succeeded, refused (status 400 or higher), or failed without a response",
    labels: ["call", "outcome"],
    buckets: SHORT_BUCKETS,
  },
  {
    name: "wheelwright_cluster_call_duration_seconds",
    type: "histogram",
    help:
      "Calls to Kubernetes API servers, including the start of streams. Status 0: no response; cancelled: cancelled by this replica",
    labels: ["verb", "status"],
    buckets: SHORT_BUCKETS,
  },
  {
    name: "wheelwright_cluster_watch_restarts_total",
    type: "counter",
    help: "Watches that were interrupted and restarted",
  },
  {
    name: "wheelwright_trace_spans_dropped_total",
    type: "counter",
    help: "Spans that were not sent to the collector, or that it refused: it is down or slow, or there are too many",
  },
  {
    name: "wheelwright_database_connections",
    type: "gauge",
    help: "Connections of the pool, without those for streams",
    labels: ["state"],
  },
  { name: "wheelwright_database_waiting", type: "gauge", help: "Callers waiting for a database connection" },
  {
    name: "wheelwright_database_transactions_total",
    type: "counter",
    help: "Transactions: succeeded, or failed (rolled back, including refused requests)",
    labels: ["outcome"],
  },
  {
    name: "wheelwright_event_loop_delay_seconds",
    type: "histogram",
    help: "Delay of a timer that fires ten times a second",
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1],
  },
  { name: "process_resident_memory_bytes", type: "gauge", help: "Resident memory of the process" },
  { name: "process_start_time_seconds", type: "gauge", help: "Start time of the process, in seconds since 1970" },
  {
    name: "wheelwright_spokes",
    type: "gauge",
    help: "Spokes, without removed ones",
    labels: ["state", "health"],
    fleetWide: true,
  },
  {
    name: "wheelwright_spokes_drifted",
    type: "gauge",
    help: "Spokes with drift, or rendered from an older blueprint",
    fleetWide: true,
  },
  {
    name: "wheelwright_templates",
    type: "gauge",
    help: "Templates of new sites",
    labels: ["state"],
    fleetWide: true,
  },
  {
    name: "wheelwright_backup_oldest_age_seconds",
    type: "gauge",
    help: "Longest time since the last successful backup of an active spoke, or since its creation if it has no backup",
    fleetWide: true,
  },
  {
    name: "wheelwright_oldest_verification_age_seconds",
    type: "gauge",
    help: "Longest time since the last successful restore test of an active spoke; absent if there was none",
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
    help: "Age of the oldest unsealed audit event; 0 if all are sealed",
    fleetWide: true,
  },
] as const satisfies readonly Metric[];

type Named<T extends Metric["type"]> = Extract<(typeof METRICS)[number], { readonly type: T }>["name"];
export type CounterName = Named<"counter">;
export type GaugeName = Named<"gauge">;
export type HistogramName = Named<"histogram">;
