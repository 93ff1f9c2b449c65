/**
 * The columns of a job where many are read at once: of what a failure left behind all but the log and the events, which
 * may be most of a megabyte a job. Who wants these asks for the one operation.
 */
import { sql } from "kysely";

export const briefColumns = [
  "id",
  "seq",
  "kind",
  "visible",
  "lane",
  "federation_id",
  "spoke_id",
  "state",
  "run_at",
  "attempt",
  "time_limit_ms",
  "deadline_at",
  "fence",
  "holder",
  "plan",
  "step_names",
  "steps_done",
  "label",
  "payload",
  "progress",
  "dedupe_key",
  "cancel_requested_at",
  "asker_id",
  "asker_email",
  "asker_ip",
  "asker_agent",
  "asker_token",
  "created_at",
  "updated_at",
  "started_at",
  "finished_at",
  sql<unknown>`failure || '{"log": [], "events": []}'::jsonb`.as("failure"),
] as const;
