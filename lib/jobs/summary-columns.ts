/**
 * Lists the job columns that lists need. The log and events of a failure are excluded.
 *
 * They can take almost a megabyte per job, so they are read only for a single operation.
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
