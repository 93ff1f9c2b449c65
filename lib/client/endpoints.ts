/** Written by `npm run generate`; commit it, do not edit it. */
import type { ApiCalls, CallOptions, KeyedOptions } from "./call.ts";
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

/** The release that this client was made for. */
export const CLIENT_VERSION = "0.1.0";

/** A function for each endpoint, by the name that the reference gives it. */
export interface WheelwrightApi {
  /**
   * The audit log, newest first; each filter narrows it
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
        | "tenant_backup_proved"
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
      /** Only what this user did: an id, an e-mail address, "system" or "anonymous"; must be text of 1 to 254 characters without control characters */
      actor?: string | undefined;
      /** Only events about this kind of object */
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
      /** Only what belongs to this hub, by its id or slug; must be text of 1 to 254 characters without control characters */
      federationId?: string | undefined;
      /** How many at most */
      limit?: number | undefined;
      /** Only entries older than this. The Link header gives the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor of a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<AuditEvent>;

  /**
   * Accept an invitation by its link: proves the address, sets the password, and signs in by the cookie
   *
   * `POST /api/auth/accept-invite`, scope flow. Its own codes: link_spent, busy.
   */
  acceptInvite(body: AcceptInvite, options?: CallOptions): Promise<Me>;

  /**
   * Have a link mailed that sets a new password; the answer is the same whether or not there is such a user
   *
   * `POST /api/auth/forgot-password`, scope flow.
   */
  forgotPassword(body: ForgotPassword, options?: CallOptions): Promise<Acknowledgement>;

  /**
   * Sign in with an e-mail address and a password; the session is in the cookie
   *
   * `POST /api/auth/login`, scope flow. Its own codes: login_failed, busy.
   */
  login(body: Login, options?: CallOptions): Promise<LoggedIn>;

  /**
   * End your session; without one there is nothing to do
   *
   * `POST /api/auth/logout`, scope flow.
   */
  logout(options?: CallOptions): Promise<void>;

  /**
   * The user that your token or session stands for
   *
   * `GET /api/auth/me`, scope readonly.
   */
  getMe(options?: CallOptions): Promise<Me>;

  /**
   * Change your display name
   *
   * `PATCH /api/auth/me`, scope session. Its own codes: unverified.
   */
  updateMe(body?: OwnPatch, options?: CallOptions): Promise<Me>;

  /**
   * Change your password; it ends your other sessions, renews this one's cookie, and leaves tokens alone
   *
   * `POST /api/auth/password`, scope session. Its own codes: wrong_password, busy.
   */
  changePassword(body: PasswordChange, options?: CallOptions): Promise<Acknowledgement>;

  /**
   * Set a new password by the link that was mailed; it ends all sessions and, unless keepTokens is true, API tokens
   *
   * `POST /api/auth/reset-password`, scope flow. Its own codes: link_spent, busy.
   */
  resetPassword(body: PasswordReset, options?: CallOptions): Promise<Acknowledgement>;

  /**
   * Your sessions: the one that you ask with, if any, then the others, the last used first; 100 at most
   *
   * `GET /api/auth/sessions`, scope readonly.
   */
  listSessions(options?: CallOptions): Promise<Session[]>;

  /**
   * Sign out everywhere else: all your sessions end but this one, with their event streams
   *
   * `DELETE /api/auth/sessions/others`, scope session.
   */
  deleteOtherSessions(options?: CallOptions): Promise<void>;

  /**
   * End one of your sessions, with its event streams; once more changes nothing
   *
   * `DELETE /api/auth/sessions/{sessionId}`, scope session. Its own codes: session_missing.
   */
  deleteSession(
    params: {
      /** The session's id */
      sessionId: string;
    },
    options?: CallOptions,
  ): Promise<void>;

  /**
   * Sign up, where SIGNUP is on; the answer is the same whether or not there is such a user
   *
   * `POST /api/auth/signup`, scope flow. Its own codes: signup_off, busy.
   */
  signup(body: Signup, options?: CallOptions): Promise<Acknowledgement>;

  /**
   * Your tokens that are not revoked, newest first; complete unless a limit is given
   *
   * `GET /api/auth/tokens`, scope readonly.
   */
  listTokens(
    params?: {
      /** How many at most */
      limit?: number | undefined;
      /** Only entries older than this. The Link header gives the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor of a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<Token>;

  /**
   * Make a token for automation; its plaintext is in this answer and nowhere else
   *
   * `POST /api/auth/tokens`, scope session. Its own codes: expiry_past.
   */
  createToken(body: NewToken, options?: CallOptions): Promise<MintedToken>;

  /**
   * Revoke a token: from this answer on it opens nothing
   *
   * `DELETE /api/auth/tokens/{tokenId}`, scope cli. Its own codes: token_missing.
   */
  deleteToken(
    params: {
      /** The token's id */
      tokenId: string;
    },
    options?: CallOptions,
  ): Promise<void>;

  /**
   * Prove an address by its link; the password given here is the user's from now on, and ends what was before
   *
   * `POST /api/auth/verify-email`, scope flow. Its own codes: link_spent, busy.
   */
  verifyEmail(body: VerifyEmail, options?: CallOptions): Promise<Me>;

  /**
   * What hubs and spokes can be made of; a section named in open takes any text
   *
   * `GET /api/catalog`, scope readonly.
   */
  getCatalog(options?: CallOptions): Promise<Catalog>;

  /**
   * What is announced, and what each release changed; newest first
   *
   * `GET /api/changelog`, scope public. Its own codes: database_unavailable, database_lost, database_busy, database_slow, database_closed.
   */
  getChangelog(options?: CallOptions): Promise<Changelog>;

  /**
   * The changelog as an Atom feed: an entry for each announcement and each release
   *
   * `GET /api/changelog.atom`, scope public. Its own codes: database_unavailable, database_lost, database_busy, database_slow, database_closed.
   */
  getChangelogFeed(options?: CallOptions): Promise<string>;

  /**
   * Requests for hubs, newest first: your own, and for operators all
   *
   * `GET /api/federation-requests`, scope readonly.
   */
  listFederationRequests(
    params?: {
      /** Only those in this state */
      state?: "pending" | "approved" | "rejected" | "withdrawn" | undefined;
      /** How many at most */
      limit?: number | undefined;
      /** Only entries older than this. The Link header gives the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor of a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<FederationRequest>;

  /**
   * Ask for a hub; an operator decides, and you become its admin
   *
   * `POST /api/federation-requests`, scope cli. Its own codes: slug_taken, too_many_pending, unverified, not_offered.
   */
  createFederationRequest(body: NewFederationRequest, options?: KeyedOptions): Promise<FederationRequest>;

  /**
   * One request for a hub, and what became of it
   *
   * `GET /api/federation-requests/{requestId}`, scope readonly.
   */
  getFederationRequest(
    params: {
      /** The request's id */
      requestId: string;
    },
    options?: CallOptions,
  ): Promise<FederationRequest>;

  /**
   * Withdraw a request that nobody has decided yet; again, it stays as it is
   *
   * `DELETE /api/federation-requests/{requestId}`, scope cli. Its own codes: request_decided.
   */
  deleteFederationRequest(
    params: {
      /** The request's id */
      requestId: string;
    },
    options?: CallOptions,
  ): Promise<FederationRequest>;

  /**
   * Make the hub that was asked for, and its asker the admin; the body may say what shall be otherwise
   *
   * `POST /api/federation-requests/{requestId}/approve`, scope cli. Its own codes: request_decided, asker_disabled, slug_taken, not_offered.
   */
  approveFederationRequest(
    params: {
      /** The request's id */
      requestId: string;
    },
    body?: Approval,
    options?: KeyedOptions,
  ): Promise<FederationRequest>;

  /**
   * Reject a request for a hub, with the reason that its asker reads
   *
   * `POST /api/federation-requests/{requestId}/reject`, scope cli. Its own codes: request_decided.
   */
  rejectFederationRequest(
    params: {
      /** The request's id */
      requestId: string;
    },
    body: Rejection,
    options?: KeyedOptions,
  ): Promise<FederationRequest>;

  /**
   * The hubs that you see, newest first; complete unless a limit is given
   *
   * `GET /api/federations`, scope readonly.
   */
  listFederations(
    params?: {
      /** Only those of this slug; must be 1 to 63 lower-case letters, digits or hyphens, neither beginning nor ending with a hyphen */
      slug?: string | undefined;
      /** Only those in this state */
      state?: "provisioning" | "active" | "failed" | "removing" | "removed" | undefined;
      /** Only those in whose names, domain or address this stands, in whatever case; must be text of 1 to 100 characters without control characters */
      q?: string | undefined;
      /** How many at most */
      limit?: number | undefined;
      /** Only entries older than this. The Link header gives the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor of a Link header */
      before?: string | number | Date | undefined;
      /** Whether removed ones are shown too; operators only */
      includeRemoved?: boolean | undefined;
    },
    options?: CallOptions,
  ): PagedList<Federation>;

  /**
   * Create a hub; it is provisioned in the background
   *
   * `POST /api/federations`, scope cli. Its own codes: slug_taken, not_offered.
   */
  createFederation(body: NewFederation, options?: KeyedOptions): Promise<Federation>;

  /**
   * One hub, and what it is busy with
   *
   * `GET /api/federations/{federationId}`, scope readonly.
   */
  getFederation(
    params: {
      /** The hub's id or its slug */
      federationId: string;
      /** Whether removed ones are shown too; operators only */
      includeRemoved?: boolean | undefined;
    },
    options?: CallOptions,
  ): Promise<Federation>;

  /**
   * Change a hub's name, region, mode or tier
   *
   * `PATCH /api/federations/{federationId}`, scope cli. Its own codes: federation_state, slug_fixed, not_offered.
   */
  updateFederation(
    params: {
      /** The hub's id or its slug */
      federationId: string;
    },
    body?: FederationPatch,
    options?: CallOptions,
  ): Promise<Federation>;

  /**
   * Remove a hub in which no spoke lives any more; it is removed when its namespace is gone
   *
   * `DELETE /api/federations/{federationId}`, scope cli. Its own codes: federation_not_empty, federation_state.
   */
  deleteFederation(
    params: {
      /** The hub's id or its slug */
      federationId: string;
      /** Gives up what is being removed, and whose removal has failed, without the cluster's word; operators only */
      abandon?: boolean | undefined;
    },
    options?: CallOptions,
  ): Promise<Federation>;

  /**
   * Try the provisioning of a failed hub again
   *
   * `POST /api/federations/{federationId}/actions`, scope cli. Its own codes: federation_state.
   */
  actOnFederation(
    params: {
      /** The hub's id or its slug */
      federationId: string;
    },
    body: FederationAction,
    options?: CallOptions,
  ): Promise<Federation>;

  /**
   * A hub's subscription as the payment provider last showed it, and the invoice that is to be paid
   *
   * `GET /api/federations/{federationId}/billing`, scope readonly.
   */
  getFederationBilling(
    params: {
      /** The hub's id or its slug */
      federationId: string;
    },
    options?: CallOptions,
  ): Promise<Billing>;

  /**
   * Have a hub's spokes billed, and say where the invoices go; again, they go to another address
   *
   * `POST /api/federations/{federationId}/billing`, scope cli. Its own codes: billing_off.
   */
  startFederationBilling(
    params: {
      /** The hub's id or its slug */
      federationId: string;
    },
    body: BillingAddress,
    options?: CallOptions,
  ): Promise<Billing>;

  /**
   * Tell the payment provider anew what a hub's spokes are, also where its subscription was changed there; one that has ended is followed by another
   *
   * `POST /api/federations/{federationId}/billing/reconcile`, scope cli. Its own codes: billing_off, not_billed.
   */
  reconcileFederationBilling(
    params: {
      /** The hub's id or its slug */
      federationId: string;
    },
    options?: CallOptions,
  ): Promise<Billing>;

  /**
   * Follow a hub's events; with Last-Event-ID or since, from the one after it
   *
   * `GET /api/federations/{federationId}/events`, scope readonly. Its own codes: too_many_streams.
   */
  followFederation(
    params: {
      /** The hub's id or its slug */
      federationId: string;
      /** Number of the last event received: goes on after it; must be the number of an event */
      since?: number | undefined;
    },
    options?: FollowOptions,
  ): AsyncGenerator<StreamEvent, void>;

  /**
   * The hub's admins, newest first, pending ones too; complete unless a limit is given
   *
   * `GET /api/federations/{federationId}/members`, scope readonly.
   */
  listFederationMembers(
    params: {
      /** The hub's id or its slug */
      federationId: string;
      /** How many at most */
      limit?: number | undefined;
      /** Only entries older than this. The Link header gives the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor of a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<Member>;

  /**
   * Make somebody an admin of a hub. Whoever has no account, or never proved the address, is invited by mail, for 7 days; asked again, nothing is done twice, and an invitation is mailed again once an hour has passed
   *
   * `POST /api/federations/{federationId}/members`, scope cli. Its own codes: user_disabled, federation_state.
   */
  addFederationMember(
    params: {
      /** The hub's id or its slug */
      federationId: string;
    },
    body: NewMember,
    options?: KeyedOptions,
  ): Promise<HubJoining>;

  /**
   * Take a hub back from somebody, who loses it with this answer; also oneself
   *
   * `DELETE /api/federations/{federationId}/members/{userId}`, scope cli. Its own codes: member_missing.
   */
  deleteFederationMember(
    params: {
      /** The hub's id or its slug */
      federationId: string;
      /** The user's id */
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
      /** The hub's id or its slug */
      federationId: string;
      /** How many at most */
      limit?: number | undefined;
      /** Only entries older than this. The Link header gives the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor of a Link header */
      before?: string | number | Date | undefined;
      /** Whether removed ones are shown too; operators only */
      includeRemoved?: boolean | undefined;
    },
    options?: CallOptions,
  ): PagedList<Operation>;

  /**
   * A hub's spokes that you see, newest first; complete unless a limit is given
   *
   * `GET /api/federations/{federationId}/spokes`, scope readonly.
   */
  listFederationSpokes(
    params: {
      /** The hub's id or its slug */
      federationId: string;
      /** Only those of this slug; must be 1 to 63 lower-case letters, digits or hyphens, neither beginning nor ending with a hyphen */
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
      /** Only those of this health */
      health?: "healthy" | "degraded" | "unknown" | undefined;
      /** Only those in whose names, domain or address this stands, in whatever case; must be text of 1 to 100 characters without control characters */
      q?: string | undefined;
      /** How many at most */
      limit?: number | undefined;
      /** Only entries older than this. The Link header gives the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor of a Link header */
      before?: string | number | Date | undefined;
      /** Whether removed ones are shown too; operators only */
      includeRemoved?: boolean | undefined;
    },
    options?: CallOptions,
  ): PagedList<Spoke>;

  /**
   * Create a spoke, or a copy of one; it is made in the background, in its hub's turn. dryRun=true shows what it would be
   *
   * `POST /api/federations/{federationId}/spokes`, scope provisioning. Its own codes: slug_taken, domain_taken, domain_unproven, federation_state, federation_mismatch, version_mismatch, not_offered, domain_needed, domain_reserved, domain_invalid, dns_unavailable, spoke_missing, spoke_state, copy_of_needed, copy_version, size_too_small, backup_unusable, another_cluster, blueprint_lacks.
   */
  createFederationSpoke(
    params: {
      /** The hub's id or its slug */
      federationId: string;
      /** Shows what would be done, and does nothing */
      dryRun: true;
    },
    body: NewSpoke,
    options?: KeyedOptions,
  ): Promise<SpokePreview>;
  createFederationSpoke(
    params: {
      /** The hub's id or its slug */
      federationId: string;
      /** Shows what would be done, and does nothing */
      dryRun?: false | undefined;
    },
    body: NewSpoke,
    options?: KeyedOptions,
  ): Promise<Spoke>;

  /**
   * What adding a spoke of a size would cost
   *
   * `GET /api/federations/{federationId}/spokes/preview-cost`, scope readonly. Its own codes: not_offered, billing_unavailable.
   */
  previewSpokeCost(
    params: {
      /** The hub's id or its slug */
      federationId: string;
      /** The size asked about; the usual one when absent; must be text of 1 to 100 characters without control characters */
      size?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<Cost>;

  /**
   * Whether the process is alive; it asks nothing of the database
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
   * All spokes that you see, newest first; complete unless a limit is given
   *
   * `GET /api/my-spokes`, scope readonly.
   */
  listMySpokes(
    params?: {
      /** Only those of this slug; must be 1 to 63 lower-case letters, digits or hyphens, neither beginning nor ending with a hyphen */
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
      /** Only those of this health */
      health?: "healthy" | "degraded" | "unknown" | undefined;
      /** Only those in whose names, domain or address this stands, in whatever case; must be text of 1 to 100 characters without control characters */
      q?: string | undefined;
      /** How many at most */
      limit?: number | undefined;
      /** Only entries older than this. The Link header gives the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor of a Link header */
      before?: string | number | Date | undefined;
      /** Whether removed ones are shown too; operators only */
      includeRemoved?: boolean | undefined;
    },
    options?: CallOptions,
  ): PagedList<Spoke>;

  /**
   * The caller's notifications, newest first
   *
   * `GET /api/notifications`, scope readonly.
   */
  listNotifications(
    params?: {
      /** How many at most */
      limit?: number | undefined;
      /** Only what you have not read */
      unreadOnly?: boolean | undefined;
      /** Only entries older than this. The Link header gives the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor of a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<Notification>;

  /**
   * Mark as read all that the caller is notified of at this moment
   *
   * `POST /api/notifications/read-all`, scope cli.
   */
  readAllNotifications(options?: CallOptions): Promise<Marked>;

  /**
   * How many of the caller's notifications are unread
   *
   * `GET /api/notifications/unread-count`, scope readonly.
   */
  getNotificationsUnreadCount(options?: CallOptions): Promise<UnreadCount>;

  /**
   * Mark a notification as read; once more changes nothing
   *
   * `POST /api/notifications/{notificationId}/read`, scope cli. Its own codes: notification_missing.
   */
  readNotification(
    params: {
      /** The notification's id, which is its audit event's */
      notificationId: string;
    },
    options?: CallOptions,
  ): Promise<Notification>;

  /**
   * When you completed onboarding; nobody is made to
   *
   * `GET /api/onboarding`, scope readonly.
   */
  getOnboarding(options?: CallOptions): Promise<OnboardingState>;

  /**
   * Finish onboarding, once: display name, password, a first request for a hub; it renews the session's cookie
   *
   * `POST /api/onboarding/complete`, scope session. Its own codes: onboarded, session_too_old, slug_taken, too_many_pending, unverified, not_offered, busy.
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
   * One operation: how far it is, what it waits for, and what a failure left behind
   *
   * `GET /api/operations/{operationId}`, scope readonly.
   */
  getOperation(
    params: {
      /** The operation's id */
      operationId: string;
    },
    options?: CallOptions,
  ): Promise<OperationDetail>;

  /**
   * How many spokes are in which state, in all and in each hub, and how long the queue is: of what you see
   *
   * `GET /api/overview`, scope readonly. Its own codes: federation_missing.
   */
  getOverview(
    params?: {
      /** Only what belongs to this hub, by its id or slug; must be text of 1 to 100 characters without control characters */
      federationId?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<Overview>;

  /**
   * Whether the database answers, its schema is this program's, and the scheduler works; 503 while not
   *
   * `GET /api/readyz`, scope public. Its own codes: not_ready.
   */
  getReadyz(options?: CallOptions): Promise<Readiness>;

  /**
   * Requests for restores of all spokes, newest first, each with the command that restores
   *
   * `GET /api/restore-requests`, scope readonly.
   */
  listRestoreRequests(
    params?: {
      /** Only those in this state */
      state?: "open" | "done" | "declined" | undefined;
      /** How many at most */
      limit?: number | undefined;
      /** Only entries older than this. The Link header gives the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor of a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<RestoreRequest>;

  /**
   * Mark a request for a restore as done, or decline it with a reason; a restore of its backup marks it by itself
   *
   * `POST /api/restore-requests/{restoreRequestId}/decide`, scope cli. Its own codes: request_missing, reason_needed, reason_unused, request_decided.
   */
  decideRestoreRequest(
    params: {
      /** The request's id */
      restoreRequestId: string;
    },
    body: RestoreDecision,
    options?: KeyedOptions,
  ): Promise<RestoreRequest>;

  /**
   * Ask many spokes for the same action; ids that you do not see are skipped
   *
   * `POST /api/spokes/actions`, scope cli. Its own codes: parameter_needed, version_mismatch, not_offered, operator_only.
   */
  actOnSpokes(
    params: {
      /** Shows what would be done, and does nothing; is possible for one spoke at a time */
      dryRun?: false | undefined;
    },
    body: BulkAction,
    options?: CallOptions,
  ): Promise<BulkOutcome[]>;

  /**
   * One spoke, and what it is busy with
   *
   * `GET /api/spokes/{spokeId}`, scope readonly.
   */
  getSpoke(
    params: {
      /** The spoke's id, or its domain while it lives */
      spokeId: string;
      /** Whether removed ones are shown too; operators only */
      includeRemoved?: boolean | undefined;
    },
    options?: CallOptions,
  ): Promise<Spoke>;

  /**
   * Change a spoke's name, brand, administrator's address, domain or mail; dryRun=true shows what would change
   *
   * `PATCH /api/spokes/{spokeId}`, scope cli. Its own codes: spoke_state, not_offered, federation_admin_only, domain_taken, domain_unproven, domain_reserved, domain_invalid, dns_unavailable, cluster_unavailable.
   */
  updateSpoke(
    params: {
      /** The spoke's id, or its domain while it lives */
      spokeId: string;
      /** Shows what would be done, and does nothing */
      dryRun: true;
    },
    body?: SpokePatch,
    options?: CallOptions,
  ): Promise<ActionPreview>;
  updateSpoke(
    params: {
      /** The spoke's id, or its domain while it lives */
      spokeId: string;
      /** Shows what would be done, and does nothing */
      dryRun?: false | undefined;
    },
    body?: SpokePatch,
    options?: CallOptions,
  ): Promise<Spoke>;

  /**
   * Remove a spoke with all that belongs to it; asked again, it answers with the same operation
   *
   * `DELETE /api/spokes/{spokeId}`, scope provisioning. Its own codes: operator_only, spoke_state.
   */
  deleteSpoke(
    params: {
      /** The spoke's id, or its domain while it lives */
      spokeId: string;
      /** Gives up what is being removed, and whose removal has failed, without the cluster's word; operators only */
      abandon?: boolean | undefined;
    },
    options?: CallOptions,
  ): Promise<Spoke>;

  /**
   * Ask a spoke to suspend, resume, restart, upgrade, resize, back up … dryRun=true shows what would change
   *
   * `POST /api/spokes/{spokeId}/actions`, scope cli. Its own codes: spoke_state, version_not_newer, version_unchanged, size_unchanged, parameter_needed, version_mismatch, not_offered, operator_only, cluster_unavailable.
   */
  actOnSpoke(
    params: {
      /** The spoke's id, or its domain while it lives */
      spokeId: string;
      /** Shows what would be done, and does nothing */
      dryRun: true;
    },
    body: SpokeAction,
    options?: CallOptions,
  ): Promise<ActionPreview>;
  actOnSpoke(
    params: {
      /** The spoke's id, or its domain while it lives */
      spokeId: string;
      /** Shows what would be done, and does nothing */
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
      /** The spoke's id, or its domain while it lives */
      spokeId: string;
      /** How many at most */
      limit?: number | undefined;
      /** Only entries older than this. The Link header gives the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor of a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<AuditEvent>;

  /**
   * A spoke's backups, when the next one is due, and how long they are kept. Restoring one is a request to support
   *
   * `GET /api/spokes/{spokeId}/backups`, scope readonly.
   */
  getSpokeBackups(
    params: {
      /** The spoke's id, or its domain while it lives */
      spokeId: string;
      /** Whether removed ones are shown too; operators only */
      includeRemoved?: boolean | undefined;
    },
    options?: CallOptions,
  ): Promise<BackupSummary>;

  /**
   * Make somebody an admin of a spoke. Whoever has no account, or never proved the address, is invited by mail, for 7 days; asked again, nothing is done twice, and an invitation is mailed again once an hour has passed
   *
   * `POST /api/spokes/{spokeId}/delegate`, scope cli. Its own codes: user_disabled, spoke_state.
   */
  delegateSpoke(
    params: {
      /** The spoke's id, or its domain while it lives */
      spokeId: string;
    },
    body: NewMember,
    options?: KeyedOptions,
  ): Promise<SpokeJoining>;

  /**
   * The spoke's own admins, newest first, pending ones too; complete unless a limit is given. Those who run its hub are not among them
   *
   * `GET /api/spokes/{spokeId}/members`, scope readonly.
   */
  listSpokeMembers(
    params: {
      /** The spoke's id, or its domain while it lives */
      spokeId: string;
      /** How many at most */
      limit?: number | undefined;
      /** Only entries older than this. The Link header gives the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor of a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<Member>;

  /**
   * Take a spoke back from somebody, who loses it with this answer; its own admins may leave
   *
   * `DELETE /api/spokes/{spokeId}/members/{userId}`, scope cli. Its own codes: member_missing.
   */
  deleteSpokeMember(
    params: {
      /** The spoke's id, or its domain while it lives */
      spokeId: string;
      /** The user's id */
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
      /** The spoke's id, or its domain while it lives */
      spokeId: string;
      /** How many at most */
      limit?: number | undefined;
      /** Only entries older than this. The Link header gives the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor of a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<Operation>;

  /**
   * Requests to restore the spoke, newest first, and what became of them
   *
   * `GET /api/spokes/{spokeId}/restore-requests`, scope readonly.
   */
  listSpokeRestoreRequests(
    params: {
      /** The spoke's id, or its domain while it lives */
      spokeId: string;
      /** How many at most */
      limit?: number | undefined;
      /** Only entries older than this. The Link header gives the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor of a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<RestoreRequest>;

  /**
   * Request that an operator restore the spoke from a backup
   *
   * `POST /api/spokes/{spokeId}/restore-requests`, scope cli. Its own codes: backup_unusable, restore_requested, too_many_pending.
   */
  createSpokeRestoreRequest(
    params: {
      /** The spoke's id, or its domain while it lives */
      spokeId: string;
    },
    body: NewRestoreRequest,
    options?: KeyedOptions,
  ): Promise<RestoreRequest>;

  /**
   * Make a link with which the site's administrator chooses a password and is signed in. It is in this answer and nowhere else, works once, and takes the place of those made before; ask while the site runs, ten times an hour at most
   *
   * `POST /api/spokes/{spokeId}/sign-in-link`, scope cli. Its own codes: spoke_state, link_under_way, admin_unusable, too_many_links, link_failed, cluster_unavailable.
   */
  createSpokeSignInLink(
    params: {
      /** The spoke's id, or its domain while it lives */
      spokeId: string;
    },
    options?: CallOptions,
  ): Promise<SignInLink>;

  /**
   * Users, newest first; email finds an address, or those that begin so
   *
   * `GET /api/users`, scope readonly.
   */
  listUsers(
    params?: {
      /** Only addresses that are this or begin so; must be text of 1 to 254 characters without control characters */
      email?: string | undefined;
      /** Only users of this role */
      role?: "operator" | "hub_admin" | "spoke_admin" | undefined;
      /** Only those in this state */
      state?: "active" | "invited" | "unverified" | "disabled" | undefined;
      /** Only those in whose names, domain or address this stands, in whatever case; must be text of 1 to 100 characters without control characters */
      q?: string | undefined;
      /** How many at most */
      limit?: number | undefined;
      /** Only entries older than this. The Link header gives the value for the next page; must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor of a Link header */
      before?: string | number | Date | undefined;
    },
    options?: CallOptions,
  ): PagedList<UserRecord>;

  /**
   * One user
   *
   * `GET /api/users/{userId}`, scope readonly. Its own codes: user_missing.
   */
  getUser(
    params: {
      /** The user's id */
      userId: string;
    },
    options?: CallOptions,
  ): Promise<UserRecord>;

  /**
   * Rename a user, make an operator of them or not, disable or enable them; whoever becomes an operator by it does so by a session. Disabling ends their sessions for good, and stops their tokens until they are enabled again; there is always an operator left
   *
   * `PATCH /api/users/{userId}`, scope cli. Its own codes: user_missing, last_operator, user_unverified, session_required.
   */
  updateUser(
    params: {
      /** The user's id */
      userId: string;
    },
    body?: UserPatch,
    options?: CallOptions,
  ): Promise<UserRecord>;

  /**
   * Give a user a new password, which is in this answer and nowhere else. All their sessions end, also your own if it is you; an address that was not verified is so from now on, on your word
   *
   * `POST /api/users/{userId}/reset-password`, scope session. Its own codes: user_missing, user_disabled, busy.
   */
  resetUserPassword(
    params: {
      /** The user's id */
      userId: string;
    },
    options?: CallOptions,
  ): Promise<ResetPassword>;

  /**
   * The version of the API and the build that answers
   *
   * `GET /api/version`, scope public.
   */
  getVersion(
    options?: CallOptions,
  ): Promise<{
    /** Version of the API */
    api: string;
    /** The build that answers */
    commit: string;
  }>;
}

export const ENDPOINTS: ApiCalls<keyof WheelwrightApi> = {
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
