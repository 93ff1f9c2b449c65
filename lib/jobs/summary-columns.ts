/**
 * The columns of a job where many are read at once: of what a failure left behind all but the log and the events, which
 * may be most of a megabyte a job. Who wants these asks for the one operation.
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
