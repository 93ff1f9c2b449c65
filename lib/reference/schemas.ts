/**
 * Gives names to API schemas, so that the OpenAPI document lists these schemas under `components`. Other response
 * schemas are written inline. A test checks that every schema of a request body has a name.
 */
import type * as v from "valibot";
import { AuditEventView } from "#lib/audit/views.ts";
import { BackupSummaryView } from "#lib/domains/backups/views.ts";
import * as restores from "#lib/domains/backups/restore-requests/views.ts";
import { BillingAddress, BillingView, CostView } from "#lib/domains/billing/views.ts";
import * as auth from "#lib/domains/auth/views.ts";
import { CatalogView } from "#lib/catalog/view.ts";
import { ChangelogView } from "#lib/domains/changelog/view.ts";
import { StreamData } from "#lib/events/store.ts";
import * as requests from "#lib/domains/federations/requests/views.ts";
import * as federations from "#lib/domains/federations/views.ts";
import { Problem } from "#lib/http/problem.ts";
import { Readiness } from "#lib/http/readiness.ts";
import { OperationDetail, OperationView } from "#lib/jobs/operation.ts";
import * as members from "#lib/domains/members/views.ts";
import * as notifications from "#lib/domains/notifications/views.ts";
import * as onboarding from "#lib/domains/onboarding/views.ts";
import * as rollouts from "#lib/domains/rollouts/views.ts";
import * as spokes from "#lib/domains/spokes/views.ts";
import * as users from "#lib/domains/users/views.ts";

type Schemas = Readonly<Record<string, v.GenericSchema>>;

export const OUTPUT_SCHEMAS: Schemas = {
  Acknowledgement: auth.Acknowledgement,
  ActionPreview: spokes.ActionPreview,
  AuditEvent: AuditEventView,
  BackupSummary: BackupSummaryView,
  Billing: BillingView,
  BulkOutcome: spokes.BulkOutcome,
  Catalog: CatalogView,
  Changelog: ChangelogView,
  Cost: CostView,
  Federation: federations.FederationView,
  FederationRequest: requests.FederationRequestView,
  HubJoining: members.HubInvitationView,
  LoggedIn: auth.LoginView,
  Marked: notifications.MarkedNotificationCount,
  Me: auth.OwnAccountView,
  Member: members.MemberView,
  MintedToken: auth.NewTokenView,
  Notification: notifications.NotificationView,
  Onboarding: onboarding.OnboardingView,
  OnboardingState: onboarding.OnboardingState,
  Operation: OperationView,
  OperationDetail,
  Overview: federations.OverviewView,
  Problem,
  Readiness,
  RestoreRequest: restores.RestoreRequestView,
  ResetPassword: users.NewPasswordView,
  Rollout: rollouts.RolloutView,
  RolloutDetail: rollouts.RolloutDetailView,
  RolloutPreview: rollouts.RolloutPreview,
  Session: auth.SessionView,
  SignInLink: spokes.SignInLinkView,
  Spoke: spokes.SpokeView,
  SpokeJoining: members.SpokeInvitationView,
  SpokePreview: spokes.SpokePreview,
  StreamEvent: StreamData,
  Token: auth.TokenView,
  UnreadCount: notifications.UnreadCount,
  User: users.UserView,
  UserRecord: users.UserRecordView,
};

/** The schemas of request bodies by name. */
export const INPUT_SCHEMAS: Schemas = {
  AcceptInvite: auth.AcceptInvitationBody,
  Approval: requests.HubRequestApproval,
  BillingAddress,
  BulkAction: spokes.BulkAction,
  FederationAction: federations.FederationAction,
  FederationPatch: federations.FederationPatch,
  ForgotPassword: auth.ForgotPasswordBody,
  Login: auth.LoginBody,
  NewFederation: federations.NewFederation,
  NewFederationRequest: requests.NewFederationRequest,
  NewMember: members.NewMember,
  NewRestoreRequest: restores.NewRestoreRequest,
  NewRollout: rollouts.NewRollout,
  NewSpoke: spokes.NewSpoke,
  NewToken: auth.NewTokenBody,
  OnboardingAnswers: onboarding.OnboardingBody,
  OwnPatch: auth.OwnAccountPatch,
  PasswordChange: auth.ChangePasswordBody,
  PasswordReset: auth.ResetPasswordBody,
  Rejection: requests.HubRequestRejection,
  RestoreDecision: restores.RestoreDecision,
  RolloutResumption: rollouts.RolloutResumption,
  Signup: auth.SignupBody,
  SpokeAction: spokes.SpokeAction,
  SpokePatch: spokes.SpokePatch,
  UserPatch: users.UserPatch,
  VerifyEmail: auth.VerifyEmailBody,
};
