/** Records changes of second factors in the audit log, and emails the user, who may not have made the change. */
import { getMailRecipient } from "#lib/domains/auth/forgot-password.ts";
import type { AuditedChange } from "#lib/changes/record.ts";
import { createMailJob } from "#lib/jobs/mail.ts";
import type { LockedUser } from "#lib/domains/users/store.ts";

export type FactorChange =
  | "factor_added"
  | "factor_removed"
  | "factors_reset"
  | "recovery_codes_renewed"
  | "recovery_code_used";

interface ChangeDetails {
  readonly at: Date;
  readonly ip: string;
  /** The ID and name of the changed factor. */
  readonly id?: string;
  readonly name?: string;
}

/** Returns the audit event for a change of a user's second factors, and the email about it. */
export function announceFactorChange(
  user: LockedUser,
  change: FactorChange,
  { at, ip, id, name = "" }: ChangeDetails,
): AuditedChange {
  const metadata = { ...(id !== undefined && { factorId: id }), ...(name !== "" && { name }) };
  return {
    audit: [{ kind: change, objectType: "user", objectId: user.id, metadata }],
    jobs: [
      createMailJob({
        template: "second-factor-changed",
        to: getMailRecipient(user),
        about: { change, name, at: at.toISOString(), ip },
      }),
    ],
  };
}
