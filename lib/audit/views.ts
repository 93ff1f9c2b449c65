/** An audit event as the API shows it (spec 2.5). */
import * as v from "valibot";
import { Stamp } from "#lib/schema.ts";

export const AuditEventView = v.object({
  id: v.string(),
  kind: v.string(),
  actor: v.object({ id: v.string(), email: v.string() }),
  objectType: v.string(),
  objectId: v.string(),
  metadata: v.record(v.string(), v.unknown()),
  ip: v.string(),
  userAgent: v.string(),
  at: Stamp,
});
