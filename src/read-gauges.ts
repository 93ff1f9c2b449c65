/** Reads the current value of each gauge (a metric that can go up and down) whenever metrics are requested. */
import type { FleetCounts } from "#lib/domains/fleet/watch.ts";
import { SECOND } from "#lib/base/time.ts";
import type { GaugeValues } from "#lib/metrics/registry.ts";
import type { Program } from "./compose.ts";
import type { Server } from "./server.ts";

/** Returns the gauge values. `fleet` is null on all replicas except one, so that spokes are counted only once. */
export function readGauges(
  { app: { db, feeds, release }, scheduler }: Pick<Program, "app" | "scheduler">,
  fleet: FleetCounts | null,
  { inFlight }: Pick<Server, "inFlight">,
): GaugeValues {
  const { open, idle, waiting } = db.stats(), { streams, behind } = feeds.stats();
  const since = (date: Date | null) => fleet && date && (fleet.now.getTime() - date.getTime()) / SECOND;
  return {
    wheelwright_build_info: [[{ version: release.version, commit: release.commit }, 1]],
    wheelwright_http_requests_in_flight: inFlight(),
    wheelwright_jobs_running: scheduler?.running() ?? 0,
    wheelwright_lanes: fleet && [
      [{ state: "queued" }, fleet.lanes.queued],
      [{ state: "running" }, fleet.lanes.running],
    ],
    wheelwright_lane_oldest_wait_seconds: fleet && fleet.lanes.longestWaitSeconds,
    wheelwright_streams: streams,
    wheelwright_stream_events_behind: behind,
    wheelwright_database_connections: [[{ state: "used" }, open - idle], [{ state: "idle" }, idle]],
    wheelwright_database_waiting: waiting,
    process_resident_memory_bytes: process.memoryUsage.rss(),
    process_start_time_seconds: Math.round((Date.now() / SECOND) - process.uptime()),
    wheelwright_spokes: fleet && fleet.spokes.map(({ state, health, count }) => [{ state, health }, count] as const),
    wheelwright_spokes_drifted: fleet && fleet.spokes.reduce((sum, { drifted }) => sum + drifted, 0),
    wheelwright_spokes_storage_low: fleet &&
      fleet.usage.low.map(({ percent, spokes }) => [{ percent: String(percent) }, spokes] as const),
    wheelwright_storage_bytes: fleet && [
      [{ disk: "files", amount: "used" }, fleet.usage.filesUsed],
      [{ disk: "files", amount: "size" }, fleet.usage.filesSize],
      [{ disk: "database", amount: "used" }, fleet.usage.databaseUsed],
      [{ disk: "database", amount: "size" }, fleet.usage.databaseSize],
    ],
    wheelwright_site_users: fleet && [
      [{ accounts: "all" }, fleet.usage.users],
      [{ accounts: "active" }, fleet.usage.activeUsers],
    ],
    wheelwright_spokes_certificate_ending: fleet &&
      fleet.usage.certificates.map(({ days, spokes }) => [{ days: String(days) }, spokes] as const),
    wheelwright_spokes_failing: fleet && [
      [{ part: "tasks" }, fleet.usage.failingTasks],
      [{ part: "checks" }, fleet.usage.failedChecks],
    ],
    wheelwright_templates: fleet && fleet.templates.map(({ state, count }) => [{ state }, count] as const),
    wheelwright_backup_oldest_age_seconds: since(fleet?.oldestBackup ?? null),
    wheelwright_oldest_verification_age_seconds: since(fleet?.restoreTests.oldest ?? null),
    wheelwright_restore_tests_failing: fleet && fleet.restoreTests.failing,
    wheelwright_webhook_oldest_event_age_seconds: fleet && (since(fleet.oldestUndelivered) ?? 0),
    wheelwright_audit_seal_age_seconds: fleet && (since(fleet.oldestUnsealed) ?? 0),
  };
}
