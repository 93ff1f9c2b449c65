/**
 * Lists the job columns that are read for lists: everything except the log and events of a failure.
 *
 * Log and events can take most of a megabyte per job. They are read only for a single operation.
 */
import { sql } from "kysely";

export const summaryColumns = [
  "id",
  "seq",
  "kind",
  "visible",
  "lane",
  "federationId",
  "spokeId",
  "state",
  "runAt",
  "attempt",
  "timeLimitMs",
  "deadlineAt",
  "fence",
  "holder",
  "plan",
  "stepNames",
  "stepsDone",
  "stepEnds",
  "label",
  "payload",
  "progress",
  "dedupeKey",
  "cancelRequestedAt",
  "awaits",
  "askerId",
  "askerEmail",
  "askerIp",
  "askerAgent",
  "askerToken",
  "trace",
  "createdAt",
  "updatedAt",
  "startedAt",
  "finishedAt",
  sql<unknown>`failure || '{"log": [], "events": []}'::jsonb`.as("failure"),
] as const;
