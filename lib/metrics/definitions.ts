/**
 * Every metric: its name, what it is, and its labels. It is registered from here, written into deploy/metrics.md from here,
 * and what alerts and dashboards may name is here.
 *
 * No label says which customer: the page that shows them asks nobody for a password. And each has few values, all of
 * them the program's own, for each set of them is a series that lasts.
 */
export interface Metric {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels?: readonly string[];
  /** Of a histogram, in its unit. */
  readonly buckets?: readonly number[];
  /** Of all replicas together: the one that leads tells it, and the others say nothing of it. */
  readonly fleetWide?: true;
}

const SHORT_BUCKETS = [0.005, 0.025, 0.1, 0.25, 1, 2.5, 10];
/** An installation takes a minute or two; its objective is a number of minutes. */
const LONG_BUCKETS = [1, 5, 15, 30, 60, 120, 300, 600, 1200, 3600];

export const METRICS = [
  {
    name: "wheelwright_build_info",
    type: "gauge",
    help: "1, with the version and commit that run",
    labels: ["version", "commit"],
  },
  {
    name: "wheelwright_http_request_duration_seconds",
    type: "histogram",
    help: "Answers to clients, from the request's headers to the answer's; of a stream, until it begins",
    labels: ["method", "route", "status"],
    buckets: SHORT_BUCKETS,
  },
  {
    name: "wheelwright_http_requests_in_flight",
    type: "gauge",
    help: "Requests that count against MAX_IN_FLIGHT, and people who sign in",
  },
  {
    name: "wheelwright_http_requests_shed_total",
    type: "counter",
    help: "Requests refused for load: there is no room, the process is late, or one caller has its share",
    labels: ["reason"],
  },
  {
    name: "wheelwright_operation_duration_seconds",
    type: "histogram",
    help:
      "Operations that ended, since they were asked for: succeeded, failed or cancelled; one called off in the queue is not told",
    labels: ["kind", "outcome"],
    buckets: LONG_BUCKETS,
  },
  {
    name: "wheelwright_operation_step_duration_seconds",
    type: "histogram",
    help: "Steps of jobs: succeeded, failed, or interrupted (given back, called off, or waiting for another)",
    labels: ["kind", "step", "outcome"],
    buckets: LONG_BUCKETS,
  },
  {
    name: "wheelwright_job_duration_seconds",
    type: "histogram",
    help:
      "Runs of jobs, those of operations too: succeeded, failed, cancelled, queued (put back) or lost to another replica",
    labels: ["kind", "outcome"],
    buckets: [0.01, 0.1, 1, 5, 15, 60, 300, 1200],
  },
  {
    name: "wheelwright_jobs_running",
    type: "gauge",
    help: "Jobs that run on this replica, of SCHEDULER_LANES at most",
  },
  {
    name: "wheelwright_lanes",
    type: "gauge",
    help: "Lanes in which an operation runs, or could run now and does not (queued)",
    labels: ["state"],
    fleetWide: true,
  },
  {
    name: "wheelwright_lane_oldest_wait_seconds",
    type: "gauge",
    help: "How long an operation has waited for nothing but a replica with room for it; 0 where none does",
    fleetWide: true,
  },
  { name: "wheelwright_takeovers_total", type: "counter", help: "Jobs that this replica took over from a silent one" },
  {
    name: "wheelwright_fences_lost_total",
    type: "counter",
    help: "Runs that this replica let go of, since another one may have taken the job",
  },
  { name: "wheelwright_streams", type: "gauge", help: "Event streams that are open" },
  {
    name: "wheelwright_stream_events_behind",
    type: "gauge",
    help: "Events that the slowest reader of a stream has not taken yet",
  },
  {
    name: "wheelwright_mails_total",
    type: "counter",
    help: "Tries to send a mail: succeeded or failed",
    labels: ["outcome"],
  },
  {
    name: "wheelwright_provider_call_duration_seconds",
    type: "histogram",
    help: "Calls to the payment provider: succeeded, refused (a status from 400 on), or failed without an answer",
    labels: ["call", "outcome"],
    buckets: SHORT_BUCKETS,
  },
  {
    name: "wheelwright_cluster_call_duration_seconds",
    type: "histogram",
    help:
      "Calls to clusters' API servers, and beginnings of streams; status 0 is no answer, cancelled one that was called off here",
    labels: ["verb", "status"],
    buckets: SHORT_BUCKETS,
  },
  {
    name: "wheelwright_cluster_watch_restarts_total",
    type: "counter",
    help: "Watches that broke off, and were begun again",
  },
  {
    name: "wheelwright_trace_spans_dropped_total",
    type: "counter",
    help: "Spans that the collector of traces was not given, or refused: it is away, slow, or gets too many",
  },
  {
    name: "wheelwright_database_connections",
    type: "gauge",
    help: "Connections of the pool, those for streams not counted",
    labels: ["state"],
  },
  { name: "wheelwright_database_waiting", type: "gauge", help: "Callers that wait for a connection" },
  {
    name: "wheelwright_database_transactions_total",
    type: "counter",
    help: "Transactions: succeeded, or failed (rolled back, also where a caller was refused)",
    labels: ["outcome"],
  },
  {
    name: "wheelwright_event_loop_delay_seconds",
    type: "histogram",
    help: "How late a timer was that fires ten times a second",
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1],
  },
  { name: "process_resident_memory_bytes", type: "gauge", help: "Memory of the process" },
  { name: "process_start_time_seconds", type: "gauge", help: "When the process started, in seconds since 1970" },
  {
    name: "wheelwright_spokes",
    type: "gauge",
    help: "Spokes that are not removed",
    labels: ["state", "health"],
    fleetWide: true,
  },
  {
    name: "wheelwright_spokes_drifted",
    type: "gauge",
    help: "Spokes in which something is not as it was made, or whose blueprint is an older one",
    fleetWide: true,
  },
  {
    name: "wheelwright_templates",
    type: "gauge",
    help: "Templates that spokes are made from",
    labels: ["state"],
    fleetWide: true,
  },
  {
    name: "wheelwright_backup_oldest_age_seconds",
    type: "gauge",
    help:
      "Of the active spokes' newest good backups, the age of the oldest; a spoke that has none counts with its own age",
    fleetWide: true,
  },
  {
    name: "wheelwright_proof_oldest_age_seconds",
    type: "gauge",
    help:
      "Of the active spokes' last proofs by a restore drill, the age of the oldest; absent where none was ever made",
    fleetWide: true,
  },
  {
    name: "wheelwright_proofs_failing",
    type: "gauge",
    help: "Active spokes whose last restore drill failed",
    fleetWide: true,
  },
  {
    name: "wheelwright_audit_seal_age_seconds",
    type: "gauge",
    help: "How long the oldest event of the audit log has waited for its seal; 0 where all are sealed",
    fleetWide: true,
  },
] as const satisfies readonly Metric[];

type Named<T extends Metric["type"]> = Extract<(typeof METRICS)[number], { readonly type: T }>["name"];
export type CounterName = Named<"counter">;
export type GaugeName = Named<"gauge">;
export type HistogramName = Named<"histogram">;
