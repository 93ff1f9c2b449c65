/**
 * Lists the job columns that lists need. The log and events of a failure are excluded. They can take almost a megabyte
 * per job, so they are read only for a single operation.
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
