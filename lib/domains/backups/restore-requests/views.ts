/** Defines the API schemas for requests to restore a backup. */
import * as v from "valibot";
import { RESTORE_REQUEST_STATES } from "#lib/model/backup.ts";
import {
  boundedText,
  createOptionalChoiceSchema,
  NullableTimestamp,
  optionalOrNull,
  Timestamp,
} from "#lib/base/schema.ts";

const PersonView = v.object({ id: v.string(), email: v.string() });

export const RestoreRequestView = v.object({
  id: v.string(),
  federationId: v.string(),
  spokeId: v.string(),
  backupId: v.string(),
  reason: v.string(),
  state: v.picklist(RESTORE_REQUEST_STATES),
  requestedBy: PersonView,
  /** The operator who closed the request. Null for an open request, or if a successful restore closed the request. */
  decidedBy: v.nullable(PersonView),
  decidedAt: NullableTimestamp,
  declineReason: v.nullable(v.string()),
  /** The command that an operator runs on the server to restore the backup. Null for other users. */
  command: v.nullable(v.string()),
  createdAt: Timestamp,
});
export type RestoreRequestRecord = v.InferInput<typeof RestoreRequestView>;

export const NewRestoreRequest = v.object({ backupId: boundedText(1, 100), reason: boundedText(1, 2000) });
export type NewRestoreRequest = v.InferOutput<typeof NewRestoreRequest>;

/** An operator's decision on a restore request. Declining requires a reason, which the requester can see. */
export const RestoreDecision = v.object({
  state: v.picklist(RESTORE_REQUEST_STATES.filter((state) => state !== "open"), "must be done or declined"),
  declineReason: optionalOrNull(boundedText(1, 2000)),
});
export type RestoreDecision = v.InferOutput<typeof RestoreDecision>;

export const RestoreRequestFilter = createOptionalChoiceSchema(RESTORE_REQUEST_STATES);
