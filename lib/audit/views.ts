/** An audit event as the API shows it. */
import * as v from "valibot";
import { AUDIT_KINDS, OBJECT_TYPES } from "#lib/audit/kinds.ts";
import { text, Timestamp } from "#lib/base/schema.ts";

const KINDS = Object.keys(AUDIT_KINDS) as (keyof typeof AUDIT_KINDS)[];
const optionalText = v.optional(text(1, 254));

/** What narrows the log in a query. A kind that there is not would else find nothing, as one that never happened. */
export const auditFilters = {
  kind: v.optional(v.picklist(KINDS, `must be one of ${KINDS.join(", ")}`)),
  /** The id or the address of a user, "system" or "anonymous". */
  actor: optionalText,
  objectType: v.optional(v.picklist(OBJECT_TYPES, `must be one of ${OBJECT_TYPES.join(", ")}`)),
  objectId: optionalText,
  /** The id or the slug of a hub. */
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
