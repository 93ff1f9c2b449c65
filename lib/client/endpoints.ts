/** Written by `npm run generate`; commit it, do not edit it. */
import type { CallOptions, EndpointDescriptions, IdempotentCallOptions } from "./call.ts";
import type { FollowOptions } from "./follow.ts";
import type { PagedList } from "./pages.ts";
import type {
  AcceptInvite,
  Acknowledgement,
  ActionPreview,
  Approval,
  AuditEvent,
  BackupSummary,
  Billing,
  BillingAddress,
  BulkAction,
  BulkOutcome,
  Catalog,
  Changelog,
  Cost,
  Federation,
  FederationAction,
  FederationPatch,
  FederationRequest,
  ForgotPassword,
  HubJoining,
  LoggedIn,
  Login,
  Marked,
  Me,
  Member,
  MintedToken,
  NewFederation,
  NewFederationRequest,
  NewMember,
  NewRestoreRequest,
  NewSpoke,
  NewToken,
  Notification,
  Onboarding,
  OnboardingAnswers,
  OnboardingState,
  Operation,
  OperationDetail,
  Overview,
  OwnPatch,
  PasswordChange,
  PasswordReset,
  Readiness,
  Rejection,
  ResetPassword,
  RestoreDecision,
  RestoreRequest,
  Session,
  SignInLink,
  Signup,
  Spoke,
  SpokeAction,
  SpokeJoining,
  SpokePatch,
  SpokePreview,
  StreamEvent,
  Token,
  UnreadCount,
  UserPatch,
  UserRecord,
  VerifyEmail,
} from "./schemas.ts";

/** The release of this client. */
export const CLIENT_VERSION = "0.1.0";

/** A function for each endpoint, named as in the reference. */
export interface WheelwrightApi {
  /**
   * The audit log, newest first. Filters are combined
   *
   * `GET /api/audit`, scope readonly.
   */
  listAuditEvents(
    params?: {
      /** Only events of this kind */
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
        | "federation_removal_requested"
        | "federation_destroyed"
        | "federation_requested"
        | "federation_request_approved"
        | "federation_request_rejected"
        | "federation_request_withdrawn"
        | "federation_member_added"
        | "federation_member_removed"
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
        | "token_created"
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
        | "auth_login"
        | "auth_login_failed"
        | "auth_logout"
        | "session_ended"
        | "other_sessions_ended"
        | "onboarding_completed"
        | "notifications_read"
        | "database_restored"
        | "database_released"
        | "internal_metric_emit"
        | undefined;
      /** Only events caused by this actor: an ID, an email address, "system" or "anonymous"; must be text of 1 to 254 characters without control characters */
      actor?: string | undefined;
      /** Only events about this type of object */
      objectType?:
        | "spoke"
        | "federation"
        | "federation_request"
        | "user"
        | "token"
        | "session"
        | "operation"
        | "database"
        | undefined;
      /** Only events about this object; must be text of 1 to 254 characters without control characters */
      objectId?: string | undefined;
      /** Only those of this hub, by ID or slug; must be text of 1 to 254 characters without control characters */
      federationId?: string | undefined;
      /** The maximum number of items */
      limit?: number | undefined;
      /** Only entries older than this. The Link header gives the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor of a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<AuditEvent>;

  /**
   * Accept an invitation by its link. Verifies the address, sets the password and returns a session cookie
   *
   * `POST /api/auth/accept-invite`, scope flow. Error codes: link_spent, busy.
   */
  acceptInvite(body: AcceptInvite, options?: CallOptions): Promise<Me>;

  /**
   * Mail a link that sets a new password. The response does not reveal whether the user exists
   *
   * `POST /api/auth/forgot-password`, scope flow.
   */
  forgotPassword(body: ForgotPassword, options?: CallOptions): Promise<Acknowledgement>;

  /**
   * Sign in with an email address and a password. Returns a session cookie
   *
   * `POST /api/auth/login`, scope flow. Error codes: login_failed, busy.
   */
  login(body: Login, options?: CallOptions): Promise<LoggedIn>;

  /**
   * End your session. Without a session, nothing happens
   *
   * `POST /api/auth/logout`, scope flow.
   */
  logout(options?: CallOptions): Promise<void>;

  /**
   * The user of your token or session
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
   * Change your password. Ends your other sessions, renews this session's cookie and keeps your tokens
   *
   * `POST /api/auth/password`, scope session. Error codes: wrong_password, busy.
   */
  changePassword(body: PasswordChange, options?: CallOptions): Promise<Acknowledgement>;

  /**
   * Set a new password with an emailed link. Ends all sessions and revokes API tokens unless keepTokens is true
   *
   * `POST /api/auth/reset-password`, scope flow. Error codes: link_spent, busy.
   */
  resetPassword(body: PasswordReset, options?: CallOptions): Promise<Acknowledgement>;

  /**
   * Your sessions, at most 100: the current one first, then the others by last use
   *
   * `GET /api/auth/sessions`, scope readonly.
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
   * Sign up, if SIGNUP is on. The response does not reveal whether the user exists
   *
   * `POST /api/auth/signup`, scope flow. Error codes: signup_off, busy.
   */
  signup(body: Signup, options?: CallOptions): Promise<Acknowledgement>;

  /**
   * Your tokens that are not revoked, newest first. Complete unless limit is given
   *
   * `GET /api/auth/tokens`, scope readonly.
   */
  listTokens(
    params?: {
      /** The maximum number of items */
      limit?: number | undefined;
      /** Only entries older than this. The Link header gives the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor of a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<Token>;

  /**
   * Create an API token. The response is the only place that contains its plaintext
   *
   * `POST /api/auth/tokens`, scope session. Error codes: expiry_past.
   */
  createToken(body: NewToken, options?: CallOptions): Promise<MintedToken>;

  /**
   * Revoke a token. It stops working with this response
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
   * Verify an address by its link. The password in the request becomes the user's password and ends earlier access
   *
   * `POST /api/auth/verify-email`, scope flow. Error codes: link_spent, busy.
   */
  verifyEmail(body: VerifyEmail, options?: CallOptions): Promise<Me>;

  /**
   * Sizes, versions, regions and other values for hubs and spokes. A section listed in open accepts any text
   *
   * `GET /api/catalog`, scope readonly.
   */
  getCatalog(options?: CallOptions): Promise<Catalog>;

  /**
   * Announcements and the changes of each release, newest first
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
   * Hub requests, newest first: your own, or all for operators
   *
   * `GET /api/federation-requests`, scope readonly.
   */
  listFederationRequests(
    params?: {
      /** Only those in this state */
      state?: "pending" | "approved" | "rejected" | "withdrawn" | undefined;
      /** The maximum number of items */
      limit?: number | undefined;
      /** Only entries older than this. The Link header gives the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor of a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<FederationRequest>;

  /**
   * Request a hub. If an operator approves it, you become its admin
   *
   * `POST /api/federation-requests`, scope cli. Error codes: slug_taken, too_many_pending, unverified, not_offered.
   */
  createFederationRequest(body: NewFederationRequest, options?: IdempotentCallOptions): Promise<FederationRequest>;

  /**
   * One hub request and its outcome
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
   * Withdraw a pending hub request. Repeating the request changes nothing
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
   * Approve a hub request: create the hub and make the requester its admin. The body may override the requested values
   *
   * `POST /api/federation-requests/{requestId}/approve`, scope cli. Error codes: request_decided, asker_disabled, slug_taken, not_offered.
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
   * Reject a hub request. The requester sees the reason
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
   * The hubs that you can see, newest first. Complete unless limit is given
   *
   * `GET /api/federations`, scope readonly.
   */
  listFederations(
    params?: {
      /** Only those with this slug; must be 1 to 63 lower-case letters, digits or hyphens, neither beginning nor ending with a hyphen */
      slug?: string | undefined;
      /** Only those in this state */
      state?: "provisioning" | "active" | "failed" | "removing" | "removed" | undefined;
      /** Only those with this text in a name, domain or address; case does not matter; must be text of 1 to 100 characters without control characters */
      q?: string | undefined;
      /** The maximum number of items */
      limit?: number | undefined;
      /** Only entries older than this. The Link header gives the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor of a Link header */
      before?: string | number | Date | undefined;
      /** Whether to include removed ones; operators only */
      includeRemoved?: boolean | undefined;
    },
    options?: CallOptions,
  ): PagedList<Federation>;

  /**
   * Create a hub. It is provisioned in the background
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
      /** Whether to include removed ones; operators only */
      includeRemoved?: boolean | undefined;
    },
    options?: CallOptions,
  ): Promise<Federation>;

  /**
   * Change a hub's name, region, mode or tier
   *
   * `PATCH /api/federations/{federationId}`, scope cli. Error codes: federation_state, slug_fixed, not_offered.
   */
  updateFederation(
    params: {
      /** The hub's ID or slug */
      federationId: string;
    },
    body?: FederationPatch,
    options?: CallOptions,
  ): Promise<Federation>;

  /**
   * Remove a hub without spokes. It is removed when its namespace is gone
   *
   * `DELETE /api/federations/{federationId}`, scope cli. Error codes: federation_not_empty, federation_state.
   */
  deleteFederation(
    params: {
      /** The hub's ID or slug */
      federationId: string;
      /** Gives up on a failed removal, even if objects are left in the cluster; operators only */
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
   * Send a hub's quantities to the payment provider again, and overwrite changes made there. An ended subscription is replaced
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
   * Follow a hub's events. Resume after a given event with Last-Event-ID or since
   *
   * `GET /api/federations/{federationId}/events`, scope readonly. Error codes: too_many_streams.
   */
  followFederation(
    params: {
      /** The hub's ID or slug */
      federationId: string;
      /** The number of the last received event. The stream continues after it; must be the number of an event */
      since?: number | undefined;
    },
    options?: FollowOptions,
  ): AsyncGenerator<StreamEvent, void>;

  /**
   * The hub's admins, newest first, including pending ones. Complete unless limit is given
   *
   * `GET /api/federations/{federationId}/members`, scope readonly.
   */
  listFederationMembers(
    params: {
      /** The hub's ID or slug */
      federationId: string;
      /** The maximum number of items */
      limit?: number | undefined;
      /** Only entries older than this. The Link header gives the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor of a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<Member>;

  /**
   * Make a user an admin of a hub. A user without a verified account gets an invitation by email, valid for 7 days. Repeating the request emails the invitation again after an hour
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
   * Remove an admin of a hub. Access ends with this response. Admins may remove themselves
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
      /** The maximum number of items */
      limit?: number | undefined;
      /** Only entries older than this. The Link header gives the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor of a Link header */
      before?: string | number | Date | undefined;
      /** Whether to include removed ones; operators only */
      includeRemoved?: boolean | undefined;
    },
    options?: CallOptions,
  ): PagedList<Operation>;

  /**
   * The spokes of a hub that you can see, newest first. Complete unless limit is given
   *
   * `GET /api/federations/{federationId}/spokes`, scope readonly.
   */
  listFederationSpokes(
    params: {
      /** The hub's ID or slug */
      federationId: string;
      /** Only those with this slug; must be 1 to 63 lower-case letters, digits or hyphens, neither beginning nor ending with a hyphen */
      slug?: string | undefined;
      /** Only those in this state */
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
      /** Only those with this health */
      health?: "healthy" | "degraded" | "unknown" | undefined;
      /** Only those with this text in a name, domain or address; case does not matter; must be text of 1 to 100 characters without control characters */
      q?: string | undefined;
      /** The maximum number of items */
      limit?: number | undefined;
      /** Only entries older than this. The Link header gives the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor of a Link header */
      before?: string | number | Date | undefined;
      /** Whether to include removed ones; operators only */
      includeRemoved?: boolean | undefined;
    },
    options?: CallOptions,
  ): PagedList<Spoke>;

  /**
   * Create a spoke, or a copy of one. It is installed in the background, after earlier jobs of the hub. dryRun=true returns a preview
   *
   * `POST /api/federations/{federationId}/spokes`, scope provisioning. Error codes: slug_taken, domain_taken, domain_unproven, federation_state, federation_mismatch, version_mismatch, not_offered, domain_needed, domain_reserved, domain_invalid, dns_unavailable, spoke_missing, spoke_state, copy_of_needed, copy_version, size_too_small, backup_unusable, another_cluster, blueprint_lacks.
   */
  createFederationSpoke(
    params: {
      /** The hub's ID or slug */
      federationId: string;
      /** Shows what would be done without doing it */
      dryRun: true;
    },
    body: NewSpoke,
    options?: IdempotentCallOptions,
  ): Promise<SpokePreview>;
  createFederationSpoke(
    params: {
      /** The hub's ID or slug */
      federationId: string;
      /** Shows what would be done without doing it */
      dryRun?: false | undefined;
    },
    body: NewSpoke,
    options?: IdempotentCallOptions,
  ): Promise<Spoke>;

  /**
   * What adding a spoke of a size would cost
   *
   * `GET /api/federations/{federationId}/spokes/preview-cost`, scope readonly. Error codes: not_offered, billing_unavailable.
   */
  previewSpokeCost(
    params: {
      /** The hub's ID or slug */
      federationId: string;
      /** The size; the default size if absent; must be text of 1 to 100 characters without control characters */
      size?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<Cost>;

  /**
   * Whether the process is alive. Does not query the database
   *
   * `GET /api/healthz`, scope public.
   */
  getHealthz(
    options?: CallOptions,
  ): Promise<{
    /** ok while the process is alive */
    status: "ok";
  }>;

  /**
   * All spokes that you can see, newest first. Complete unless limit is given
   *
   * `GET /api/my-spokes`, scope readonly.
   */
  listMySpokes(
    params?: {
      /** Only those with this slug; must be 1 to 63 lower-case letters, digits or hyphens, neither beginning nor ending with a hyphen */
      slug?: string | undefined;
      /** Only those in this state */
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
      /** Only those with this health */
      health?: "healthy" | "degraded" | "unknown" | undefined;
      /** Only those with this text in a name, domain or address; case does not matter; must be text of 1 to 100 characters without control characters */
      q?: string | undefined;
      /** The maximum number of items */
      limit?: number | undefined;
      /** Only entries older than this. The Link header gives the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor of a Link header */
      before?: string | number | Date | undefined;
      /** Whether to include removed ones; operators only */
      includeRemoved?: boolean | undefined;
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
      /** The maximum number of items */
      limit?: number | undefined;
      /** Only unread notifications */
      unreadOnly?: boolean | undefined;
      /** Only entries older than this. The Link header gives the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor of a Link header */
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
      /** The notification's ID, which is its audit event's ID */
      notificationId: string;
    },
    options?: CallOptions,
  ): Promise<Notification>;

  /**
   * When you completed onboarding. Onboarding is optional
   *
   * `GET /api/onboarding`, scope readonly.
   */
  getOnboarding(options?: CallOptions): Promise<OnboardingState>;

  /**
   * Complete onboarding, once: display name, password and a first hub request. Renews the session's cookie
   *
   * `POST /api/onboarding/complete`, scope session. Error codes: onboarded, session_too_old, slug_taken, too_many_pending, unverified, not_offered, busy.
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
    /** Version of OpenAPI */
    openapi: "3.1.0";
  }>;

  /**
   * One operation: its progress, what it waits for and why it failed
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
   * The spokes that you can see, counted by state, in total and per hub, and the length of the queue
   *
   * `GET /api/overview`, scope readonly. Error codes: federation_missing.
   */
  getOverview(
    params?: {
      /** Only those of this hub, by ID or slug; must be text of 1 to 100 characters without control characters */
      federationId?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<Overview>;

  /**
   * Whether the database answers, its schema matches this release and the scheduler runs. Otherwise 503
   *
   * `GET /api/readyz`, scope public. Error codes: not_ready.
   */
  getReadyz(options?: CallOptions): Promise<Readiness>;

  /**
   * Restore requests of all spokes, newest first, each with the command that restores
   *
   * `GET /api/restore-requests`, scope readonly.
   */
  listRestoreRequests(
    params?: {
      /** Only those in this state */
      state?: "open" | "done" | "declined" | undefined;
      /** The maximum number of items */
      limit?: number | undefined;
      /** Only entries older than this. The Link header gives the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor of a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<RestoreRequest>;

  /**
   * Mark a restore request as done, or decline it with a reason. Restoring its backup marks it automatically
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
   * Request the same action for many spokes. IDs that you cannot see are skipped
   *
   * `POST /api/spokes/actions`, scope cli. Error codes: parameter_needed, version_mismatch, not_offered, operator_only.
   */
  actOnSpokes(
    params: {
      /** Shows what would be done without doing it; is possible for one spoke at a time */
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
      /** The spoke's ID, or its domain until it is removed */
      spokeId: string;
      /** Whether to include removed ones; operators only */
      includeRemoved?: boolean | undefined;
    },
    options?: CallOptions,
  ): Promise<Spoke>;

  /**
   * Change a spoke's name, brand, administrator's address, domain or mail. dryRun=true returns a preview
   *
   * `PATCH /api/spokes/{spokeId}`, scope cli. Error codes: spoke_state, not_offered, federation_admin_only, domain_taken, domain_unproven, domain_reserved, domain_invalid, dns_unavailable, cluster_unavailable.
   */
  updateSpoke(
    params: {
      /** The spoke's ID, or its domain until it is removed */
      spokeId: string;
      /** Shows what would be done without doing it */
      dryRun: true;
    },
    body?: SpokePatch,
    options?: CallOptions,
  ): Promise<ActionPreview>;
  updateSpoke(
    params: {
      /** The spoke's ID, or its domain until it is removed */
      spokeId: string;
      /** Shows what would be done without doing it */
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
      /** The spoke's ID, or its domain until it is removed */
      spokeId: string;
      /** Gives up on a failed removal, even if objects are left in the cluster; operators only */
      abandon?: boolean | undefined;
    },
    options?: CallOptions,
  ): Promise<Spoke>;

  /**
   * Request an action: suspend, resume, restart, upgrade, resize, back up and so on. dryRun=true returns a preview
   *
   * `POST /api/spokes/{spokeId}/actions`, scope cli. Error codes: spoke_state, version_not_newer, version_unchanged, size_unchanged, parameter_needed, version_mismatch, not_offered, operator_only, cluster_unavailable.
   */
  actOnSpoke(
    params: {
      /** The spoke's ID, or its domain until it is removed */
      spokeId: string;
      /** Shows what would be done without doing it */
      dryRun: true;
    },
    body: SpokeAction,
    options?: CallOptions,
  ): Promise<ActionPreview>;
  actOnSpoke(
    params: {
      /** The spoke's ID, or its domain until it is removed */
      spokeId: string;
      /** Shows what would be done without doing it */
      dryRun?: false | undefined;
    },
    body: SpokeAction,
    options?: CallOptions,
  ): Promise<Spoke>;

  /**
   * The audit events of a spoke, newest first
   *
   * `GET /api/spokes/{spokeId}/activity`, scope readonly.
   */
  listSpokeActivity(
    params: {
      /** The spoke's ID, or its domain until it is removed */
      spokeId: string;
      /** The maximum number of items */
      limit?: number | undefined;
      /** Only entries older than this. The Link header gives the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor of a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<AuditEvent>;

  /**
   * A spoke's backups, their schedule and their retention. To restore one, create a restore request
   *
   * `GET /api/spokes/{spokeId}/backups`, scope readonly.
   */
  getSpokeBackups(
    params: {
      /** The spoke's ID, or its domain until it is removed */
      spokeId: string;
      /** Whether to include removed ones; operators only */
      includeRemoved?: boolean | undefined;
    },
    options?: CallOptions,
  ): Promise<BackupSummary>;

  /**
   * Make a user an admin of a spoke. A user without a verified account gets an invitation by email, valid for 7 days. Repeating the request emails the invitation again after an hour
   *
   * `POST /api/spokes/{spokeId}/delegate`, scope cli. Error codes: user_disabled, spoke_state.
   */
  delegateSpoke(
    params: {
      /** The spoke's ID, or its domain until it is removed */
      spokeId: string;
    },
    body: NewMember,
    options?: IdempotentCallOptions,
  ): Promise<SpokeJoining>;

  /**
   * The spoke's own admins, newest first, including pending ones, without the hub's admins. Complete unless limit is given
   *
   * `GET /api/spokes/{spokeId}/members`, scope readonly.
   */
  listSpokeMembers(
    params: {
      /** The spoke's ID, or its domain until it is removed */
      spokeId: string;
      /** The maximum number of items */
      limit?: number | undefined;
      /** Only entries older than this. The Link header gives the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor of a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<Member>;

  /**
   * Remove an admin of a spoke. Access ends with this response. Spoke admins may remove themselves
   *
   * `DELETE /api/spokes/{spokeId}/members/{userId}`, scope cli. Error codes: member_missing.
   */
  deleteSpokeMember(
    params: {
      /** The spoke's ID, or its domain until it is removed */
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
      /** The spoke's ID, or its domain until it is removed */
      spokeId: string;
      /** The maximum number of items */
      limit?: number | undefined;
      /** Only entries older than this. The Link header gives the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor of a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<Operation>;

  /**
   * Restore requests of the spoke, newest first, with their outcome
   *
   * `GET /api/spokes/{spokeId}/restore-requests`, scope readonly.
   */
  listSpokeRestoreRequests(
    params: {
      /** The spoke's ID, or its domain until it is removed */
      spokeId: string;
      /** The maximum number of items */
      limit?: number | undefined;
      /** Only entries older than this. The Link header gives the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor of a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<RestoreRequest>;

  /**
   * Request that an operator restore the spoke from a backup
   *
   * `POST /api/spokes/{spokeId}/restore-requests`, scope cli. Error codes: backup_unusable, restore_requested, too_many_pending.
   */
  createSpokeRestoreRequest(
    params: {
      /** The spoke's ID, or its domain until it is removed */
      spokeId: string;
    },
    body: NewRestoreRequest,
    options?: IdempotentCallOptions,
  ): Promise<RestoreRequest>;

  /**
   * Create a link for the site's administrator to choose a password and sign in. The response is the only place that contains it. The link works once and replaces earlier links. The site must be running. At most ten links per hour
   *
   * `POST /api/spokes/{spokeId}/sign-in-link`, scope cli. Error codes: spoke_state, link_under_way, admin_unusable, too_many_links, link_failed, cluster_unavailable.
   */
  createSpokeSignInLink(
    params: {
      /** The spoke's ID, or its domain until it is removed */
      spokeId: string;
    },
    options?: CallOptions,
  ): Promise<SignInLink>;

  /**
   * Users, newest first. email matches an address or its beginning
   *
   * `GET /api/users`, scope readonly.
   */
  listUsers(
    params?: {
      /** Only addresses that start with this text; must be text of 1 to 254 characters without control characters */
      email?: string | undefined;
      /** Only users with this role */
      role?: "operator" | "hub_admin" | "spoke_admin" | undefined;
      /** Only those in this state */
      state?: "active" | "invited" | "unverified" | "disabled" | undefined;
      /** Only those with this text in a name, domain or address; case does not matter; must be text of 1 to 100 characters without control characters */
      q?: string | undefined;
      /** The maximum number of items */
      limit?: number | undefined;
      /** Only entries older than this. The Link header gives the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor of a Link header */
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
   * Rename, disable or enable a user, or change their operator role. Granting the role requires a session. Disabling ends their sessions and disables their tokens until the account is enabled again. The last operator cannot be removed
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
   * Set a new password for a user. The response is the only place that contains it. All sessions of the user end, also your own if it is you. An unverified address becomes verified
   *
   * `POST /api/users/{userId}/reset-password`, scope session. Error codes: user_missing, user_disabled, busy.
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
    /** Version of the API */
    api: string;
    /** The commit of the running build */
    commit: string;
  }>;
}

export const ENDPOINTS: EndpointDescriptions<keyof WheelwrightApi> = {
  listAuditEvents: { method: "GET", path: "/api/audit", params: true, pages: true },
  acceptInvite: { method: "POST", path: "/api/auth/accept-invite", body: true },
  forgotPassword: { method: "POST", path: "/api/auth/forgot-password", body: true },
  login: { method: "POST", path: "/api/auth/login", body: true },
  logout: { method: "POST", path: "/api/auth/logout", empty: true },
  getMe: { method: "GET", path: "/api/auth/me" },
  updateMe: { method: "PATCH", path: "/api/auth/me", body: true },
  changePassword: { method: "POST", path: "/api/auth/password", body: true },
  resetPassword: { method: "POST", path: "/api/auth/reset-password", body: true },
  listSessions: { method: "GET", path: "/api/auth/sessions" },
  deleteOtherSessions: { method: "DELETE", path: "/api/auth/sessions/others", empty: true },
  deleteSession: { method: "DELETE", path: "/api/auth/sessions/{sessionId}", params: true, empty: true },
  signup: { method: "POST", path: "/api/auth/signup", body: true },
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
  getFederationBilling: { method: "GET", path: "/api/federations/{federationId}/billing", params: true },
  startFederationBilling: { method: "POST", path: "/api/federations/{federationId}/billing", params: true, body: true },
  reconcileFederationBilling: {
    method: "POST",
    path: "/api/federations/{federationId}/billing/reconcile",
    params: true,
  },
  followFederation: { method: "GET", path: "/api/federations/{federationId}/events", params: true, stream: true },
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
  listFederationSpokes: { method: "GET", path: "/api/federations/{federationId}/spokes", params: true, pages: true },
  createFederationSpoke: {
    method: "POST",
    path: "/api/federations/{federationId}/spokes",
    params: true,
    body: true,
    keyed: true,
  },
  previewSpokeCost: { method: "GET", path: "/api/federations/{federationId}/spokes/preview-cost", params: true },
  getHealthz: { method: "GET", path: "/api/healthz" },
  listMySpokes: { method: "GET", path: "/api/my-spokes", params: true, pages: true },
  listNotifications: { method: "GET", path: "/api/notifications", params: true, pages: true },
  readAllNotifications: { method: "POST", path: "/api/notifications/read-all" },
  getNotificationsUnreadCount: { method: "GET", path: "/api/notifications/unread-count" },
  readNotification: { method: "POST", path: "/api/notifications/{notificationId}/read", params: true },
  getOnboarding: { method: "GET", path: "/api/onboarding" },
  completeOnboarding: { method: "POST", path: "/api/onboarding/complete", body: true },
  getOpenApi: { method: "GET", path: "/api/openapi.json" },
  getOperation: { method: "GET", path: "/api/operations/{operationId}", params: true },
  getOverview: { method: "GET", path: "/api/overview", params: true },
  getReadyz: { method: "GET", path: "/api/readyz" },
  listRestoreRequests: { method: "GET", path: "/api/restore-requests", params: true, pages: true },
  decideRestoreRequest: {
    method: "POST",
    path: "/api/restore-requests/{restoreRequestId}/decide",
    params: true,
    body: true,
    keyed: true,
  },
  actOnSpokes: { method: "POST", path: "/api/spokes/actions", params: true, body: true },
  getSpoke: { method: "GET", path: "/api/spokes/{spokeId}", params: true },
  updateSpoke: { method: "PATCH", path: "/api/spokes/{spokeId}", params: true, body: true },
  deleteSpoke: { method: "DELETE", path: "/api/spokes/{spokeId}", params: true },
  actOnSpoke: { method: "POST", path: "/api/spokes/{spokeId}/actions", params: true, body: true },
  listSpokeActivity: { method: "GET", path: "/api/spokes/{spokeId}/activity", params: true, pages: true },
  getSpokeBackups: { method: "GET", path: "/api/spokes/{spokeId}/backups", params: true },
  delegateSpoke: { method: "POST", path: "/api/spokes/{spokeId}/delegate", params: true, body: true, keyed: true },
  listSpokeMembers: { method: "GET", path: "/api/spokes/{spokeId}/members", params: true, pages: true },
  deleteSpokeMember: { method: "DELETE", path: "/api/spokes/{spokeId}/members/{userId}", params: true, empty: true },
  listSpokeOperations: { method: "GET", path: "/api/spokes/{spokeId}/operations", params: true, pages: true },
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
  listUsers: { method: "GET", path: "/api/users", params: true, pages: true },
  getUser: { method: "GET", path: "/api/users/{userId}", params: true },
  updateUser: { method: "PATCH", path: "/api/users/{userId}", params: true, body: true },
  resetUserPassword: { method: "POST", path: "/api/users/{userId}/reset-password", params: true },
  getVersion: { method: "GET", path: "/api/version" },
};
