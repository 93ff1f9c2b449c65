/** Every kind of audit event, and whether customers are notified of it. */
export const AUDIT_KINDS = {
  spoke_requested: "quiet",
  spoke_provisioned: "visible",
  spoke_provision_failed: "visible",
  spoke_removal_requested: "quiet",
  spoke_destroyed: "visible",
  spoke_actioned: "visible",
  spoke_action_succeeded: "quiet",
  spoke_action_failed: "visible",
  spoke_health_changed: "visible",
  spoke_updated: "visible",
  spoke_copied: "visible", // of the one that there was
  spoke_delegated: "visible",
  spoke_delegation_removed: "quiet",
  spoke_member_removed: "quiet", // what the one before was called; events of then have it
  spoke_sign_in_link_created: "quiet",
  federation_created: "quiet",
  federation_provisioned: "visible",
  federation_provision_failed: "visible",
  federation_updated: "visible",
  federation_removal_requested: "quiet",
  federation_destroyed: "visible",
  federation_requested: "visible",
  federation_request_approved: "visible",
  federation_request_rejected: "visible",
  federation_request_withdrawn: "quiet",
  federation_member_added: "quiet",
  federation_member_removed: "quiet",
  operation_cancelled: "quiet",
  tenant_backup_succeeded: "quiet",
  tenant_backup_failed: "visible",
  billing_connected: "quiet",
  billing_reconcile_requested: "quiet",
  billing_subscription_updated: "quiet",
  billing_difference_found: "quiet",
  billing_subscription_refunded: "visible",
  billing_subscription_past_due: "visible",
  token_created: "quiet",
  token_revoked: "quiet",
  user_created: "quiet",
  user_updated: "quiet",
  user_invited: "quiet",
  invitation_accepted: "quiet",
  email_verified: "quiet",
  password_reset_requested: "quiet",
  password_reset: "quiet",
  password_changed: "quiet",
  password_change_failed: "quiet",
  auth_login: "quiet",
  auth_login_failed: "quiet",
  auth_logout: "quiet",
  session_ended: "quiet",
  other_sessions_ended: "quiet",
  onboarding_completed: "quiet",
  notifications_read: "quiet",
  internal_metric_emit: "quiet",
} as const satisfies Record<string, "visible" | "quiet">;

export type AuditKind = keyof typeof AUDIT_KINDS;

/** What an event can be about. */
export const OBJECT_TYPES = [
  "spoke",
  "federation",
  "federation_request",
  "user",
  "token",
  "session",
  "operation",
] as const;
export type ObjectType = (typeof OBJECT_TYPES)[number];

export const isVisible = (kind: AuditKind): boolean => AUDIT_KINDS[kind] === "visible";
