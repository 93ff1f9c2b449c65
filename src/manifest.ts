/** Written by `npm run generate`; commit it, do not edit it. */
import type { Manifest } from "#lib/http/endpoint.ts";
import * as index from "../routes/index.ts";
import * as account_index from "../routes/account/index.ts";
import * as account_identities from "../routes/account/identities.ts";
import * as account_password from "../routes/account/password.ts";
import * as account_security_index from "../routes/account/security/index.ts";
import * as account_security_app from "../routes/account/security/app.ts";
import * as account_security_passkey from "../routes/account/security/passkey.ts";
import * as account_security_recovery_codes from "../routes/account/security/recovery-codes.ts";
import * as account_security_$factorId_activate from "../routes/account/security/[factorId]/activate.ts";
import * as account_security_$factorId_remove from "../routes/account/security/[factorId]/remove.ts";
import * as account_security_$factorId_rename from "../routes/account/security/[factorId]/rename.ts";
import * as account_sessions from "../routes/account/sessions.ts";
import * as api_index from "../routes/api/index.ts";
import * as api_audit from "../routes/api/audit.ts";
import * as api_auth_accept_invite from "../routes/api/auth/accept-invite.ts";
import * as api_auth_confirm from "../routes/api/auth/confirm.ts";
import * as api_auth_device_sign_ins_index from "../routes/api/auth/device-sign-ins/index.ts";
import * as api_auth_device_sign_ins_decide from "../routes/api/auth/device-sign-ins/decide.ts";
import * as api_auth_device_sign_ins_find from "../routes/api/auth/device-sign-ins/find.ts";
import * as api_auth_device_sign_ins_redeem from "../routes/api/auth/device-sign-ins/redeem.ts";
import * as api_auth_factors_index from "../routes/api/auth/factors/index.ts";
import * as api_auth_factors_$factorId_index from "../routes/api/auth/factors/[factorId]/index.ts";
import * as api_auth_factors_$factorId_activate from "../routes/api/auth/factors/[factorId]/activate.ts";
import * as api_auth_forgot_password from "../routes/api/auth/forgot-password.ts";
import * as api_auth_identities_index from "../routes/api/auth/identities/index.ts";
import * as api_auth_identities_$identityId from "../routes/api/auth/identities/[identityId].ts";
import * as api_auth_login from "../routes/api/auth/login.ts";
import * as api_auth_logout from "../routes/api/auth/logout.ts";
import * as api_auth_me from "../routes/api/auth/me.ts";
import * as api_auth_passkey_login from "../routes/api/auth/passkey-login.ts";
import * as api_auth_passkey_options from "../routes/api/auth/passkey-options.ts";
import * as api_auth_password from "../routes/api/auth/password.ts";
import * as api_auth_providers_index from "../routes/api/auth/providers/index.ts";
import * as api_auth_providers_$providerId_callback from "../routes/api/auth/providers/[providerId]/callback.ts";
import * as api_auth_providers_$providerId_end from "../routes/api/auth/providers/[providerId]/end.ts";
import * as api_auth_providers_$providerId_start from "../routes/api/auth/providers/[providerId]/start.ts";
import * as api_auth_recovery_codes from "../routes/api/auth/recovery-codes.ts";
import * as api_auth_reset_password from "../routes/api/auth/reset-password.ts";
import * as api_auth_second_factor from "../routes/api/auth/second-factor.ts";
import * as api_auth_sessions_index from "../routes/api/auth/sessions/index.ts";
import * as api_auth_sessions_others from "../routes/api/auth/sessions/others.ts";
import * as api_auth_sessions_$sessionId from "../routes/api/auth/sessions/[sessionId].ts";
import * as api_auth_signup from "../routes/api/auth/signup.ts";
import * as api_auth_terminal_codes from "../routes/api/auth/terminal-codes.ts";
import * as api_auth_terminal_tokens from "../routes/api/auth/terminal-tokens.ts";
import * as api_auth_tokens_index from "../routes/api/auth/tokens/index.ts";
import * as api_auth_tokens_$tokenId from "../routes/api/auth/tokens/[tokenId].ts";
import * as api_auth_verify_email from "../routes/api/auth/verify-email.ts";
import * as api_billing_webhook from "../routes/api/billing/webhook.ts";
import * as api_catalog from "../routes/api/catalog.ts";
import * as api_changelog from "../routes/api/changelog.ts";
import * as api_changelog_atom from "../routes/api/changelog.atom.ts";
import * as api_docs from "../routes/api/docs.ts";
import * as api_federation_requests_index from "../routes/api/federation-requests/index.ts";
import * as api_federation_requests_$requestId_index from "../routes/api/federation-requests/[requestId]/index.ts";
import * as api_federation_requests_$requestId_approve from "../routes/api/federation-requests/[requestId]/approve.ts";
import * as api_federation_requests_$requestId_reject from "../routes/api/federation-requests/[requestId]/reject.ts";
import * as api_federations_index from "../routes/api/federations/index.ts";
import * as api_federations_$federationId_index from "../routes/api/federations/[federationId]/index.ts";
import * as api_federations_$federationId_actions from "../routes/api/federations/[federationId]/actions.ts";
import * as api_federations_$federationId_availability from "../routes/api/federations/[federationId]/availability.ts";
import * as api_federations_$federationId_billing_index from "../routes/api/federations/[federationId]/billing/index.ts";
import * as api_federations_$federationId_billing_reconcile from "../routes/api/federations/[federationId]/billing/reconcile.ts";
import * as api_federations_$federationId_cost from "../routes/api/federations/[federationId]/cost.ts";
import * as api_federations_$federationId_courses_index from "../routes/api/federations/[federationId]/courses/index.ts";
import * as api_federations_$federationId_courses_$courseId_versions_$version from "../routes/api/federations/[federationId]/courses/[courseId]/versions/[version].ts";
import * as api_federations_$federationId_events from "../routes/api/federations/[federationId]/events.ts";
import * as api_federations_$federationId_library from "../routes/api/federations/[federationId]/library.ts";
import * as api_federations_$federationId_members_index from "../routes/api/federations/[federationId]/members/index.ts";
import * as api_federations_$federationId_members_$userId from "../routes/api/federations/[federationId]/members/[userId].ts";
import * as api_federations_$federationId_operations from "../routes/api/federations/[federationId]/operations.ts";
import * as api_federations_$federationId_policy_index from "../routes/api/federations/[federationId]/policy/index.ts";
import * as api_federations_$federationId_policy_history from "../routes/api/federations/[federationId]/policy/history.ts";
import * as api_federations_$federationId_policy_rollback from "../routes/api/federations/[federationId]/policy/rollback.ts";
import * as api_federations_$federationId_policy_sign_in_check from "../routes/api/federations/[federationId]/policy/sign-in/check.ts";
import * as api_federations_$federationId_spokes_index from "../routes/api/federations/[federationId]/spokes/index.ts";
import * as api_federations_$federationId_spokes_preview_cost from "../routes/api/federations/[federationId]/spokes/preview-cost.ts";
import * as api_federations_$federationId_usage from "../routes/api/federations/[federationId]/usage.ts";
import * as api_federations_$federationId_webhooks_index from "../routes/api/federations/[federationId]/webhooks/index.ts";
import * as api_federations_$federationId_webhooks_$webhookId_index from "../routes/api/federations/[federationId]/webhooks/[webhookId]/index.ts";
import * as api_federations_$federationId_webhooks_$webhookId_deliveries_index from "../routes/api/federations/[federationId]/webhooks/[webhookId]/deliveries/index.ts";
import * as api_federations_$federationId_webhooks_$webhookId_deliveries_$deliveryId_redeliver from "../routes/api/federations/[federationId]/webhooks/[webhookId]/deliveries/[deliveryId]/redeliver.ts";
import * as api_federations_$federationId_webhooks_$webhookId_rotate_secret from "../routes/api/federations/[federationId]/webhooks/[webhookId]/rotate-secret.ts";
import * as api_federations_$federationId_webhooks_$webhookId_test from "../routes/api/federations/[federationId]/webhooks/[webhookId]/test.ts";
import * as api_healthz from "../routes/api/healthz.ts";
import * as api_my_spokes from "../routes/api/my-spokes.ts";
import * as api_notifications_index from "../routes/api/notifications/index.ts";
import * as api_notifications_read_all from "../routes/api/notifications/read-all.ts";
import * as api_notifications_unread_count from "../routes/api/notifications/unread-count.ts";
import * as api_notifications_$notificationId_read from "../routes/api/notifications/[notificationId]/read.ts";
import * as api_onboarding_index from "../routes/api/onboarding/index.ts";
import * as api_onboarding_complete from "../routes/api/onboarding/complete.ts";
import * as api_openapi_json from "../routes/api/openapi.json.ts";
import * as api_operations_index from "../routes/api/operations/index.ts";
import * as api_operations_$operationId from "../routes/api/operations/[operationId].ts";
import * as api_overview from "../routes/api/overview.ts";
import * as api_overview_history from "../routes/api/overview/history.ts";
import * as api_readyz from "../routes/api/readyz.ts";
import * as api_restore_requests_index from "../routes/api/restore-requests/index.ts";
import * as api_restore_requests_$restoreRequestId_decide from "../routes/api/restore-requests/[restoreRequestId]/decide.ts";
import * as api_rollouts_index from "../routes/api/rollouts/index.ts";
import * as api_rollouts_$rolloutId_index from "../routes/api/rollouts/[rolloutId]/index.ts";
import * as api_rollouts_$rolloutId_abort from "../routes/api/rollouts/[rolloutId]/abort.ts";
import * as api_rollouts_$rolloutId_pause from "../routes/api/rollouts/[rolloutId]/pause.ts";
import * as api_rollouts_$rolloutId_resume from "../routes/api/rollouts/[rolloutId]/resume.ts";
import * as api_spokes_actions from "../routes/api/spokes/actions.ts";
import * as api_spokes_$spokeId_index from "../routes/api/spokes/[spokeId]/index.ts";
import * as api_spokes_$spokeId_actions from "../routes/api/spokes/[spokeId]/actions.ts";
import * as api_spokes_$spokeId_activity from "../routes/api/spokes/[spokeId]/activity.ts";
import * as api_spokes_$spokeId_addons from "../routes/api/spokes/[spokeId]/addons.ts";
import * as api_spokes_$spokeId_availability from "../routes/api/spokes/[spokeId]/availability.ts";
import * as api_spokes_$spokeId_backups from "../routes/api/spokes/[spokeId]/backups.ts";
import * as api_spokes_$spokeId_delegate from "../routes/api/spokes/[spokeId]/delegate.ts";
import * as api_spokes_$spokeId_members_index from "../routes/api/spokes/[spokeId]/members/index.ts";
import * as api_spokes_$spokeId_members_$userId from "../routes/api/spokes/[spokeId]/members/[userId].ts";
import * as api_spokes_$spokeId_operations from "../routes/api/spokes/[spokeId]/operations.ts";
import * as api_spokes_$spokeId_policy from "../routes/api/spokes/[spokeId]/policy.ts";
import * as api_spokes_$spokeId_restore_requests from "../routes/api/spokes/[spokeId]/restore-requests.ts";
import * as api_spokes_$spokeId_sign_in_link from "../routes/api/spokes/[spokeId]/sign-in-link.ts";
import * as api_spokes_$spokeId_usage from "../routes/api/spokes/[spokeId]/usage.ts";
import * as api_users_index from "../routes/api/users/index.ts";
import * as api_users_$userId_index from "../routes/api/users/[userId]/index.ts";
import * as api_users_$userId_factors from "../routes/api/users/[userId]/factors.ts";
import * as api_users_$userId_identities_index from "../routes/api/users/[userId]/identities/index.ts";
import * as api_users_$userId_identities_$identityId from "../routes/api/users/[userId]/identities/[identityId].ts";
import * as api_users_$userId_reset_password from "../routes/api/users/[userId]/reset-password.ts";
import * as api_version from "../routes/api/version.ts";
import * as api_webhooks_index from "../routes/api/webhooks/index.ts";
import * as api_webhooks_$webhookId_index from "../routes/api/webhooks/[webhookId]/index.ts";
import * as api_webhooks_$webhookId_deliveries_index from "../routes/api/webhooks/[webhookId]/deliveries/index.ts";
import * as api_webhooks_$webhookId_deliveries_$deliveryId_redeliver from "../routes/api/webhooks/[webhookId]/deliveries/[deliveryId]/redeliver.ts";
import * as api_webhooks_$webhookId_rotate_secret from "../routes/api/webhooks/[webhookId]/rotate-secret.ts";
import * as api_webhooks_$webhookId_test from "../routes/api/webhooks/[webhookId]/test.ts";
import * as audit_index from "../routes/audit/index.ts";
import * as audit_export from "../routes/audit/export.ts";
import * as changelog from "../routes/changelog.ts";
import * as cli from "../routes/cli.ts";
import * as device_index from "../routes/device/index.ts";
import * as device_decide from "../routes/device/decide.ts";
import * as favicon_ico from "../routes/favicon.ico.ts";
import * as forgot from "../routes/forgot.ts";
import * as hubs_index from "../routes/hubs/index.ts";
import * as hubs_new from "../routes/hubs/new.ts";
import * as hubs_$federationId_index from "../routes/hubs/[federationId]/index.ts";
import * as hubs_$federationId_billing_index from "../routes/hubs/[federationId]/billing/index.ts";
import * as hubs_$federationId_billing_reconcile from "../routes/hubs/[federationId]/billing/reconcile.ts";
import * as hubs_$federationId_courses_delete from "../routes/hubs/[federationId]/courses/delete.ts";
import * as hubs_$federationId_courses_publish from "../routes/hubs/[federationId]/courses/publish.ts";
import * as hubs_$federationId_members_index from "../routes/hubs/[federationId]/members/index.ts";
import * as hubs_$federationId_members_$userId_remove from "../routes/hubs/[federationId]/members/[userId]/remove.ts";
import * as hubs_$federationId_operations from "../routes/hubs/[federationId]/operations.ts";
import * as hubs_$federationId_policy from "../routes/hubs/[federationId]/policy.ts";
import * as hubs_$federationId_remove from "../routes/hubs/[federationId]/remove.ts";
import * as hubs_$federationId_retry from "../routes/hubs/[federationId]/retry.ts";
import * as hubs_$federationId_settings from "../routes/hubs/[federationId]/settings.ts";
import * as hubs_$federationId_spokes_new from "../routes/hubs/[federationId]/spokes/new.ts";
import * as hubs_$federationId_webhooks from "../routes/hubs/[federationId]/webhooks.ts";
import * as invite from "../routes/invite.ts";
import * as notifications_index from "../routes/notifications/index.ts";
import * as notifications_read_all from "../routes/notifications/read-all.ts";
import * as operations_index from "../routes/operations/index.ts";
import * as passkey from "../routes/passkey.ts";
import * as passkeys_js from "../routes/passkeys.js.ts";
import * as portal_css from "../routes/portal.css.ts";
import * as portal_js from "../routes/portal.js.ts";
import * as requests_index from "../routes/requests/index.ts";
import * as requests_new from "../routes/requests/new.ts";
import * as requests_$requestId_index from "../routes/requests/[requestId]/index.ts";
import * as requests_$requestId_approve from "../routes/requests/[requestId]/approve.ts";
import * as requests_$requestId_reject from "../routes/requests/[requestId]/reject.ts";
import * as requests_$requestId_withdraw from "../routes/requests/[requestId]/withdraw.ts";
import * as reset from "../routes/reset.ts";
import * as rollouts_index from "../routes/rollouts/index.ts";
import * as rollouts_new from "../routes/rollouts/new.ts";
import * as rollouts_$rolloutId_index from "../routes/rollouts/[rolloutId]/index.ts";
import * as rollouts_$rolloutId_abort from "../routes/rollouts/[rolloutId]/abort.ts";
import * as rollouts_$rolloutId_pause from "../routes/rollouts/[rolloutId]/pause.ts";
import * as rollouts_$rolloutId_resume from "../routes/rollouts/[rolloutId]/resume.ts";
import * as second_factor from "../routes/second-factor.ts";
import * as sign_in from "../routes/sign-in.ts";
import * as sign_out from "../routes/sign-out.ts";
import * as sign_up from "../routes/sign-up.ts";
import * as signed_out from "../routes/signed-out.ts";
import * as spokes_index from "../routes/spokes/index.ts";
import * as spokes_actions from "../routes/spokes/actions.ts";
import * as spokes_$spokeId_index from "../routes/spokes/[spokeId]/index.ts";
import * as spokes_$spokeId_actions_$action from "../routes/spokes/[spokeId]/actions/[action].ts";
import * as spokes_$spokeId_activity from "../routes/spokes/[spokeId]/activity.ts";
import * as spokes_$spokeId_backups from "../routes/spokes/[spokeId]/backups.ts";
import * as spokes_$spokeId_destroy from "../routes/spokes/[spokeId]/destroy.ts";
import * as spokes_$spokeId_members_index from "../routes/spokes/[spokeId]/members/index.ts";
import * as spokes_$spokeId_members_$userId_remove from "../routes/spokes/[spokeId]/members/[userId]/remove.ts";
import * as spokes_$spokeId_operations_index from "../routes/spokes/[spokeId]/operations/index.ts";
import * as spokes_$spokeId_operations_$operationId from "../routes/spokes/[spokeId]/operations/[operationId].ts";
import * as spokes_$spokeId_policy from "../routes/spokes/[spokeId]/policy.ts";
import * as spokes_$spokeId_restore_requests_$restoreRequestId from "../routes/spokes/[spokeId]/restore-requests/[restoreRequestId].ts";
import * as spokes_$spokeId_retry from "../routes/spokes/[spokeId]/retry.ts";
import * as spokes_$spokeId_settings from "../routes/spokes/[spokeId]/settings.ts";
import * as spokes_$spokeId_sign_in_link from "../routes/spokes/[spokeId]/sign-in-link.ts";
import * as tokens_index from "../routes/tokens/index.ts";
import * as tokens_new from "../routes/tokens/new.ts";
import * as tokens_$tokenId_revoke from "../routes/tokens/[tokenId]/revoke.ts";
import * as users_index from "../routes/users/index.ts";
import * as users_invite from "../routes/users/invite.ts";
import * as users_$userId_index from "../routes/users/[userId]/index.ts";
import * as users_$userId_identities from "../routes/users/[userId]/identities.ts";
import * as users_$userId_reset_factors from "../routes/users/[userId]/reset-factors.ts";
import * as users_$userId_reset_password from "../routes/users/[userId]/reset-password.ts";
import * as users_$userId_$change from "../routes/users/[userId]/[change].ts";
import * as verify from "../routes/verify.ts";
import * as webhooks_index from "../routes/webhooks/index.ts";
import * as webhooks_$webhookId_index from "../routes/webhooks/[webhookId]/index.ts";
import * as webhooks_$webhookId_delete from "../routes/webhooks/[webhookId]/delete.ts";
import * as webhooks_$webhookId_deliveries_$deliveryId_redeliver from "../routes/webhooks/[webhookId]/deliveries/[deliveryId]/redeliver.ts";
import * as webhooks_$webhookId_$change from "../routes/webhooks/[webhookId]/[change].ts";
import * as welcome from "../routes/welcome.ts";

export const manifest: Manifest = [
  ["/", index],
  ["/account", account_index],
  ["/account/identities", account_identities],
  ["/account/password", account_password],
  ["/account/security", account_security_index],
  ["/account/security/app", account_security_app],
  ["/account/security/passkey", account_security_passkey],
  ["/account/security/recovery-codes", account_security_recovery_codes],
  ["/account/security/:factorId/activate", account_security_$factorId_activate],
  ["/account/security/:factorId/remove", account_security_$factorId_remove],
  ["/account/security/:factorId/rename", account_security_$factorId_rename],
  ["/account/sessions", account_sessions],
  ["/api", api_index],
  ["/api/audit", api_audit],
  ["/api/auth/accept-invite", api_auth_accept_invite],
  ["/api/auth/confirm", api_auth_confirm],
  ["/api/auth/device-sign-ins", api_auth_device_sign_ins_index],
  ["/api/auth/device-sign-ins/decide", api_auth_device_sign_ins_decide],
  ["/api/auth/device-sign-ins/find", api_auth_device_sign_ins_find],
  ["/api/auth/device-sign-ins/redeem", api_auth_device_sign_ins_redeem],
  ["/api/auth/factors", api_auth_factors_index],
  ["/api/auth/factors/:factorId", api_auth_factors_$factorId_index],
  ["/api/auth/factors/:factorId/activate", api_auth_factors_$factorId_activate],
  ["/api/auth/forgot-password", api_auth_forgot_password],
  ["/api/auth/identities", api_auth_identities_index],
  ["/api/auth/identities/:identityId", api_auth_identities_$identityId],
  ["/api/auth/login", api_auth_login],
  ["/api/auth/logout", api_auth_logout],
  ["/api/auth/me", api_auth_me],
  ["/api/auth/passkey-login", api_auth_passkey_login],
  ["/api/auth/passkey-options", api_auth_passkey_options],
  ["/api/auth/password", api_auth_password],
  ["/api/auth/providers", api_auth_providers_index],
  ["/api/auth/providers/:providerId/callback", api_auth_providers_$providerId_callback],
  ["/api/auth/providers/:providerId/end", api_auth_providers_$providerId_end],
  ["/api/auth/providers/:providerId/start", api_auth_providers_$providerId_start],
  ["/api/auth/recovery-codes", api_auth_recovery_codes],
  ["/api/auth/reset-password", api_auth_reset_password],
  ["/api/auth/second-factor", api_auth_second_factor],
  ["/api/auth/sessions", api_auth_sessions_index],
  ["/api/auth/sessions/others", api_auth_sessions_others],
  ["/api/auth/sessions/:sessionId", api_auth_sessions_$sessionId],
  ["/api/auth/signup", api_auth_signup],
  ["/api/auth/terminal-codes", api_auth_terminal_codes],
  ["/api/auth/terminal-tokens", api_auth_terminal_tokens],
  ["/api/auth/tokens", api_auth_tokens_index],
  ["/api/auth/tokens/:tokenId", api_auth_tokens_$tokenId],
  ["/api/auth/verify-email", api_auth_verify_email],
  ["/api/billing/webhook", api_billing_webhook],
  ["/api/catalog", api_catalog],
  ["/api/changelog", api_changelog],
  ["/api/changelog.atom", api_changelog_atom],
  ["/api/docs", api_docs],
  ["/api/federation-requests", api_federation_requests_index],
  ["/api/federation-requests/:requestId", api_federation_requests_$requestId_index],
  ["/api/federation-requests/:requestId/approve", api_federation_requests_$requestId_approve],
  ["/api/federation-requests/:requestId/reject", api_federation_requests_$requestId_reject],
  ["/api/federations", api_federations_index],
  ["/api/federations/:federationId", api_federations_$federationId_index],
  ["/api/federations/:federationId/actions", api_federations_$federationId_actions],
  ["/api/federations/:federationId/availability", api_federations_$federationId_availability],
  ["/api/federations/:federationId/billing", api_federations_$federationId_billing_index],
  ["/api/federations/:federationId/billing/reconcile", api_federations_$federationId_billing_reconcile],
  ["/api/federations/:federationId/cost", api_federations_$federationId_cost],
  ["/api/federations/:federationId/courses", api_federations_$federationId_courses_index],
  [
    "/api/federations/:federationId/courses/:courseId/versions/:version",
    api_federations_$federationId_courses_$courseId_versions_$version,
  ],
  ["/api/federations/:federationId/events", api_federations_$federationId_events],
  ["/api/federations/:federationId/library", api_federations_$federationId_library],
  ["/api/federations/:federationId/members", api_federations_$federationId_members_index],
  ["/api/federations/:federationId/members/:userId", api_federations_$federationId_members_$userId],
  ["/api/federations/:federationId/operations", api_federations_$federationId_operations],
  ["/api/federations/:federationId/policy", api_federations_$federationId_policy_index],
  ["/api/federations/:federationId/policy/history", api_federations_$federationId_policy_history],
  ["/api/federations/:federationId/policy/rollback", api_federations_$federationId_policy_rollback],
  ["/api/federations/:federationId/policy/sign-in/check", api_federations_$federationId_policy_sign_in_check],
  ["/api/federations/:federationId/spokes", api_federations_$federationId_spokes_index],
  ["/api/federations/:federationId/spokes/preview-cost", api_federations_$federationId_spokes_preview_cost],
  ["/api/federations/:federationId/usage", api_federations_$federationId_usage],
  ["/api/federations/:federationId/webhooks", api_federations_$federationId_webhooks_index],
  ["/api/federations/:federationId/webhooks/:webhookId", api_federations_$federationId_webhooks_$webhookId_index],
  [
    "/api/federations/:federationId/webhooks/:webhookId/deliveries",
    api_federations_$federationId_webhooks_$webhookId_deliveries_index,
  ],
  [
    "/api/federations/:federationId/webhooks/:webhookId/deliveries/:deliveryId/redeliver",
    api_federations_$federationId_webhooks_$webhookId_deliveries_$deliveryId_redeliver,
  ],
  [
    "/api/federations/:federationId/webhooks/:webhookId/rotate-secret",
    api_federations_$federationId_webhooks_$webhookId_rotate_secret,
  ],
  ["/api/federations/:federationId/webhooks/:webhookId/test", api_federations_$federationId_webhooks_$webhookId_test],
  ["/api/healthz", api_healthz],
  ["/api/my-spokes", api_my_spokes],
  ["/api/notifications", api_notifications_index],
  ["/api/notifications/read-all", api_notifications_read_all],
  ["/api/notifications/unread-count", api_notifications_unread_count],
  ["/api/notifications/:notificationId/read", api_notifications_$notificationId_read],
  ["/api/onboarding", api_onboarding_index],
  ["/api/onboarding/complete", api_onboarding_complete],
  ["/api/openapi.json", api_openapi_json],
  ["/api/operations", api_operations_index],
  ["/api/operations/:operationId", api_operations_$operationId],
  ["/api/overview", api_overview],
  ["/api/overview/history", api_overview_history],
  ["/api/readyz", api_readyz],
  ["/api/restore-requests", api_restore_requests_index],
  ["/api/restore-requests/:restoreRequestId/decide", api_restore_requests_$restoreRequestId_decide],
  ["/api/rollouts", api_rollouts_index],
  ["/api/rollouts/:rolloutId", api_rollouts_$rolloutId_index],
  ["/api/rollouts/:rolloutId/abort", api_rollouts_$rolloutId_abort],
  ["/api/rollouts/:rolloutId/pause", api_rollouts_$rolloutId_pause],
  ["/api/rollouts/:rolloutId/resume", api_rollouts_$rolloutId_resume],
  ["/api/spokes/actions", api_spokes_actions],
  ["/api/spokes/:spokeId", api_spokes_$spokeId_index],
  ["/api/spokes/:spokeId/actions", api_spokes_$spokeId_actions],
  ["/api/spokes/:spokeId/activity", api_spokes_$spokeId_activity],
  ["/api/spokes/:spokeId/addons", api_spokes_$spokeId_addons],
  ["/api/spokes/:spokeId/availability", api_spokes_$spokeId_availability],
  ["/api/spokes/:spokeId/backups", api_spokes_$spokeId_backups],
  ["/api/spokes/:spokeId/delegate", api_spokes_$spokeId_delegate],
  ["/api/spokes/:spokeId/members", api_spokes_$spokeId_members_index],
  ["/api/spokes/:spokeId/members/:userId", api_spokes_$spokeId_members_$userId],
  ["/api/spokes/:spokeId/operations", api_spokes_$spokeId_operations],
  ["/api/spokes/:spokeId/policy", api_spokes_$spokeId_policy],
  ["/api/spokes/:spokeId/restore-requests", api_spokes_$spokeId_restore_requests],
  ["/api/spokes/:spokeId/sign-in-link", api_spokes_$spokeId_sign_in_link],
  ["/api/spokes/:spokeId/usage", api_spokes_$spokeId_usage],
  ["/api/users", api_users_index],
  ["/api/users/:userId", api_users_$userId_index],
  ["/api/users/:userId/factors", api_users_$userId_factors],
  ["/api/users/:userId/identities", api_users_$userId_identities_index],
  ["/api/users/:userId/identities/:identityId", api_users_$userId_identities_$identityId],
  ["/api/users/:userId/reset-password", api_users_$userId_reset_password],
  ["/api/version", api_version],
  ["/api/webhooks", api_webhooks_index],
  ["/api/webhooks/:webhookId", api_webhooks_$webhookId_index],
  ["/api/webhooks/:webhookId/deliveries", api_webhooks_$webhookId_deliveries_index],
  [
    "/api/webhooks/:webhookId/deliveries/:deliveryId/redeliver",
    api_webhooks_$webhookId_deliveries_$deliveryId_redeliver,
  ],
  ["/api/webhooks/:webhookId/rotate-secret", api_webhooks_$webhookId_rotate_secret],
  ["/api/webhooks/:webhookId/test", api_webhooks_$webhookId_test],
  ["/audit", audit_index],
  ["/audit/export", audit_export],
  ["/changelog", changelog],
  ["/cli", cli],
  ["/device", device_index],
  ["/device/decide", device_decide],
  ["/favicon.ico", favicon_ico],
  ["/forgot", forgot],
  ["/hubs", hubs_index],
  ["/hubs/new", hubs_new],
  ["/hubs/:federationId", hubs_$federationId_index],
  ["/hubs/:federationId/billing", hubs_$federationId_billing_index],
  ["/hubs/:federationId/billing/reconcile", hubs_$federationId_billing_reconcile],
  ["/hubs/:federationId/courses/delete", hubs_$federationId_courses_delete],
  ["/hubs/:federationId/courses/publish", hubs_$federationId_courses_publish],
  ["/hubs/:federationId/members", hubs_$federationId_members_index],
  ["/hubs/:federationId/members/:userId/remove", hubs_$federationId_members_$userId_remove],
  ["/hubs/:federationId/operations", hubs_$federationId_operations],
  ["/hubs/:federationId/policy", hubs_$federationId_policy],
  ["/hubs/:federationId/remove", hubs_$federationId_remove],
  ["/hubs/:federationId/retry", hubs_$federationId_retry],
  ["/hubs/:federationId/settings", hubs_$federationId_settings],
  ["/hubs/:federationId/spokes/new", hubs_$federationId_spokes_new],
  ["/hubs/:federationId/webhooks", hubs_$federationId_webhooks],
  ["/invite", invite],
  ["/notifications", notifications_index],
  ["/notifications/read-all", notifications_read_all],
  ["/operations", operations_index],
  ["/passkey", passkey],
  ["/passkeys.js", passkeys_js],
  ["/portal.css", portal_css],
  ["/portal.js", portal_js],
  ["/requests", requests_index],
  ["/requests/new", requests_new],
  ["/requests/:requestId", requests_$requestId_index],
  ["/requests/:requestId/approve", requests_$requestId_approve],
  ["/requests/:requestId/reject", requests_$requestId_reject],
  ["/requests/:requestId/withdraw", requests_$requestId_withdraw],
  ["/reset", reset],
  ["/rollouts", rollouts_index],
  ["/rollouts/new", rollouts_new],
  ["/rollouts/:rolloutId", rollouts_$rolloutId_index],
  ["/rollouts/:rolloutId/abort", rollouts_$rolloutId_abort],
  ["/rollouts/:rolloutId/pause", rollouts_$rolloutId_pause],
  ["/rollouts/:rolloutId/resume", rollouts_$rolloutId_resume],
  ["/second-factor", second_factor],
  ["/sign-in", sign_in],
  ["/sign-out", sign_out],
  ["/sign-up", sign_up],
  ["/signed-out", signed_out],
  ["/spokes", spokes_index],
  ["/spokes/actions", spokes_actions],
  ["/spokes/:spokeId", spokes_$spokeId_index],
  ["/spokes/:spokeId/actions/:action", spokes_$spokeId_actions_$action],
  ["/spokes/:spokeId/activity", spokes_$spokeId_activity],
  ["/spokes/:spokeId/backups", spokes_$spokeId_backups],
  ["/spokes/:spokeId/destroy", spokes_$spokeId_destroy],
  ["/spokes/:spokeId/members", spokes_$spokeId_members_index],
  ["/spokes/:spokeId/members/:userId/remove", spokes_$spokeId_members_$userId_remove],
  ["/spokes/:spokeId/operations", spokes_$spokeId_operations_index],
  ["/spokes/:spokeId/operations/:operationId", spokes_$spokeId_operations_$operationId],
  ["/spokes/:spokeId/policy", spokes_$spokeId_policy],
  ["/spokes/:spokeId/restore-requests/:restoreRequestId", spokes_$spokeId_restore_requests_$restoreRequestId],
  ["/spokes/:spokeId/retry", spokes_$spokeId_retry],
  ["/spokes/:spokeId/settings", spokes_$spokeId_settings],
  ["/spokes/:spokeId/sign-in-link", spokes_$spokeId_sign_in_link],
  ["/tokens", tokens_index],
  ["/tokens/new", tokens_new],
  ["/tokens/:tokenId/revoke", tokens_$tokenId_revoke],
  ["/users", users_index],
  ["/users/invite", users_invite],
  ["/users/:userId", users_$userId_index],
  ["/users/:userId/identities", users_$userId_identities],
  ["/users/:userId/reset-factors", users_$userId_reset_factors],
  ["/users/:userId/reset-password", users_$userId_reset_password],
  ["/users/:userId/:change", users_$userId_$change],
  ["/verify", verify],
  ["/webhooks", webhooks_index],
  ["/webhooks/:webhookId", webhooks_$webhookId_index],
  ["/webhooks/:webhookId/delete", webhooks_$webhookId_delete],
  ["/webhooks/:webhookId/deliveries/:deliveryId/redeliver", webhooks_$webhookId_deliveries_$deliveryId_redeliver],
  ["/webhooks/:webhookId/:change", webhooks_$webhookId_$change],
  ["/welcome", welcome],
];
