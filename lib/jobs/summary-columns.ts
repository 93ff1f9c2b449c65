/**
 * The job columns that list queries read. A failure's log and events are left out, because they can take almost a
 * megabyte per job. Only queries for a single operation read them.
 */
import { sql } from "kysely";

export const jobSummaryColumns = [
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
  "finishedSteps",
  "stepTimes",
  "label",
  "payload",
  "progress",
  "dedupeKey",
  "cancelRequestedAt",
  "waitsFor",
  "requesterId",
  "requesterEmail",
  "requesterIp",
  "requesterAgent",
  "requesterToken",
  "trace",
  "createdAt",
  "updatedAt",
  "startedAt",
  "finishedAt",
  sql<unknown>`failure || '{"log": [], "events": []}'::jsonb`.as("failure"),
] as const;
