/** Written by `npm run generate`; commit it, do not edit it. */
import type { CallOptions, EndpointDescriptions, IdempotentCallOptions } from "./call.ts";
import type { FollowOptions } from "./follow.ts";
import type { PagedList } from "./pages.ts";
import type {
  AcceptInvite,
  Acknowledgement,
  ActionPreview,
  ActivatedFactor,
  Approval,
  ApprovedDevice,
  AuditEvent,
  Availability,
  BackupSummary,
  Billing,
  BillingAddress,
  BulkAction,
  BulkOutcome,
  BulkPreview,
  Catalog,
  ChangedFederation,
  Changelog,
  Confirm,
  Confirmation,
  Cost,
  Course,
  CoursePublication,
  DeviceDecision,
  DeviceRedemption,
  DeviceSignIn,
  Factor,
  FactorActivation,
  FactorPatch,
  Federation,
  FederationAction,
  FederationPatch,
  FederationRequest,
  ForgotPassword,
  HubCost,
  HubJoining,
  HubUsage,
  Identity,
  IssuedWebhook,
  Library,
  LoggedIn,
  Login,
  Marked,
  Me,
  Member,
  MintedToken,
  NewDeviceSignIn,
  NewFactor,
  NewFederation,
  NewFederationRequest,
  NewMember,
  NewRestoreRequest,
  NewRollout,
  NewSpoke,
  NewTerminalCode,
  NewToken,
  NewWebhook,
  Notification,
  Onboarding,
  OnboardingAnswers,
  OnboardingState,
  Operation,
  OperationDetail,
  Overview,
  OverviewHistory,
  OwnPatch,
  PasskeyLogin,
  PasskeyOptions,
  PasskeyRequest,
  PasswordChange,
  PasswordReset,
  PendingDeviceSignIn,
  PendingSignIn,
  Policy,
  PolicyPatch,
  PolicyPreview,
  PolicyRollback,
  PolicyVersion,
  QueuedMessage,
  Readiness,
  RecoveryCodes,
  Rejection,
  ResetPassword,
  RestoreDecision,
  RestoreRequest,
  Rollout,
  RolloutDetail,
  RolloutPreview,
  RolloutResumption,
  SecondFactor,
  SecondFactors,
  Session,
  SignInCheck,
  SignInCheckRequest,
  SignInLink,
  SignInProvider,
  Signup,
  Spoke,
  SpokeAction,
  SpokeAddons,
  SpokeAvailability,
  SpokeJoining,
  SpokePatch,
  SpokePolicy,
  SpokePolicyPatch,
  SpokePreview,
  SpokeUsage,
  StartedFactor,
  StreamEvent,
  TerminalCode,
  TerminalRedemption,
  Token,
  UnreadCount,
  UserCode,
  UserPatch,
  UserRecord,
  VerifyEmail,
  Webhook,
  WebhookDelivery,
  WebhookPatch,
} from "./schemas.ts";

/** The release of this client. */
export const CLIENT_VERSION = "0.1.0";

/** A function for each endpoint, named as in the reference. */
export interface WheelwrightApi {
  /**
   * The audit log, newest event first. Returns only events that match all filters
   *
   * `GET /api/audit`, scope readonly.
   */
  listAuditEvents(
    params?: {
      /** Returns only events of this kind */
      kind?:
        | "spoke_requested"
        | "spoke_provisioned"
        | "spoke_provision_failed"
        | "spoke_removal_requested"
        | "spoke_destroyed"
        | "spoke_actioned"
        | "spoke_action_succeeded"
        | "spoke_action_failed"
        | "spoke_health_changed"
        | "spoke_storage_low"
        | "spoke_certificate_expiring"
        | "spoke_updated"
        | "spoke_copied"
        | "spoke_delegated"
        | "spoke_delegation_removed"
        | "spoke_member_removed"
        | "spoke_sign_in_link_created"
        | "federation_created"
        | "federation_provisioned"
        | "federation_provision_failed"
        | "federation_updated"
        | "federation_library_failed"
        | "federation_removal_requested"
        | "federation_destroyed"
        | "federation_requested"
        | "federation_request_approved"
        | "federation_request_rejected"
        | "federation_request_withdrawn"
        | "federation_member_added"
        | "federation_member_removed"
        | "rollout_created"
        | "rollout_paused"
        | "rollout_resumed"
        | "rollout_aborted"
        | "rollout_completed"
        | "operation_cancelled"
        | "tenant_backup_succeeded"
        | "tenant_backup_failed"
        | "tenant_backup_verified"
        | "restore_requested"
        | "restore_request_done"
        | "restore_request_declined"
        | "billing_connected"
        | "billing_reconcile_requested"
        | "billing_subscription_updated"
        | "billing_difference_found"
        | "billing_subscription_refunded"
        | "billing_subscription_past_due"
        | "webhook_created"
        | "webhook_updated"
        | "webhook_deleted"
        | "webhook_secret_rotated"
        | "webhook_disabled"
        | "webhook_tested"
        | "webhook_redelivered"
        | "token_created"
        | "terminal_sign_in_approved"
        | "terminal_sign_in_denied"
        | "token_revoked"
        | "user_created"
        | "user_updated"
        | "user_invited"
        | "invitation_accepted"
        | "invitation_refused"
        | "user_mail_refused"
        | "email_verified"
        | "password_reset_requested"
        | "password_reset"
        | "password_changed"
        | "password_change_failed"
        | "identity_linked"
        | "identity_unlinked"
        | "auth_login"
        | "auth_login_failed"
        | "auth_logout"
        | "second_factor_requested"
        | "second_factor_failed"
        | "factor_added"
        | "factor_renamed"
        | "factor_removed"
        | "factors_reset"
        | "recovery_codes_renewed"
        | "recovery_code_used"
        | "session_confirmed"
        | "session_confirmation_failed"
        | "session_ended"
        | "other_sessions_ended"
        | "onboarding_completed"
        | "notifications_read"
        | "database_restored"
        | "database_released"
        | "internal_metric_emit"
        | undefined;
      /** Returns only events caused by this actor: an ID, an email address, "system" or "anonymous"; must be text of 1 to 254 characters without control characters */
      actor?: string | undefined;
      /** Returns only events about objects of this type */
      objectType?:
        | "spoke"
        | "federation"
        | "federation_request"
        | "user"
        | "token"
        | "session"
        | "operation"
        | "rollout"
        | "webhook"
        | "database"
        | undefined;
      /** Returns only events about the object with this ID; must be text of 1 to 254 characters without control characters */
      objectId?: string | undefined;
      /** Returns only items that belong to the hub with this ID or slug; must be text of 1 to 254 characters without control characters */
      federationId?: string | undefined;
      /** The maximum number of items in the response */
      limit?: number | undefined;
      /** Returns only entries older than this value. The Link header contains the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor from a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<AuditEvent>;

  /**
   * Accept an invitation with the token from its link. Verifies the email address, sets the password and returns a session cookie
   *
   * `POST /api/auth/accept-invite`, scope flow. Error codes: passwords_off, link_spent, second_factor_required, busy.
   */
  acceptInvite(body: AcceptInvite, options?: CallOptions): Promise<Me>;

  /**
   * Confirm that it is you: with your second factor if you have one, otherwise with your password. Until recentUntil, your session may do dangerous actions, such as removing spokes and creating tokens
   *
   * `POST /api/auth/confirm`, scope session. Error codes: password_needed, wrong_password, factor_needed, wrong_factor, too_many_codes, secrets_key_missing, secrets_key_unknown, busy.
   */
  confirm(body?: Confirm, options?: CallOptions): Promise<Confirmation>;

  /**
   * Start a sign-in from a terminal without a browser. A user then types userCode at verificationUri
   *
   * `POST /api/auth/device-sign-ins`, scope flow. Error codes: portal_off.
   */
  createDeviceSignIn(body: NewDeviceSignIn, options?: CallOptions): Promise<DeviceSignIn>;

  /**
   * Approve or deny a sign-in from a terminal. If approved, the terminal gets a token that acts as you
   *
   * `POST /api/auth/device-sign-ins/decide`, scope session. Error codes: sign_in_missing, expiry_past, federation_missing.
   */
  decideDeviceSignIns(body: DeviceDecision, options?: CallOptions): Promise<ApprovedDevice>;

  /**
   * The sign-in with the code that a terminal shows: from where it was started, and for which token
   *
   * `POST /api/auth/device-sign-ins/find`, scope session. Error codes: sign_in_missing.
   */
  findDeviceSignIns(body: UserCode, options?: CallOptions): Promise<PendingDeviceSignIn>;

  /**
   * Redeem deviceCode for an API token, at most every 5 seconds, until a user has decided
   *
   * `POST /api/auth/device-sign-ins/redeem`, scope flow. Error codes: sign_in_spent, sign_in_pending, polled_too_soon, sign_in_denied, expiry_past, federation_missing, portal_off.
   */
  redeemDeviceSignIns(body: DeviceRedemption, options?: CallOptions): Promise<MintedToken>;

  /**
   * Your second factors, and the number of your unused recovery codes
   *
   * `GET /api/auth/factors`, scope readonly.
   */
  listFactors(options?: CallOptions): Promise<SecondFactors>;

  /**
   * Begin to add an authenticator app or a passkey. Only this response contains the app's secret. The factor counts after its activation
   *
   * `POST /api/auth/factors`, scope session. Error codes: unverified, too_many_factors, secrets_key_missing.
   */
  createFactor(body: NewFactor, options?: CallOptions): Promise<StartedFactor>;

  /**
   * Rename one of your second factors
   *
   * `PATCH /api/auth/factors/{factorId}`, scope session. Error codes: factor_missing.
   */
  updateFactor(
    params: {
      /** The ID of the second factor */
      factorId: string;
    },
    body: FactorPatch,
    options?: CallOptions,
  ): Promise<Factor>;

  /**
   * Remove one of your second factors. Your last one takes your recovery codes with it. Emails you
   *
   * `DELETE /api/auth/factors/{factorId}`, scope session. Error codes: factor_missing, last_factor.
   */
  deleteFactor(
    params: {
      /** The ID of the second factor */
      factorId: string;
    },
    options?: CallOptions,
  ): Promise<void>;

  /**
   * Activate an authenticator app with its first code, or a passkey with the browser's response. For your first second factor, ends your other sessions and returns recovery codes, which only this response contains. Emails you
   *
   * `POST /api/auth/factors/{factorId}/activate`, scope session. Error codes: factor_missing, factor_needed, wrong_factor, secrets_key_missing, secrets_key_unknown.
   */
  activateFactor(
    params: {
      /** The ID of the second factor */
      factorId: string;
    },
    body?: FactorActivation,
    options?: CallOptions,
  ): Promise<ActivatedFactor>;

  /**
   * Email a link for setting a new password. The response does not reveal whether the user exists
   *
   * `POST /api/auth/forgot-password`, scope flow. Error codes: passwords_off.
   */
  forgotPassword(body: ForgotPassword, options?: CallOptions): Promise<Acknowledgement>;

  /**
   * The identities at providers with which you sign in, oldest first
   *
   * `GET /api/auth/identities`, scope readonly.
   */
  listIdentities(options?: CallOptions): Promise<Identity[]>;

  /**
   * Unlink an identity, if you can still sign in. Removes the roles that its provider gave you
   *
   * `DELETE /api/auth/identities/{identityId}`, scope session. Error codes: identity_missing, identity_needed.
   */
  deleteIdentity(
    params: {
      /** The identity's ID */
      identityId: string;
    },
    options?: CallOptions,
  ): Promise<void>;

  /**
   * Sign in with an email address and a password. Returns a session cookie and ends your browser's earlier session. Users with a second factor add code or recoveryCode, or call POST /api/auth/second-factor afterwards
   *
   * `POST /api/auth/login`, scope flow. Error codes: passwords_off, login_failed, second_factor_required, wrong_code, too_many_codes, secrets_key_unknown, busy.
   */
  login(body: Login, options?: CallOptions): Promise<LoggedIn>;

  /**
   * End your session. Without a session, nothing happens
   *
   * `POST /api/auth/logout`, scope flow.
   */
  logout(options?: CallOptions): Promise<void>;

  /**
   * The user that your token or session belongs to
   *
   * `GET /api/auth/me`, scope readonly.
   */
  getMe(options?: CallOptions): Promise<Me>;

  /**
   * Change your display name
   *
   * `PATCH /api/auth/me`, scope session. Error codes: unverified.
   */
  updateMe(body?: OwnPatch, options?: CallOptions): Promise<Me>;

  /**
   * Sign in with a passkey, without a password. Needs the cookie of POST /api/auth/passkey-options
   *
   * `POST /api/auth/passkey-login`, scope flow. Error codes: passkey_refused.
   */
  passkeyLogin(body: PasskeyLogin, options?: CallOptions): Promise<Me>;

  /**
   * The options with which a browser uses a passkey: to sign in, as second factor, or to confirm a session. The challenge works once, within 5 minutes
   *
   * `POST /api/auth/passkey-options`, scope flow. Error codes: sign_in_required, sign_in_expired, too_many_tries.
   */
  createPasskeyOption(body: PasskeyRequest, options?: CallOptions): Promise<PasskeyOptions>;

  /**
   * Change your password. Ends your other sessions, renews this session's cookie and keeps your tokens
   *
   * `POST /api/auth/password`, scope session. Error codes: passwords_off, wrong_password, busy.
   */
  changePassword(body: PasswordChange, options?: CallOptions): Promise<Acknowledgement>;

  /**
   * The OpenID Connect providers at which people may sign in, in the order of their buttons
   *
   * `GET /api/auth/providers`, scope public.
   */
  listProviders(options?: CallOptions): Promise<SignInProvider[]>;

  /**
   * Replace your recovery codes. Only this response contains the new ones. Emails you
   *
   * `POST /api/auth/recovery-codes`, scope session. Error codes: factor_missing.
   */
  createRecoveryCode(options?: CallOptions): Promise<RecoveryCodes>;

  /**
   * Set a new password with an emailed link. Ends all sessions, and revokes all API tokens unless keepTokens is true
   *
   * `POST /api/auth/reset-password`, scope flow. Error codes: passwords_off, link_spent, busy.
   */
  resetPassword(body: PasswordReset, options?: CallOptions): Promise<Acknowledgement>;

  /**
   * The sign-in that waits for your second factor: who signs in, until when, and with what
   *
   * `GET /api/auth/second-factor`, scope flow. Error codes: sign_in_expired.
   */
  getSecondFactor(options?: CallOptions): Promise<PendingSignIn>;

  /**
   * Finish a sign-in with your second factor: a code of your authenticator app, or a recovery code. Needs the cookie of the refusal second_factor_required. Returns a session cookie
   *
   * `POST /api/auth/second-factor`, scope flow. Error codes: sign_in_expired, wrong_code, factor_needed, too_many_codes, secrets_key_missing, secrets_key_unknown.
   */
  secondFactor(body?: SecondFactor, options?: CallOptions): Promise<Me>;

  /**
   * Your sessions, at most 100: the current one first, then the most recently used
   *
   * `GET /api/auth/sessions`, scope readonly. Error codes: token_limited.
   */
  listSessions(options?: CallOptions): Promise<Session[]>;

  /**
   * End all your sessions except the current one, and their event streams
   *
   * `DELETE /api/auth/sessions/others`, scope session.
   */
  deleteOtherSessions(options?: CallOptions): Promise<void>;

  /**
   * End one of your sessions and its event streams. Repeating the request changes nothing
   *
   * `DELETE /api/auth/sessions/{sessionId}`, scope session. Error codes: session_missing.
   */
  deleteSession(
    params: {
      /** The session's ID */
      sessionId: string;
    },
    options?: CallOptions,
  ): Promise<void>;

  /**
   * Create an account, if the setting SIGNUP is on. The response does not reveal whether the user exists
   *
   * `POST /api/auth/signup`, scope flow. Error codes: signup_off, busy.
   */
  signup(body: Signup, options?: CallOptions): Promise<Acknowledgement>;

  /**
   * Approve a sign-in from a terminal on your machine. The code is valid for 60 seconds, once
   *
   * `POST /api/auth/terminal-codes`, scope session. Error codes: expiry_past, federation_missing, portal_off.
   */
  createTerminalCode(body: NewTerminalCode, options?: CallOptions): Promise<TerminalCode>;

  /**
   * Redeem the code of a sign-in from a terminal for an API token
   *
   * `POST /api/auth/terminal-tokens`, scope flow. Error codes: sign_in_spent, expiry_past, federation_missing, portal_off.
   */
  createTerminalToken(body: TerminalRedemption, options?: CallOptions): Promise<MintedToken>;

  /**
   * Your API tokens that are not revoked, newest first. Returns all tokens unless limit is set
   *
   * `GET /api/auth/tokens`, scope readonly.
   */
  listTokens(
    params?: {
      /** The maximum number of items in the response */
      limit?: number | undefined;
      /** Returns only entries older than this value. The Link header contains the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor from a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<Token>;

  /**
   * Create an API token. Only this response contains the token itself
   *
   * `POST /api/auth/tokens`, scope session. Error codes: expiry_past, federation_missing.
   */
  createToken(body: NewToken, options?: CallOptions): Promise<MintedToken>;

  /**
   * Revoke an API token. The token stops working immediately
   *
   * `DELETE /api/auth/tokens/{tokenId}`, scope cli. Error codes: token_missing.
   */
  deleteToken(
    params: {
      /** The token's ID */
      tokenId: string;
    },
    options?: CallOptions,
  ): Promise<void>;

  /**
   * Verify an email address with the token from its link. The password in the request becomes the user's password. Ends earlier sessions and revokes earlier tokens
   *
   * `POST /api/auth/verify-email`, scope flow. Error codes: passwords_off, link_spent, busy.
   */
  verifyEmail(body: VerifyEmail, options?: CallOptions): Promise<Me>;

  /**
   * Sizes, versions, regions and other values for hubs and spokes. A section that is listed in open accepts any text
   *
   * `GET /api/catalog`, scope readonly.
   */
  getCatalog(options?: CallOptions): Promise<Catalog>;

  /**
   * Announcements and the changes in each release, newest first
   *
   * `GET /api/changelog`, scope public. Error codes: database_unavailable, database_lost, database_busy, database_slow, database_closed.
   */
  getChangelog(options?: CallOptions): Promise<Changelog>;

  /**
   * The changelog as an Atom feed, with an entry for each announcement and release
   *
   * `GET /api/changelog.atom`, scope public. Error codes: database_unavailable, database_lost, database_busy, database_slow, database_closed.
   */
  getChangelogFeed(options?: CallOptions): Promise<string>;

  /**
   * Requests for new hubs, newest first. Operators see all requests, other users only their own
   *
   * `GET /api/federation-requests`, scope readonly.
   */
  listFederationRequests(
    params?: {
      /** Returns only items in this state; for sign-ins at providers: the secret that the provider repeats */
      state?: "pending" | "approved" | "rejected" | "withdrawn" | undefined;
      /** The maximum number of items in the response */
      limit?: number | undefined;
      /** Returns only entries older than this value. The Link header contains the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor from a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<FederationRequest>;

  /**
   * Request a hub. If an operator approves your request, you become the hub's admin
   *
   * `POST /api/federation-requests`, scope cli. Error codes: slug_taken, too_many_pending, unverified, not_offered, token_limited.
   */
  createFederationRequest(body: NewFederationRequest, options?: IdempotentCallOptions): Promise<FederationRequest>;

  /**
   * One request for a new hub, and its outcome
   *
   * `GET /api/federation-requests/{requestId}`, scope readonly.
   */
  getFederationRequest(
    params: {
      /** The request's ID */
      requestId: string;
    },
    options?: CallOptions,
  ): Promise<FederationRequest>;

  /**
   * Withdraw a pending request for a new hub. Repeating the call changes nothing
   *
   * `DELETE /api/federation-requests/{requestId}`, scope cli. Error codes: request_decided.
   */
  deleteFederationRequest(
    params: {
      /** The request's ID */
      requestId: string;
    },
    options?: CallOptions,
  ): Promise<FederationRequest>;

  /**
   * Approve a request for a new hub: create the hub and make the requester its admin. The request body can override the requested values
   *
   * `POST /api/federation-requests/{requestId}/approve`, scope cli. Error codes: request_decided, requester_disabled, slug_taken, not_offered.
   */
  approveFederationRequest(
    params: {
      /** The request's ID */
      requestId: string;
    },
    body?: Approval,
    options?: IdempotentCallOptions,
  ): Promise<FederationRequest>;

  /**
   * Reject a request for a new hub. The requester sees the reason
   *
   * `POST /api/federation-requests/{requestId}/reject`, scope cli. Error codes: request_decided.
   */
  rejectFederationRequest(
    params: {
      /** The request's ID */
      requestId: string;
    },
    body: Rejection,
    options?: IdempotentCallOptions,
  ): Promise<FederationRequest>;

  /**
   * The hubs that you can see, newest first. Returns all hubs unless limit is set
   *
   * `GET /api/federations`, scope readonly.
   */
  listFederations(
    params?: {
      /** Returns only items with this slug; must be 1 to 63 lower-case letters, digits or hyphens, neither beginning nor ending with a hyphen */
      slug?: string | undefined;
      /** Returns only items in this state; for sign-ins at providers: the secret that the provider repeats */
      state?: "provisioning" | "active" | "failed" | "removing" | "removed" | undefined;
      /** Returns only items that contain this text in a name, domain or address, ignoring case; must be text of 1 to 100 characters without control characters */
      q?: string | undefined;
      /** The maximum number of items in the response */
      limit?: number | undefined;
      /** Returns only entries older than this value. The Link header contains the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor from a Link header */
      before?: string | number | Date | undefined;
      /** Whether the response includes removed hubs or spokes; only for operators */
      includeRemoved?: boolean | undefined;
    },
    options?: CallOptions,
  ): PagedList<Federation>;

  /**
   * Create a hub. The hub is provisioned in the background
   *
   * `POST /api/federations`, scope cli. Error codes: slug_taken, not_offered.
   */
  createFederation(body: NewFederation, options?: IdempotentCallOptions): Promise<Federation>;

  /**
   * One hub and its current operation
   *
   * `GET /api/federations/{federationId}`, scope readonly.
   */
  getFederation(
    params: {
      /** The hub's ID or slug */
      federationId: string;
      /** Whether the response includes removed hubs or spokes; only for operators */
      includeRemoved?: boolean | undefined;
    },
    options?: CallOptions,
  ): Promise<Federation>;

  /**
   * Change a hub's name, region, mode or tier. With rollOut, a rollout brings the tier to the spokes. With dryRun=true, changes nothing and returns a preview
   *
   * `PATCH /api/federations/{federationId}`, scope cli. Error codes: federation_state, slug_fixed, not_offered, operator_only, rollout_too_large, rollout_empty.
   */
  updateFederation(
    params: {
      /** The hub's ID or slug */
      federationId: string;
      /** Returns a preview of the change without making the change */
      dryRun?: boolean | undefined;
    },
    body?: FederationPatch,
    options?: CallOptions,
  ): Promise<ChangedFederation>;

  /**
   * Remove a hub that has no spokes. The removal finishes when the hub's namespace is deleted
   *
   * `DELETE /api/federations/{federationId}`, scope cli. Error codes: federation_not_empty, federation_state.
   */
  deleteFederation(
    params: {
      /** The hub's ID or slug */
      federationId: string;
      /** Ends a failed removal, even if objects remain in the cluster; only for operators */
      abandon?: boolean | undefined;
    },
    options?: CallOptions,
  ): Promise<Federation>;

  /**
   * Retry the provisioning of a failed hub
   *
   * `POST /api/federations/{federationId}/actions`, scope cli. Error codes: federation_state.
   */
  actOnFederation(
    params: {
      /** The hub's ID or slug */
      federationId: string;
    },
    body: FederationAction,
    options?: CallOptions,
  ): Promise<Federation>;

  /**
   * The availability of all spokes of a hub per month. Adds up the minutes of the spokes, also of removed ones
   *
   * `GET /api/federations/{federationId}/availability`, scope readonly.
   */
  getFederationAvailability(
    params: {
      /** The hub's ID or slug */
      federationId: string;
    },
    options?: CallOptions,
  ): Promise<Availability>;

  /**
   * A hub's subscription as last reported by the payment provider, and its open invoice
   *
   * `GET /api/federations/{federationId}/billing`, scope readonly.
   */
  getFederationBilling(
    params: {
      /** The hub's ID or slug */
      federationId: string;
    },
    options?: CallOptions,
  ): Promise<Billing>;

  /**
   * Start billing a hub and set the address for invoices. Repeating the request changes the address
   *
   * `POST /api/federations/{federationId}/billing`, scope cli. Error codes: billing_off.
   */
  startFederationBilling(
    params: {
      /** The hub's ID or slug */
      federationId: string;
    },
    body: BillingAddress,
    options?: CallOptions,
  ): Promise<Billing>;

  /**
   * Send a hub's billed quantities to the payment provider again, and overwrite changes made there. Replaces a subscription that has ended
   *
   * `POST /api/federations/{federationId}/billing/reconcile`, scope cli. Error codes: billing_off, not_billed.
   */
  reconcileFederationBilling(
    params: {
      /** The hub's ID or slug */
      federationId: string;
    },
    options?: CallOptions,
  ): Promise<Billing>;

  /**
   * What a hub's spokes cost per month, and the estimate of the next invoice
   *
   * `GET /api/federations/{federationId}/cost`, scope readonly.
   */
  getFederationCost(
    params: {
      /** The hub's ID or slug */
      federationId: string;
    },
    options?: CallOptions,
  ): Promise<HubCost>;

  /**
   * The courses that a hub offers to its spokes, by title
   *
   * `GET /api/federations/{federationId}/courses`, scope readonly.
   */
  listFederationCourses(
    params: {
      /** The hub's ID or slug */
      federationId: string;
    },
    options?: CallOptions,
  ): Promise<Course[]>;

  /**
   * Publish a course of a site, without its people, as a new version of a course of the hub
   *
   * `POST /api/federations/{federationId}/courses`, scope cli. Error codes: spoke_missing, course_missing, too_many_courses, federation_state, spoke_state.
   */
  createFederationCourse(
    params: {
      /** The hub's ID or slug */
      federationId: string;
    },
    body: CoursePublication,
    options?: IdempotentCallOptions,
  ): Promise<OperationDetail>;

  /**
   * Delete a version of a course of the hub, which no site needs any longer, and its package
   *
   * `DELETE /api/federations/{federationId}/courses/{courseId}/versions/{version}`, scope cli. Error codes: course_version_missing, course_version_in_use, federation_state.
   */
  deleteFederationCourseVersion(
    params: {
      /** The hub's ID or slug */
      federationId: string;
      /** The course's ID */
      courseId: string;
      /** The version's number */
      version: string;
    },
    options?: CallOptions,
  ): Promise<OperationDetail>;

  /**
   * Follow a hub's events. To resume after an event, send its number as Last-Event-ID or since
   *
   * `GET /api/federations/{federationId}/events`, scope readonly. Error codes: too_many_streams.
   */
  followFederation(
    params: {
      /** The hub's ID or slug */
      federationId: string;
      /** The number of the last event that you received. The stream continues after that event; must be an event number */
      since?: number | undefined;
    },
    options?: FollowOptions,
  ): AsyncGenerator<StreamEvent, void>;

  /**
   * The library of a hub's courses: the space that it uses, and its backups
   *
   * `GET /api/federations/{federationId}/library`, scope readonly.
   */
  getFederationLibrary(
    params: {
      /** The hub's ID or slug */
      federationId: string;
    },
    options?: CallOptions,
  ): Promise<Library>;

  /**
   * The hub's admins, newest first, including invited users. Returns all admins unless limit is set
   *
   * `GET /api/federations/{federationId}/members`, scope readonly.
   */
  listFederationMembers(
    params: {
      /** The hub's ID or slug */
      federationId: string;
      /** The maximum number of items in the response */
      limit?: number | undefined;
      /** Returns only entries older than this value. The Link header contains the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor from a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<Member>;

  /**
   * Make a user an admin of a hub. A user without a verified account gets an email invitation. The invitation is valid for 7 days. After an hour, repeating the request emails the invitation again
   *
   * `POST /api/federations/{federationId}/members`, scope cli. Error codes: user_disabled, federation_state.
   */
  addFederationMember(
    params: {
      /** The hub's ID or slug */
      federationId: string;
    },
    body: NewMember,
    options?: IdempotentCallOptions,
  ): Promise<HubJoining>;

  /**
   * Remove an admin from a hub. The admin's access ends immediately. Admins may remove themselves
   *
   * `DELETE /api/federations/{federationId}/members/{userId}`, scope cli. Error codes: member_missing.
   */
  deleteFederationMember(
    params: {
      /** The hub's ID or slug */
      federationId: string;
      /** The user's ID */
      userId: string;
    },
    options?: CallOptions,
  ): Promise<void>;

  /**
   * Operations on a hub and on its spokes, newest first
   *
   * `GET /api/federations/{federationId}/operations`, scope readonly.
   */
  listFederationOperations(
    params: {
      /** The hub's ID or slug */
      federationId: string;
      /** The maximum number of items in the response */
      limit?: number | undefined;
      /** Returns only entries older than this value. The Link header contains the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor from a Link header */
      before?: string | number | Date | undefined;
      /** Whether the response includes removed hubs or spokes; only for operators */
      includeRemoved?: boolean | undefined;
    },
    options?: CallOptions,
  ): PagedList<Operation>;

  /**
   * What a hub shares with its spokes, and how many spokes have it
   *
   * `GET /api/federations/{federationId}/policy`, scope readonly.
   */
  getFederationPolicy(
    params: {
      /** The hub's ID or slug */
      federationId: string;
    },
    options?: CallOptions,
  ): Promise<Policy>;

  /**
   * Change what a hub shares. A rollout brings the change to the spokes. With dryRun=true, returns a preview instead
   *
   * `PATCH /api/federations/{federationId}/policy`, scope cli. Error codes: policy_changed, federation_state, not_offered, sign_in_incomplete, cluster_unavailable.
   */
  updateFederationPolicy(
    params: {
      /** The hub's ID or slug */
      federationId: string;
      /** Returns a preview of the change without making the change */
      dryRun: true;
    },
    body?: PolicyPatch,
    options?: CallOptions,
  ): Promise<PolicyPreview>;
  updateFederationPolicy(
    params: {
      /** The hub's ID or slug */
      federationId: string;
      /** Returns a preview of the change without making the change */
      dryRun?: false | undefined;
    },
    body?: PolicyPatch,
    options?: CallOptions,
  ): Promise<Policy>;

  /**
   * The newest 100 versions of what a hub shares, newest first
   *
   * `GET /api/federations/{federationId}/policy/history`, scope readonly.
   */
  getFederationPolicyHistory(
    params: {
      /** The hub's ID or slug */
      federationId: string;
      /** Only versions of this section of the policy */
      section?: "settings" | "brand" | "signIn" | "courses" | "addons" | undefined;
    },
    options?: CallOptions,
  ): Promise<PolicyVersion[]>;

  /**
   * Make an older version of what a hub shares the newest again
   *
   * `POST /api/federations/{federationId}/policy/rollback`, scope cli. Error codes: policy_version_missing, federation_state, not_offered.
   */
  rollbackFederationPolicy(
    params: {
      /** The hub's ID or slug */
      federationId: string;
    },
    body: PolicyRollback,
    options?: CallOptions,
  ): Promise<Policy>;

  /**
   * Check from a site of the hub whether an identity provider can be used. Changes nothing
   *
   * `POST /api/federations/{federationId}/policy/sign-in/check`, scope cli. Error codes: sign_in_incomplete, spoke_state, check_in_progress, cluster_unavailable.
   */
  checkFederationPolicySignIn(
    params: {
      /** The hub's ID or slug */
      federationId: string;
    },
    body?: SignInCheckRequest,
    options?: CallOptions,
  ): Promise<SignInCheck>;

  /**
   * A hub's spokes that you can see, by default newest first. Returns all spokes unless limit is set
   *
   * `GET /api/federations/{federationId}/spokes`, scope readonly.
   */
  listFederationSpokes(
    params: {
      /** The hub's ID or slug */
      federationId: string;
      /** Returns only items with this slug; must be 1 to 63 lower-case letters, digits or hyphens, neither beginning nor ending with a hyphen */
      slug?: string | undefined;
      /** Returns only items in this state; for sign-ins at providers: the secret that the provider repeats */
      state?:
        | "provisioning"
        | "active"
        | "failed"
        | "suspending"
        | "suspended"
        | "resuming"
        | "updating"
        | "removing"
        | "removed"
        | undefined;
      /** Returns only items with this health */
      health?: "healthy" | "degraded" | "unknown" | undefined;
      /** Returns only spokes that run this Moodle version; must be a version such as 4.5.12 */
      lmsVersion?: string | undefined;
      /** The size of the spokes; if absent, a list contains all sizes, and a cost is for the default size; must be text of 1 to 100 characters without control characters */
      size?: string | undefined;
      /** Returns only spokes in this region; must be text of 1 to 100 characters without control characters */
      region?: string | undefined;
      /** Returns only spokes whose `storagePercent` is at least this number */
      minStoragePercent?: number | undefined;
      /** Returns only spokes whose site has this add-on; must be the component of a plugin, such as mod_attendance */
      addon?: string | undefined;
      /** Returns only items that contain this text in a name, domain or address, ignoring case; must be text of 1 to 100 characters without control characters */
      q?: string | undefined;
      /** Returns only spokes whose manifests come from an older revision of the blueprint */
      outdated?: boolean | undefined;
      /** The order. By last-failure, the list has only spokes on which an operation has failed. By storage, the fullest spokes are first */
      sort?: "newest" | "oldest" | "last-failure" | "storage" | undefined;
      /** The maximum number of items in the response */
      limit?: number | undefined;
      /** Returns only entries older than this value. The Link header contains the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor from a Link header */
      before?: string | number | Date | undefined;
      /** Whether the response includes removed hubs or spokes; only for operators */
      includeRemoved?: boolean | undefined;
    },
    options?: CallOptions,
  ): PagedList<Spoke>;

  /**
   * Create a spoke, or copy an existing spoke. The new spoke is installed in the background, after the hub's earlier jobs. With dryRun=true, returns a preview instead
   *
   * `POST /api/federations/{federationId}/spokes`, scope provisioning. Error codes: slug_taken, domain_taken, domain_unproven, federation_state, federation_mismatch, version_mismatch, not_offered, domain_needed, domain_reserved, domain_invalid, dns_unavailable, spoke_missing, spoke_state, copy_of_needed, copy_version, size_too_small, tier_size, tier_bound, backup_unusable, another_cluster, blueprint_lacks.
   */
  createFederationSpoke(
    params: {
      /** The hub's ID or slug */
      federationId: string;
      /** Returns a preview of the change without making the change */
      dryRun: true;
    },
    body: NewSpoke,
    options?: IdempotentCallOptions,
  ): Promise<SpokePreview>;
  createFederationSpoke(
    params: {
      /** The hub's ID or slug */
      federationId: string;
      /** Returns a preview of the change without making the change */
      dryRun?: false | undefined;
    },
    body: NewSpoke,
    options?: IdempotentCallOptions,
  ): Promise<Spoke>;

  /**
   * The cost of adding a spoke of a given size
   *
   * `GET /api/federations/{federationId}/spokes/preview-cost`, scope readonly. Error codes: not_offered, billing_unavailable.
   */
  previewSpokeCost(
    params: {
      /** The hub's ID or slug */
      federationId: string;
      /** The size of the spokes; if absent, a list contains all sizes, and a cost is for the default size; must be text of 1 to 100 characters without control characters */
      size?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<Cost>;

  /**
   * The sums of a hub's storage, users and courses, now and in the last days
   *
   * `GET /api/federations/{federationId}/usage`, scope readonly.
   */
  getFederationUsage(
    params: {
      /** The hub's ID or slug */
      federationId: string;
      /** The number of days of samples, from 1 to 730 (default: 2) */
      days?: number | undefined;
    },
    options?: CallOptions,
  ): Promise<HubUsage>;

  /**
   * The hub's webhooks, newest first. Returns all webhooks unless limit is set
   *
   * `GET /api/federations/{federationId}/webhooks`, scope readonly.
   */
  listFederationWebhooks(
    params: {
      /** The hub's ID or slug */
      federationId: string;
      /** The maximum number of items in the response */
      limit?: number | undefined;
      /** Returns only entries older than this value. The Link header contains the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor from a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<Webhook>;

  /**
   * Send the hub's events to a URL, from now on. Messages are signed (Standard Webhooks). Only this response contains the secret
   *
   * `POST /api/federations/{federationId}/webhooks`, scope cli. Error codes: webhook_address, dns_unavailable, too_many_webhooks, secrets_key_missing, federation_state.
   */
  createFederationWebhook(
    params: {
      /** The hub's ID or slug */
      federationId: string;
    },
    body: NewWebhook,
    options?: CallOptions,
  ): Promise<IssuedWebhook>;

  /**
   * A webhook, with the result of its last delivery
   *
   * `GET /api/federations/{federationId}/webhooks/{webhookId}`, scope readonly.
   */
  getFederationWebhook(
    params: {
      /** The hub's ID or slug */
      federationId: string;
      /** The webhook's ID */
      webhookId: string;
    },
    options?: CallOptions,
  ): Promise<Webhook>;

  /**
   * Change, disable or enable a webhook. An enabled webhook continues after the last delivered event. With from=now, it skips the events that were not delivered
   *
   * `PATCH /api/federations/{federationId}/webhooks/{webhookId}`, scope cli. Error codes: webhook_address, dns_unavailable.
   */
  updateFederationWebhook(
    params: {
      /** The hub's ID or slug */
      federationId: string;
      /** The webhook's ID */
      webhookId: string;
      /** Where an enabled webhook continues: after the "last" delivered event, or with the next one from "now" */
      from?: "last" | "now" | undefined;
    },
    body: WebhookPatch,
    options?: CallOptions,
  ): Promise<Webhook>;

  /**
   * Delete a webhook and its deliveries
   *
   * `DELETE /api/federations/{federationId}/webhooks/{webhookId}`, scope cli.
   */
  deleteFederationWebhook(
    params: {
      /** The hub's ID or slug */
      federationId: string;
      /** The webhook's ID */
      webhookId: string;
    },
    options?: CallOptions,
  ): Promise<void>;

  /**
   * The attempts to deliver messages, newest first, with the receiver's answers. Kept for 14 days, at most 1,000
   *
   * `GET /api/federations/{federationId}/webhooks/{webhookId}/deliveries`, scope readonly.
   */
  listFederationWebhookDeliveries(
    params: {
      /** The hub's ID or slug */
      federationId: string;
      /** The webhook's ID */
      webhookId: string;
      /** The maximum number of items in the response */
      limit?: number | undefined;
      /** Returns only entries older than this value. The Link header contains the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor from a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<WebhookDelivery>;

  /**
   * Send a message again, with the same ID and body
   *
   * `POST /api/federations/{federationId}/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver`, scope cli. Error codes: delivery_missing.
   */
  redeliverFederationWebhookDelivery(
    params: {
      /** The hub's ID or slug */
      federationId: string;
      /** The webhook's ID */
      webhookId: string;
      /** The ID of an earlier attempt to deliver the message */
      deliveryId: string;
    },
    options?: CallOptions,
  ): Promise<QueuedMessage>;

  /**
   * Give a webhook a new secret, which only this response contains. For 24 hours, messages are signed with both secrets
   *
   * `POST /api/federations/{federationId}/webhooks/{webhookId}/rotate-secret`, scope cli. Error codes: secrets_key_missing.
   */
  rotateSecretFederationWebhook(
    params: {
      /** The hub's ID or slug */
      federationId: string;
      /** The webhook's ID */
      webhookId: string;
    },
    options?: CallOptions,
  ): Promise<IssuedWebhook>;

  /**
   * Send a test message, also to a disabled webhook. The deliveries show the result
   *
   * `POST /api/federations/{federationId}/webhooks/{webhookId}/test`, scope cli.
   */
  testFederationWebhook(
    params: {
      /** The hub's ID or slug */
      federationId: string;
      /** The webhook's ID */
      webhookId: string;
    },
    options?: CallOptions,
  ): Promise<QueuedMessage>;

  /**
   * Whether the process is alive. Does not query the database
   *
   * `GET /api/healthz`, scope public.
   */
  getHealthz(
    options?: CallOptions,
  ): Promise<{
    /** Always ok: a process that responds is alive */
    status: "ok";
  }>;

  /**
   * The spokes that you can see in any hub, by default newest first. Returns all spokes unless limit is set
   *
   * `GET /api/my-spokes`, scope readonly. Error codes: federation_missing.
   */
  listMySpokes(
    params?: {
      /** Returns only items with this slug; must be 1 to 63 lower-case letters, digits or hyphens, neither beginning nor ending with a hyphen */
      slug?: string | undefined;
      /** Returns only items in this state; for sign-ins at providers: the secret that the provider repeats */
      state?:
        | "provisioning"
        | "active"
        | "failed"
        | "suspending"
        | "suspended"
        | "resuming"
        | "updating"
        | "removing"
        | "removed"
        | undefined;
      /** Returns only items with this health */
      health?: "healthy" | "degraded" | "unknown" | undefined;
      /** Returns only spokes that run this Moodle version; must be a version such as 4.5.12 */
      lmsVersion?: string | undefined;
      /** The size of the spokes; if absent, a list contains all sizes, and a cost is for the default size; must be text of 1 to 100 characters without control characters */
      size?: string | undefined;
      /** Returns only spokes in this region; must be text of 1 to 100 characters without control characters */
      region?: string | undefined;
      /** Returns only spokes whose `storagePercent` is at least this number */
      minStoragePercent?: number | undefined;
      /** Returns only spokes whose site has this add-on; must be the component of a plugin, such as mod_attendance */
      addon?: string | undefined;
      /** Returns only items that contain this text in a name, domain or address, ignoring case; must be text of 1 to 100 characters without control characters */
      q?: string | undefined;
      /** Returns only spokes whose manifests come from an older revision of the blueprint */
      outdated?: boolean | undefined;
      /** The order. By last-failure, the list has only spokes on which an operation has failed. By storage, the fullest spokes are first */
      sort?: "newest" | "oldest" | "last-failure" | "storage" | undefined;
      /** The maximum number of items in the response */
      limit?: number | undefined;
      /** Returns only entries older than this value. The Link header contains the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor from a Link header */
      before?: string | number | Date | undefined;
      /** Whether the response includes removed hubs or spokes; only for operators */
      includeRemoved?: boolean | undefined;
      /** Returns only items that belong to the hub with this ID or slug; must be text of 1 to 100 characters without control characters */
      federationId?: string | undefined;
    },
    options?: CallOptions,
  ): PagedList<Spoke>;

  /**
   * Your notifications, newest first
   *
   * `GET /api/notifications`, scope readonly.
   */
  listNotifications(
    params?: {
      /** The maximum number of items in the response */
      limit?: number | undefined;
      /** Returns only unread notifications */
      unreadOnly?: boolean | undefined;
      /** Returns only entries older than this value. The Link header contains the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor from a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<Notification>;

  /**
   * Mark all your current notifications as read
   *
   * `POST /api/notifications/read-all`, scope cli.
   */
  readAllNotifications(options?: CallOptions): Promise<Marked>;

  /**
   * The number of your unread notifications
   *
   * `GET /api/notifications/unread-count`, scope readonly.
   */
  getNotificationsUnreadCount(options?: CallOptions): Promise<UnreadCount>;

  /**
   * Mark a notification as read. Repeating the request changes nothing
   *
   * `POST /api/notifications/{notificationId}/read`, scope cli. Error codes: notification_missing.
   */
  readNotification(
    params: {
      /** The ID of the notification, which is also the ID of its audit event */
      notificationId: string;
    },
    options?: CallOptions,
  ): Promise<Notification>;

  /**
   * The time when you completed onboarding. Onboarding is optional
   *
   * `GET /api/onboarding`, scope readonly.
   */
  getOnboarding(options?: CallOptions): Promise<OnboardingState>;

  /**
   * Complete onboarding once: set a display name and a password, and request a first hub. Renews the session cookie
   *
   * `POST /api/onboarding/complete`, scope session. Error codes: onboarded, session_too_old, slug_taken, too_many_pending, unverified, not_offered, passwords_off, busy.
   */
  completeOnboarding(body?: OnboardingAnswers, options?: CallOptions): Promise<Onboarding>;

  /**
   * The OpenAPI document of this API
   *
   * `GET /api/openapi.json`, scope public.
   */
  getOpenApi(
    options?: CallOptions,
  ): Promise<{
    /** The version of the OpenAPI specification */
    openapi: "3.1.0";
  }>;

  /**
   * Operations on all hubs and spokes that you can see, newest first
   *
   * `GET /api/operations`, scope readonly. Error codes: federation_missing.
   */
  listOperations(
    params?: {
      /** Returns only items in this state; for sign-ins at providers: the secret that the provider repeats */
      state?: "unfinished" | "queued" | "running" | "succeeded" | "failed" | "cancelled" | undefined;
      /** Returns only items that belong to the hub with this ID or slug; must be text of 1 to 100 characters without control characters */
      federationId?: string | undefined;
      /** The maximum number of items in the response */
      limit?: number | undefined;
      /** Returns only entries older than this value. The Link header contains the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor from a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<Operation>;

  /**
   * One operation: its progress, the operation it waits for, and why it failed
   *
   * `GET /api/operations/{operationId}`, scope readonly.
   */
  getOperation(
    params: {
      /** The operation's ID */
      operationId: string;
    },
    options?: CallOptions,
  ): Promise<OperationDetail>;

  /**
   * The number of spokes that you can see, by state, in total and per hub, and the length of the job queue. With hubs, a list of hub IDs separated by commas, returns the numbers per hub only for these hubs
   *
   * `GET /api/overview`, scope readonly. Error codes: federation_missing.
   */
  getOverview(
    params?: {
      /** Returns only items that belong to the hub with this ID or slug; must be text of 1 to 100 characters without control characters */
      federationId?: string | undefined;
      /** Returns the numbers per hub only for these hubs: IDs separated by commas, at most 100; must be at most 100 IDs of hubs, separated by commas */
      hubs?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<Overview>;

  /**
   * The last days of the hubs and spokes that you can see: installations and their duration, failures by cause, queue time and used storage. Durations are accurate to about 5%
   *
   * `GET /api/overview/history`, scope readonly. Error codes: federation_missing.
   */
  getOverviewHistory(
    params?: {
      /** Returns only items that belong to the hub with this ID or slug; must be text of 1 to 100 characters without control characters */
      federationId?: string | undefined;
      /** The number of days of samples, from 1 to 730 (default: 2) */
      days?: number | undefined;
    },
    options?: CallOptions,
  ): Promise<OverviewHistory>;

  /**
   * Whether the database responds, its schema matches this release and the scheduler runs. If not, returns 503
   *
   * `GET /api/readyz`, scope public. Error codes: not_ready.
   */
  getReadyz(options?: CallOptions): Promise<Readiness>;

  /**
   * Restore requests for all spokes, newest first, each with the command that restores the backup
   *
   * `GET /api/restore-requests`, scope readonly.
   */
  listRestoreRequests(
    params?: {
      /** Returns only items in this state; for sign-ins at providers: the secret that the provider repeats */
      state?: "open" | "done" | "declined" | undefined;
      /** The maximum number of items in the response */
      limit?: number | undefined;
      /** Returns only entries older than this value. The Link header contains the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor from a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<RestoreRequest>;

  /**
   * Mark a restore request as done, or decline it with a reason. Restoring the requested backup marks the request as done automatically
   *
   * `POST /api/restore-requests/{restoreRequestId}/decide`, scope cli. Error codes: request_missing, reason_needed, reason_unused, request_decided.
   */
  decideRestoreRequest(
    params: {
      /** The request's ID */
      restoreRequestId: string;
    },
    body: RestoreDecision,
    options?: IdempotentCallOptions,
  ): Promise<RestoreRequest>;

  /**
   * Rollouts, newest first. Operators see all rollouts, other users only those on spokes of their own hubs
   *
   * `GET /api/rollouts`, scope readonly.
   */
  listRollouts(
    params?: {
      /** Returns only items in this state; for sign-ins at providers: the secret that the provider repeats */
      state?: "running" | "paused" | "completed" | "aborted" | undefined;
      /** The maximum number of items in the response */
      limit?: number | undefined;
      /** Returns only entries older than this value. The Link header contains the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor from a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<Rollout>;

  /**
   * Run an action on many spokes, wave by wave. The first wave (canary) is watched before the next one starts. Each wave starts when all spokes of the wave before are healthy. With dryRun=true, returns the waves instead
   *
   * `POST /api/rollouts`, scope cli. Error codes: rollout_empty, rollout_too_large, federation_admin_only, operator_only, parameter_needed, not_offered.
   */
  createRollout(
    params: {
      /** Returns a preview of the change without making the change */
      dryRun: true;
    },
    body: NewRollout,
    options?: IdempotentCallOptions,
  ): Promise<RolloutPreview>;
  createRollout(
    params: {
      /** Returns a preview of the change without making the change */
      dryRun?: false | undefined;
    },
    body: NewRollout,
    options?: IdempotentCallOptions,
  ): Promise<RolloutDetail>;

  /**
   * A rollout, with the wave and the state of each spoke
   *
   * `GET /api/rollouts/{rolloutId}`, scope readonly.
   */
  getRollout(
    params: {
      /** The rollout's ID */
      rolloutId: string;
    },
    options?: CallOptions,
  ): Promise<RolloutDetail>;

  /**
   * End a rollout. Operations that have started continue; the other spokes stay unchanged
   *
   * `POST /api/rollouts/{rolloutId}/abort`, scope cli. Error codes: rollout_state.
   */
  abortRollout(
    params: {
      /** The rollout's ID */
      rolloutId: string;
    },
    options?: CallOptions,
  ): Promise<RolloutDetail>;

  /**
   * Pause a rollout: further operations wait until it is resumed. Operations that have started continue
   *
   * `POST /api/rollouts/{rolloutId}/pause`, scope cli. Error codes: rollout_state.
   */
  pauseRollout(
    params: {
      /** The rollout's ID */
      rolloutId: string;
    },
    options?: CallOptions,
  ): Promise<RolloutDetail>;

  /**
   * Continue a paused rollout. Spokes that have failed are tried again, or skipped
   *
   * `POST /api/rollouts/{rolloutId}/resume`, scope cli. Error codes: rollout_state.
   */
  resumeRollout(
    params: {
      /** The rollout's ID */
      rolloutId: string;
    },
    body?: RolloutResumption,
    options?: CallOptions,
  ): Promise<RolloutDetail>;

  /**
   * Request the same action on many spokes, or remove them. IDs of spokes that you cannot see are skipped. With dryRun=true, returns a preview instead, whose selection confirms removals and selections by a filter
   *
   * `POST /api/spokes/actions`, scope cli. Error codes: parameter_needed, version_mismatch, not_offered, operator_only, selection_too_large, selection_changed.
   */
  actOnSpokes(
    params: {
      /** Returns a preview of the change without making the change */
      dryRun: true;
    },
    body: BulkAction,
    options?: CallOptions,
  ): Promise<BulkPreview>;
  actOnSpokes(
    params: {
      /** Returns a preview of the change without making the change */
      dryRun?: false | undefined;
    },
    body: BulkAction,
    options?: CallOptions,
  ): Promise<BulkOutcome[]>;

  /**
   * One spoke and its current operation
   *
   * `GET /api/spokes/{spokeId}`, scope readonly.
   */
  getSpoke(
    params: {
      /** The spoke's ID, or the spoke's domain until the spoke is removed */
      spokeId: string;
      /** Whether the response includes removed hubs or spokes; only for operators */
      includeRemoved?: boolean | undefined;
    },
    options?: CallOptions,
  ): Promise<Spoke>;

  /**
   * Change a spoke's name, brand, administrator's address, domain or mail. With dryRun=true, returns a preview instead
   *
   * `PATCH /api/spokes/{spokeId}`, scope cli. Error codes: spoke_state, not_offered, policy_fixed, federation_admin_only, domain_taken, domain_unproven, domain_reserved, domain_invalid, dns_unavailable, cluster_unavailable.
   */
  updateSpoke(
    params: {
      /** The spoke's ID, or the spoke's domain until the spoke is removed */
      spokeId: string;
      /** Returns a preview of the change without making the change */
      dryRun: true;
    },
    body?: SpokePatch,
    options?: CallOptions,
  ): Promise<ActionPreview>;
  updateSpoke(
    params: {
      /** The spoke's ID, or the spoke's domain until the spoke is removed */
      spokeId: string;
      /** Returns a preview of the change without making the change */
      dryRun?: false | undefined;
    },
    body?: SpokePatch,
    options?: CallOptions,
  ): Promise<Spoke>;

  /**
   * Remove a spoke and its site. Repeating the request returns the same operation
   *
   * `DELETE /api/spokes/{spokeId}`, scope provisioning. Error codes: operator_only, spoke_state.
   */
  deleteSpoke(
    params: {
      /** The spoke's ID, or the spoke's domain until the spoke is removed */
      spokeId: string;
      /** Ends a failed removal, even if objects remain in the cluster; only for operators */
      abandon?: boolean | undefined;
    },
    options?: CallOptions,
  ): Promise<Spoke>;

  /**
   * Request an action on a spoke: suspend, resume, restart, upgrade, resize, back up and so on. With dryRun=true, returns a preview instead
   *
   * `POST /api/spokes/{spokeId}/actions`, scope cli. Error codes: spoke_state, version_not_newer, addon_unsupported, version_unchanged, size_unchanged, parameter_needed, version_mismatch, not_offered, operator_only, cluster_unavailable.
   */
  actOnSpoke(
    params: {
      /** The spoke's ID, or the spoke's domain until the spoke is removed */
      spokeId: string;
      /** Returns a preview of the change without making the change */
      dryRun: true;
    },
    body: SpokeAction,
    options?: CallOptions,
  ): Promise<ActionPreview>;
  actOnSpoke(
    params: {
      /** The spoke's ID, or the spoke's domain until the spoke is removed */
      spokeId: string;
      /** Returns a preview of the change without making the change */
      dryRun?: false | undefined;
    },
    body: SpokeAction,
    options?: CallOptions,
  ): Promise<Spoke>;

  /**
   * The audit events for a spoke, newest first
   *
   * `GET /api/spokes/{spokeId}/activity`, scope readonly.
   */
  listSpokeActivity(
    params: {
      /** The spoke's ID, or the spoke's domain until the spoke is removed */
      spokeId: string;
      /** The maximum number of items in the response */
      limit?: number | undefined;
      /** Returns only entries older than this value. The Link header contains the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor from a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<AuditEvent>;

  /**
   * A spoke's add-ons: the plugins that are not part of Moodle, as the site lists them once an hour
   *
   * `GET /api/spokes/{spokeId}/addons`, scope readonly.
   */
  getSpokeAddons(
    params: {
      /** The spoke's ID, or the spoke's domain until the spoke is removed */
      spokeId: string;
    },
    options?: CallOptions,
  ): Promise<SpokeAddons>;

  /**
   * A spoke's availability per month: whether its login page worked in each minute
   *
   * `GET /api/spokes/{spokeId}/availability`, scope readonly.
   */
  getSpokeAvailability(
    params: {
      /** The spoke's ID, or the spoke's domain until the spoke is removed */
      spokeId: string;
    },
    options?: CallOptions,
  ): Promise<SpokeAvailability>;

  /**
   * A spoke's backups, their schedule and their retention. To restore a backup, create a restore request
   *
   * `GET /api/spokes/{spokeId}/backups`, scope readonly.
   */
  getSpokeBackups(
    params: {
      /** The spoke's ID, or the spoke's domain until the spoke is removed */
      spokeId: string;
      /** Whether the response includes removed hubs or spokes; only for operators */
      includeRemoved?: boolean | undefined;
    },
    options?: CallOptions,
  ): Promise<BackupSummary>;

  /**
   * Make a user an admin of a spoke. A user without a verified account gets an email invitation. The invitation is valid for 7 days. After an hour, repeating the request emails the invitation again
   *
   * `POST /api/spokes/{spokeId}/delegate`, scope cli. Error codes: user_disabled, spoke_state.
   */
  delegateSpoke(
    params: {
      /** The spoke's ID, or the spoke's domain until the spoke is removed */
      spokeId: string;
    },
    body: NewMember,
    options?: IdempotentCallOptions,
  ): Promise<SpokeJoining>;

  /**
   * The spoke's own admins, newest first, including invited users and excluding the hub's admins. Returns all admins unless limit is set
   *
   * `GET /api/spokes/{spokeId}/members`, scope readonly.
   */
  listSpokeMembers(
    params: {
      /** The spoke's ID, or the spoke's domain until the spoke is removed */
      spokeId: string;
      /** The maximum number of items in the response */
      limit?: number | undefined;
      /** Returns only entries older than this value. The Link header contains the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor from a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<Member>;

  /**
   * Remove an admin from a spoke. The admin's access ends immediately. Spoke admins may remove themselves
   *
   * `DELETE /api/spokes/{spokeId}/members/{userId}`, scope cli. Error codes: member_missing.
   */
  deleteSpokeMember(
    params: {
      /** The spoke's ID, or the spoke's domain until the spoke is removed */
      spokeId: string;
      /** The user's ID */
      userId: string;
    },
    options?: CallOptions,
  ): Promise<void>;

  /**
   * Operations on a spoke, newest first
   *
   * `GET /api/spokes/{spokeId}/operations`, scope readonly.
   */
  listSpokeOperations(
    params: {
      /** The spoke's ID, or the spoke's domain until the spoke is removed */
      spokeId: string;
      /** The maximum number of items in the response */
      limit?: number | undefined;
      /** Returns only entries older than this value. The Link header contains the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor from a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<Operation>;

  /**
   * What a spoke has of what its hub shares, and the spoke's own values
   *
   * `GET /api/spokes/{spokeId}/policy`, scope readonly.
   */
  getSpokePolicy(
    params: {
      /** The spoke's ID, or the spoke's domain until the spoke is removed */
      spokeId: string;
    },
    options?: CallOptions,
  ): Promise<SpokePolicy>;

  /**
   * Change a spoke's own values. Only hub admins can exclude the spoke from a section
   *
   * `PATCH /api/spokes/{spokeId}/policy`, scope cli. Error codes: policy_fixed, federation_admin_only, spoke_state.
   */
  updateSpokePolicy(
    params: {
      /** The spoke's ID, or the spoke's domain until the spoke is removed */
      spokeId: string;
    },
    body?: SpokePolicyPatch,
    options?: CallOptions,
  ): Promise<SpokePolicy>;

  /**
   * Restore requests for a spoke, newest first, with their outcomes
   *
   * `GET /api/spokes/{spokeId}/restore-requests`, scope readonly.
   */
  listSpokeRestoreRequests(
    params: {
      /** The spoke's ID, or the spoke's domain until the spoke is removed */
      spokeId: string;
      /** The maximum number of items in the response */
      limit?: number | undefined;
      /** Returns only entries older than this value. The Link header contains the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor from a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<RestoreRequest>;

  /**
   * Request that an operator restore a spoke from a backup
   *
   * `POST /api/spokes/{spokeId}/restore-requests`, scope cli. Error codes: backup_unusable, restore_requested, too_many_pending.
   */
  createSpokeRestoreRequest(
    params: {
      /** The spoke's ID, or the spoke's domain until the spoke is removed */
      spokeId: string;
    },
    body: NewRestoreRequest,
    options?: IdempotentCallOptions,
  ): Promise<RestoreRequest>;

  /**
   * Create a link with which the site's administrator chooses a password and signs in. Only this response contains the link. The link works once and replaces earlier links. The site must be running. The limit is ten links per hour
   *
   * `POST /api/spokes/{spokeId}/sign-in-link`, scope cli. Error codes: spoke_state, link_in_progress, admin_unusable, too_many_links, link_failed, cluster_unavailable.
   */
  createSpokeSignInLink(
    params: {
      /** The spoke's ID, or the spoke's domain until the spoke is removed */
      spokeId: string;
    },
    options?: CallOptions,
  ): Promise<SignInLink>;

  /**
   * A spoke's storage, users and courses, now and in the last days
   *
   * `GET /api/spokes/{spokeId}/usage`, scope readonly.
   */
  getSpokeUsage(
    params: {
      /** The spoke's ID, or the spoke's domain until the spoke is removed */
      spokeId: string;
      /** The number of days of samples, from 1 to 730 (default: 2) */
      days?: number | undefined;
    },
    options?: CallOptions,
  ): Promise<SpokeUsage>;

  /**
   * Users, newest first. The parameter email matches addresses that start with its value
   *
   * `GET /api/users`, scope readonly.
   */
  listUsers(
    params?: {
      /** Returns only users whose email address starts with this text; must be text of 1 to 254 characters without control characters */
      email?: string | undefined;
      /** Returns only users with this role */
      role?: "operator" | "hub_admin" | "spoke_admin" | undefined;
      /** Returns only items in this state; for sign-ins at providers: the secret that the provider repeats */
      state?: "active" | "invited" | "unverified" | "disabled" | undefined;
      /** Returns only items that contain this text in a name, domain or address, ignoring case; must be text of 1 to 100 characters without control characters */
      q?: string | undefined;
      /** The maximum number of items in the response */
      limit?: number | undefined;
      /** Returns only entries older than this value. The Link header contains the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor from a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<UserRecord>;

  /**
   * One user
   *
   * `GET /api/users/{userId}`, scope readonly. Error codes: user_missing.
   */
  getUser(
    params: {
      /** The user's ID */
      userId: string;
    },
    options?: CallOptions,
  ): Promise<UserRecord>;

  /**
   * Rename, disable or enable a user, or change their operator role. Granting this role requires a session. Disabling a user ends their sessions and disables their tokens until the user is enabled again. The last operator cannot be disabled and cannot lose the operator role
   *
   * `PATCH /api/users/{userId}`, scope cli. Error codes: user_missing, last_operator, user_unverified, session_required.
   */
  updateUser(
    params: {
      /** The user's ID */
      userId: string;
    },
    body?: UserPatch,
    options?: CallOptions,
  ): Promise<UserRecord>;

  /**
   * Remove all second factors and recovery codes of a user who lost them. Ends the user's sessions, and emails the user. Does nothing if the user has no second factor
   *
   * `DELETE /api/users/{userId}/factors`, scope session. Error codes: user_missing.
   */
  deleteUserFactors(
    params: {
      /** The user's ID */
      userId: string;
    },
    options?: CallOptions,
  ): Promise<void>;

  /**
   * The identities at providers with which a user signs in, oldest first
   *
   * `GET /api/users/{userId}/identities`, scope readonly. Error codes: user_missing.
   */
  listUserIdentities(
    params: {
      /** The user's ID */
      userId: string;
    },
    options?: CallOptions,
  ): Promise<Identity[]>;

  /**
   * Unlink an identity of a user, and remove the roles that its provider gave. Ends the user's sessions
   *
   * `DELETE /api/users/{userId}/identities/{identityId}`, scope session. Error codes: user_missing, identity_missing, identity_needed.
   */
  deleteUserIdentity(
    params: {
      /** The user's ID */
      userId: string;
      /** The identity's ID */
      identityId: string;
    },
    options?: CallOptions,
  ): Promise<void>;

  /**
   * Set a new password for a user. Only this response contains the password. Ends all sessions of the user, including yours if you reset your own password. Verifies the user's address
   *
   * `POST /api/users/{userId}/reset-password`, scope session. Error codes: user_missing, user_disabled, passwords_off, busy.
   */
  resetUserPassword(
    params: {
      /** The user's ID */
      userId: string;
    },
    options?: CallOptions,
  ): Promise<ResetPassword>;

  /**
   * The version of the API and the build of this server
   *
   * `GET /api/version`, scope public.
   */
  getVersion(
    options?: CallOptions,
  ): Promise<{
    /** The version of the API */
    api: string;
    /** The commit of the running build */
    commit: string;
  }>;

  /**
   * The webhooks of the installation, which get the events of all hubs, newest first. Returns all webhooks unless limit is set
   *
   * `GET /api/webhooks`, scope readonly.
   */
  listWebhooks(
    params?: {
      /** The maximum number of items in the response */
      limit?: number | undefined;
      /** Returns only entries older than this value. The Link header contains the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor from a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<Webhook>;

  /**
   * Send the events of all hubs to a URL, from now on. Messages are signed (Standard Webhooks). Only this response contains the secret
   *
   * `POST /api/webhooks`, scope cli. Error codes: webhook_address, dns_unavailable, too_many_webhooks, secrets_key_missing.
   */
  createWebhook(body: NewWebhook, options?: CallOptions): Promise<IssuedWebhook>;

  /**
   * A webhook, with the result of its last delivery
   *
   * `GET /api/webhooks/{webhookId}`, scope readonly.
   */
  getWebhook(
    params: {
      /** The webhook's ID */
      webhookId: string;
    },
    options?: CallOptions,
  ): Promise<Webhook>;

  /**
   * Change, disable or enable a webhook. An enabled webhook continues after the last delivered event. With from=now, it skips the events that were not delivered
   *
   * `PATCH /api/webhooks/{webhookId}`, scope cli. Error codes: webhook_address, dns_unavailable.
   */
  updateWebhook(
    params: {
      /** The webhook's ID */
      webhookId: string;
      /** Where an enabled webhook continues: after the "last" delivered event, or with the next one from "now" */
      from?: "last" | "now" | undefined;
    },
    body: WebhookPatch,
    options?: CallOptions,
  ): Promise<Webhook>;

  /**
   * Delete a webhook and its deliveries
   *
   * `DELETE /api/webhooks/{webhookId}`, scope cli.
   */
  deleteWebhook(
    params: {
      /** The webhook's ID */
      webhookId: string;
    },
    options?: CallOptions,
  ): Promise<void>;

  /**
   * The attempts to deliver messages, newest first, with the receiver's answers. Kept for 14 days, at most 1,000
   *
   * `GET /api/webhooks/{webhookId}/deliveries`, scope readonly.
   */
  listWebhookDeliveries(
    params: {
      /** The webhook's ID */
      webhookId: string;
      /** The maximum number of items in the response */
      limit?: number | undefined;
      /** Returns only entries older than this value. The Link header contains the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor from a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<WebhookDelivery>;

  /**
   * Send a message again, with the same ID and body
   *
   * `POST /api/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver`, scope cli. Error codes: delivery_missing.
   */
  redeliverWebhookDelivery(
    params: {
      /** The webhook's ID */
      webhookId: string;
      /** The ID of an earlier attempt to deliver the message */
      deliveryId: string;
    },
    options?: CallOptions,
  ): Promise<QueuedMessage>;

  /**
   * Give a webhook a new secret, which only this response contains. For 24 hours, messages are signed with both secrets
   *
   * `POST /api/webhooks/{webhookId}/rotate-secret`, scope cli. Error codes: secrets_key_missing.
   */
  rotateSecretWebhook(
    params: {
      /** The webhook's ID */
      webhookId: string;
    },
    options?: CallOptions,
  ): Promise<IssuedWebhook>;

  /**
   * Send a test message, also to a disabled webhook. The deliveries show the result
   *
   * `POST /api/webhooks/{webhookId}/test`, scope cli.
   */
  testWebhook(
    params: {
      /** The webhook's ID */
      webhookId: string;
    },
    options?: CallOptions,
  ): Promise<QueuedMessage>;
}

export const ENDPOINTS: EndpointDescriptions<keyof WheelwrightApi> = {
  listAuditEvents: { method: "GET", path: "/api/audit", params: true, pages: true },
  acceptInvite: { method: "POST", path: "/api/auth/accept-invite", body: true },
  confirm: { method: "POST", path: "/api/auth/confirm", body: true },
  createDeviceSignIn: { method: "POST", path: "/api/auth/device-sign-ins", body: true },
  decideDeviceSignIns: { method: "POST", path: "/api/auth/device-sign-ins/decide", body: true },
  findDeviceSignIns: { method: "POST", path: "/api/auth/device-sign-ins/find", body: true },
  redeemDeviceSignIns: { method: "POST", path: "/api/auth/device-sign-ins/redeem", body: true },
  listFactors: { method: "GET", path: "/api/auth/factors" },
  createFactor: { method: "POST", path: "/api/auth/factors", body: true },
  updateFactor: { method: "PATCH", path: "/api/auth/factors/{factorId}", params: true, body: true },
  deleteFactor: { method: "DELETE", path: "/api/auth/factors/{factorId}", params: true, empty: true },
  activateFactor: { method: "POST", path: "/api/auth/factors/{factorId}/activate", params: true, body: true },
  forgotPassword: { method: "POST", path: "/api/auth/forgot-password", body: true },
  listIdentities: { method: "GET", path: "/api/auth/identities" },
  deleteIdentity: { method: "DELETE", path: "/api/auth/identities/{identityId}", params: true, empty: true },
  login: { method: "POST", path: "/api/auth/login", body: true },
  logout: { method: "POST", path: "/api/auth/logout", empty: true },
  getMe: { method: "GET", path: "/api/auth/me" },
  updateMe: { method: "PATCH", path: "/api/auth/me", body: true },
  passkeyLogin: { method: "POST", path: "/api/auth/passkey-login", body: true },
  createPasskeyOption: { method: "POST", path: "/api/auth/passkey-options", body: true },
  changePassword: { method: "POST", path: "/api/auth/password", body: true },
  listProviders: { method: "GET", path: "/api/auth/providers" },
  createRecoveryCode: { method: "POST", path: "/api/auth/recovery-codes" },
  resetPassword: { method: "POST", path: "/api/auth/reset-password", body: true },
  getSecondFactor: { method: "GET", path: "/api/auth/second-factor" },
  secondFactor: { method: "POST", path: "/api/auth/second-factor", body: true },
  listSessions: { method: "GET", path: "/api/auth/sessions" },
  deleteOtherSessions: { method: "DELETE", path: "/api/auth/sessions/others", empty: true },
  deleteSession: { method: "DELETE", path: "/api/auth/sessions/{sessionId}", params: true, empty: true },
  signup: { method: "POST", path: "/api/auth/signup", body: true },
  createTerminalCode: { method: "POST", path: "/api/auth/terminal-codes", body: true },
  createTerminalToken: { method: "POST", path: "/api/auth/terminal-tokens", body: true },
  listTokens: { method: "GET", path: "/api/auth/tokens", params: true, pages: true },
  createToken: { method: "POST", path: "/api/auth/tokens", body: true },
  deleteToken: { method: "DELETE", path: "/api/auth/tokens/{tokenId}", params: true, empty: true },
  verifyEmail: { method: "POST", path: "/api/auth/verify-email", body: true },
  getCatalog: { method: "GET", path: "/api/catalog" },
  getChangelog: { method: "GET", path: "/api/changelog" },
  getChangelogFeed: { method: "GET", path: "/api/changelog.atom", text: true },
  listFederationRequests: { method: "GET", path: "/api/federation-requests", params: true, pages: true },
  createFederationRequest: { method: "POST", path: "/api/federation-requests", body: true, keyed: true },
  getFederationRequest: { method: "GET", path: "/api/federation-requests/{requestId}", params: true },
  deleteFederationRequest: { method: "DELETE", path: "/api/federation-requests/{requestId}", params: true },
  approveFederationRequest: {
    method: "POST",
    path: "/api/federation-requests/{requestId}/approve",
    params: true,
    body: true,
    keyed: true,
  },
  rejectFederationRequest: {
    method: "POST",
    path: "/api/federation-requests/{requestId}/reject",
    params: true,
    body: true,
    keyed: true,
  },
  listFederations: { method: "GET", path: "/api/federations", params: true, pages: true },
  createFederation: { method: "POST", path: "/api/federations", body: true, keyed: true },
  getFederation: { method: "GET", path: "/api/federations/{federationId}", params: true },
  updateFederation: { method: "PATCH", path: "/api/federations/{federationId}", params: true, body: true },
  deleteFederation: { method: "DELETE", path: "/api/federations/{federationId}", params: true },
  actOnFederation: { method: "POST", path: "/api/federations/{federationId}/actions", params: true, body: true },
  getFederationAvailability: { method: "GET", path: "/api/federations/{federationId}/availability", params: true },
  getFederationBilling: { method: "GET", path: "/api/federations/{federationId}/billing", params: true },
  startFederationBilling: { method: "POST", path: "/api/federations/{federationId}/billing", params: true, body: true },
  reconcileFederationBilling: {
    method: "POST",
    path: "/api/federations/{federationId}/billing/reconcile",
    params: true,
  },
  getFederationCost: { method: "GET", path: "/api/federations/{federationId}/cost", params: true },
  listFederationCourses: { method: "GET", path: "/api/federations/{federationId}/courses", params: true },
  createFederationCourse: {
    method: "POST",
    path: "/api/federations/{federationId}/courses",
    params: true,
    body: true,
    keyed: true,
  },
  deleteFederationCourseVersion: {
    method: "DELETE",
    path: "/api/federations/{federationId}/courses/{courseId}/versions/{version}",
    params: true,
  },
  followFederation: { method: "GET", path: "/api/federations/{federationId}/events", params: true, stream: true },
  getFederationLibrary: { method: "GET", path: "/api/federations/{federationId}/library", params: true },
  listFederationMembers: { method: "GET", path: "/api/federations/{federationId}/members", params: true, pages: true },
  addFederationMember: {
    method: "POST",
    path: "/api/federations/{federationId}/members",
    params: true,
    body: true,
    keyed: true,
  },
  deleteFederationMember: {
    method: "DELETE",
    path: "/api/federations/{federationId}/members/{userId}",
    params: true,
    empty: true,
  },
  listFederationOperations: {
    method: "GET",
    path: "/api/federations/{federationId}/operations",
    params: true,
    pages: true,
  },
  getFederationPolicy: { method: "GET", path: "/api/federations/{federationId}/policy", params: true },
  updateFederationPolicy: { method: "PATCH", path: "/api/federations/{federationId}/policy", params: true, body: true },
  getFederationPolicyHistory: { method: "GET", path: "/api/federations/{federationId}/policy/history", params: true },
  rollbackFederationPolicy: {
    method: "POST",
    path: "/api/federations/{federationId}/policy/rollback",
    params: true,
    body: true,
  },
  checkFederationPolicySignIn: {
    method: "POST",
    path: "/api/federations/{federationId}/policy/sign-in/check",
    params: true,
    body: true,
  },
  listFederationSpokes: { method: "GET", path: "/api/federations/{federationId}/spokes", params: true, pages: true },
  createFederationSpoke: {
    method: "POST",
    path: "/api/federations/{federationId}/spokes",
    params: true,
    body: true,
    keyed: true,
  },
  previewSpokeCost: { method: "GET", path: "/api/federations/{federationId}/spokes/preview-cost", params: true },
  getFederationUsage: { method: "GET", path: "/api/federations/{federationId}/usage", params: true },
  listFederationWebhooks: {
    method: "GET",
    path: "/api/federations/{federationId}/webhooks",
    params: true,
    pages: true,
  },
  createFederationWebhook: {
    method: "POST",
    path: "/api/federations/{federationId}/webhooks",
    params: true,
    body: true,
  },
  getFederationWebhook: { method: "GET", path: "/api/federations/{federationId}/webhooks/{webhookId}", params: true },
  updateFederationWebhook: {
    method: "PATCH",
    path: "/api/federations/{federationId}/webhooks/{webhookId}",
    params: true,
    body: true,
  },
  deleteFederationWebhook: {
    method: "DELETE",
    path: "/api/federations/{federationId}/webhooks/{webhookId}",
    params: true,
    empty: true,
  },
  listFederationWebhookDeliveries: {
    method: "GET",
    path: "/api/federations/{federationId}/webhooks/{webhookId}/deliveries",
    params: true,
    pages: true,
  },
  redeliverFederationWebhookDelivery: {
    method: "POST",
    path: "/api/federations/{federationId}/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver",
    params: true,
  },
  rotateSecretFederationWebhook: {
    method: "POST",
    path: "/api/federations/{federationId}/webhooks/{webhookId}/rotate-secret",
    params: true,
  },
  testFederationWebhook: {
    method: "POST",
    path: "/api/federations/{federationId}/webhooks/{webhookId}/test",
    params: true,
  },
  getHealthz: { method: "GET", path: "/api/healthz" },
  listMySpokes: { method: "GET", path: "/api/my-spokes", params: true, pages: true },
  listNotifications: { method: "GET", path: "/api/notifications", params: true, pages: true },
  readAllNotifications: { method: "POST", path: "/api/notifications/read-all" },
  getNotificationsUnreadCount: { method: "GET", path: "/api/notifications/unread-count" },
  readNotification: { method: "POST", path: "/api/notifications/{notificationId}/read", params: true },
  getOnboarding: { method: "GET", path: "/api/onboarding" },
  completeOnboarding: { method: "POST", path: "/api/onboarding/complete", body: true },
  getOpenApi: { method: "GET", path: "/api/openapi.json" },
  listOperations: { method: "GET", path: "/api/operations", params: true, pages: true },
  getOperation: { method: "GET", path: "/api/operations/{operationId}", params: true },
  getOverview: { method: "GET", path: "/api/overview", params: true },
  getOverviewHistory: { method: "GET", path: "/api/overview/history", params: true },
  getReadyz: { method: "GET", path: "/api/readyz" },
  listRestoreRequests: { method: "GET", path: "/api/restore-requests", params: true, pages: true },
  decideRestoreRequest: {
    method: "POST",
    path: "/api/restore-requests/{restoreRequestId}/decide",
    params: true,
    body: true,
    keyed: true,
  },
  listRollouts: { method: "GET", path: "/api/rollouts", params: true, pages: true },
  createRollout: { method: "POST", path: "/api/rollouts", params: true, body: true, keyed: true },
  getRollout: { method: "GET", path: "/api/rollouts/{rolloutId}", params: true },
  abortRollout: { method: "POST", path: "/api/rollouts/{rolloutId}/abort", params: true },
  pauseRollout: { method: "POST", path: "/api/rollouts/{rolloutId}/pause", params: true },
  resumeRollout: { method: "POST", path: "/api/rollouts/{rolloutId}/resume", params: true, body: true },
  actOnSpokes: { method: "POST", path: "/api/spokes/actions", params: true, body: true },
  getSpoke: { method: "GET", path: "/api/spokes/{spokeId}", params: true },
  updateSpoke: { method: "PATCH", path: "/api/spokes/{spokeId}", params: true, body: true },
  deleteSpoke: { method: "DELETE", path: "/api/spokes/{spokeId}", params: true },
  actOnSpoke: { method: "POST", path: "/api/spokes/{spokeId}/actions", params: true, body: true },
  listSpokeActivity: { method: "GET", path: "/api/spokes/{spokeId}/activity", params: true, pages: true },
  getSpokeAddons: { method: "GET", path: "/api/spokes/{spokeId}/addons", params: true },
  getSpokeAvailability: { method: "GET", path: "/api/spokes/{spokeId}/availability", params: true },
  getSpokeBackups: { method: "GET", path: "/api/spokes/{spokeId}/backups", params: true },
  delegateSpoke: { method: "POST", path: "/api/spokes/{spokeId}/delegate", params: true, body: true, keyed: true },
  listSpokeMembers: { method: "GET", path: "/api/spokes/{spokeId}/members", params: true, pages: true },
  deleteSpokeMember: { method: "DELETE", path: "/api/spokes/{spokeId}/members/{userId}", params: true, empty: true },
  listSpokeOperations: { method: "GET", path: "/api/spokes/{spokeId}/operations", params: true, pages: true },
  getSpokePolicy: { method: "GET", path: "/api/spokes/{spokeId}/policy", params: true },
  updateSpokePolicy: { method: "PATCH", path: "/api/spokes/{spokeId}/policy", params: true, body: true },
  listSpokeRestoreRequests: {
    method: "GET",
    path: "/api/spokes/{spokeId}/restore-requests",
    params: true,
    pages: true,
  },
  createSpokeRestoreRequest: {
    method: "POST",
    path: "/api/spokes/{spokeId}/restore-requests",
    params: true,
    body: true,
    keyed: true,
  },
  createSpokeSignInLink: { method: "POST", path: "/api/spokes/{spokeId}/sign-in-link", params: true },
  getSpokeUsage: { method: "GET", path: "/api/spokes/{spokeId}/usage", params: true },
  listUsers: { method: "GET", path: "/api/users", params: true, pages: true },
  getUser: { method: "GET", path: "/api/users/{userId}", params: true },
  updateUser: { method: "PATCH", path: "/api/users/{userId}", params: true, body: true },
  deleteUserFactors: { method: "DELETE", path: "/api/users/{userId}/factors", params: true, empty: true },
  listUserIdentities: { method: "GET", path: "/api/users/{userId}/identities", params: true },
  deleteUserIdentity: {
    method: "DELETE",
    path: "/api/users/{userId}/identities/{identityId}",
    params: true,
    empty: true,
  },
  resetUserPassword: { method: "POST", path: "/api/users/{userId}/reset-password", params: true },
  getVersion: { method: "GET", path: "/api/version" },
  listWebhooks: { method: "GET", path: "/api/webhooks", params: true, pages: true },
  createWebhook: { method: "POST", path: "/api/webhooks", body: true },
  getWebhook: { method: "GET", path: "/api/webhooks/{webhookId}", params: true },
  updateWebhook: { method: "PATCH", path: "/api/webhooks/{webhookId}", params: true, body: true },
  deleteWebhook: { method: "DELETE", path: "/api/webhooks/{webhookId}", params: true, empty: true },
  listWebhookDeliveries: { method: "GET", path: "/api/webhooks/{webhookId}/deliveries", params: true, pages: true },
  redeliverWebhookDelivery: {
    method: "POST",
    path: "/api/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver",
    params: true,
  },
  rotateSecretWebhook: { method: "POST", path: "/api/webhooks/{webhookId}/rotate-secret", params: true },
  testWebhook: { method: "POST", path: "/api/webhooks/{webhookId}/test", params: true },
};
