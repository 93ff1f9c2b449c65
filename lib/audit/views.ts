/** Defines how the API shows audit events. */
import * as v from "valibot";
import { AUDIT_KINDS, AUDIT_OBJECT_TYPES } from "#lib/audit/kinds.ts";
import { boundedText, Timestamp } from "#lib/base/schema.ts";

const KINDS = Object.keys(AUDIT_KINDS) as (keyof typeof AUDIT_KINDS)[];
const optionalText = v.optional(boundedText(1, 254));

/** Filters for the audit log. Unknown kinds are refused: an empty result would look as if nothing had happened. */
export const auditFilterFields = {
  kind: v.optional(v.picklist(KINDS, `must be one of ${KINDS.join(", ")}`)),
  /** A user's ID or email address, or "system" or "anonymous". */
  actor: optionalText,
  objectType: v.optional(v.picklist(AUDIT_OBJECT_TYPES, `must be one of ${AUDIT_OBJECT_TYPES.join(", ")}`)),
  objectId: optionalText,
  /** A hub's ID or slug. */
  federationId: optionalText,
};

export const AuditEventView = v.object({
  id: v.string(),
  kind: v.string(),
  actor: v.object({ id: v.string(), email: v.string() }),
  objectType: v.string(),
  objectId: v.string(),
  metadata: v.record(v.string(), v.unknown()),
  ip: v.string(),
  userAgent: v.string(),
  at: Timestamp,
});
