/**
 * Defines all metrics for the registry, deploy/metrics.md, alerts and dashboards. No label identifies a customer,
 * because the metrics page has no authentication. Labels have few values, because each combination is a separate time
 * series.
 */
import { FLEET_METRIC_DEFINITIONS, type MetricDefinition } from "#lib/metrics/fleet-definitions.ts";

export type { MetricDefinition };

const SHORT_BUCKETS = [0.005, 0.025, 0.1, 0.25, 1, 2.5, 10];
/** Histogram buckets in seconds for operations, which can take minutes. */
const LONG_BUCKETS = [1, 5, 15, 30, 60, 120, 300, 600, 1200, 3600];

export const METRIC_DEFINITIONS = [
  {
    name: "wheelwright_build_info",
    type: "gauge",
    help: "Always 1; the labels are the running version and commit",
    labels: ["version", "commit"],
  },
  {
    name: "wheelwright_http_request_duration_seconds",
    type: "histogram",
    help: "Time from the headers of a request to the headers of its response",
    labels: ["method", "route", "status"],
    buckets: SHORT_BUCKETS,
  },
  {
    name: "wheelwright_http_requests_in_flight",
    type: "gauge",
    help: "Requests in progress that count against MAX_IN_FLIGHT or against the limit for sign-ins",
  },
  {
    name: "wheelwright_http_requests_shed_total",
    type: "counter",
    help:
      "Requests refused with status 503, because MAX_IN_FLIGHT is reached (full), the event loop is late (late), or the caller has too many requests (share)",
    labels: ["reason"],
  },
  {
    name: "wheelwright_operation_duration_seconds",
    type: "histogram",
    help:
      "Time from the request for an operation until it succeeded, failed or was cancelled. Excludes operations cancelled while queued",
    labels: ["kind", "outcome"],
    buckets: LONG_BUCKETS,
  },
  {
    name: "wheelwright_operation_step_duration_seconds",
    type: "histogram",
    help:
      "Duration of job steps that succeeded, failed, or were interrupted (released, cancelled, or waiting for another job)",
    labels: ["kind", "step", "outcome"],
    buckets: LONG_BUCKETS,
  },
  {
    name: "wheelwright_job_duration_seconds",
    type: "histogram",
    help:
      "Duration of job runs, including operations, that succeeded, failed, were cancelled, queued again, or lost to another replica",
    labels: ["kind", "outcome"],
    buckets: [0.01, 0.1, 1, 5, 15, 60, 300, 1200],
  },
  {
    name: "wheelwright_jobs_running",
    type: "gauge",
    help: "Jobs that are running on this replica, at most SCHEDULER_LANES",
  },
  {
    name: "wheelwright_lanes",
    type: "gauge",
    help: "Lanes (job queues) with an operation that is running, or that is queued and could run now",
    labels: ["state"],
    fleetWide: true,
  },
  {
    name: "wheelwright_lane_oldest_wait_seconds",
    type: "gauge",
    help: "Longest time that an operation has waited for a replica with free capacity; 0 if no operation waits",
    fleetWide: true,
  },
  { name: "wheelwright_takeovers_total", type: "counter", help: "Jobs taken over from a replica without a heartbeat" },
  {
    name: "wheelwright_fences_lost_total",
    type: "counter",
    help: "Job runs that this replica abandoned because another replica may have claimed the job",
  },
  {
    name: "wheelwright_site_minutes_total",
    type: "counter",
    help: "Minutes of sites, by whether the login page worked: up, down, planned (planned work) or unknown",
    labels: ["kind"],
  },
  { name: "wheelwright_streams", type: "gauge", help: "Open event streams" },
  {
    name: "wheelwright_stream_events_behind",
    type: "gauge",
    help: "Events that the slowest reader of an event stream has not received yet",
  },
  {
    name: "wheelwright_emails_total",
    type: "counter",
    help: "Attempts to send an email, successful or failed",
    labels: ["outcome"],
  },
  {
    name: "wheelwright_webhook_deliveries_total",
    type: "counter",
    help: "Attempts to send a message to the receiver of a webhook, accepted or not",
    labels: ["outcome"],
  },
  {
    name: "wheelwright_provider_call_duration_seconds",
    type: "histogram",
    help:
      "Duration of calls to the payment provider that succeeded, were refused (status 400 or higher), or got no response",
    labels: ["call", "outcome"],
    buckets: SHORT_BUCKETS,
  },
  {
    name: "wheelwright_cluster_call_duration_seconds",
    type: "histogram",
    help:
      "Duration of calls to Kubernetes API servers, including the start of streams. Status 0 means no response; cancelled means cancelled by this replica",
    labels: ["verb", "status"],
    buckets: SHORT_BUCKETS,
  },
  {
    name: "wheelwright_cluster_watch_restarts_total",
    type: "counter",
    help: "Kubernetes watches that were interrupted and restarted",
  },
  {
    name: "wheelwright_trace_spans_dropped_total",
    type: "counter",
    help:
      "Trace spans that were not sent, or that the collector refused, because the collector is down or slow or gets too many spans",
  },
  {
    name: "wheelwright_database_connections",
    type: "gauge",
    help: "Connections in the database connection pool, without connections for event streams",
    labels: ["state"],
  },
  { name: "wheelwright_database_waiting", type: "gauge", help: "Callers that are waiting for a database connection" },
  {
    name: "wheelwright_database_transactions_total",
    type: "counter",
    help: "Database transactions that succeeded or failed (were rolled back, including refused requests)",
    labels: ["outcome"],
  },
  {
    name: "wheelwright_event_loop_delay_seconds",
    type: "histogram",
    help: "Delay of the event loop, measured with a timer that fires ten times a second",
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1],
  },
  { name: "process_resident_memory_bytes", type: "gauge", help: "Resident memory of the process" },
  { name: "process_start_time_seconds", type: "gauge", help: "Start time of the process, in seconds since 1970" },
  ...FLEET_METRIC_DEFINITIONS,
] as const satisfies readonly MetricDefinition[];

type Named<T extends MetricDefinition["type"]> = Extract<
  (typeof METRIC_DEFINITIONS)[number],
  { readonly type: T }
>["name"];
export type CounterName = Named<"counter">;
export type GaugeName = Named<"gauge">;
export type HistogramName = Named<"histogram">;
