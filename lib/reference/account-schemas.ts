/** Gives names to the API schemas of users, their sign-in, memberships and notifications. */
import type * as v from "valibot";
import * as auth from "#lib/domains/auth/views.ts";
import * as factors from "#lib/domains/auth/factors/views.ts";
import * as terminal from "#lib/domains/auth/terminal-views.ts";
import * as passkeys from "#lib/domains/auth/factors/passkey-views.ts";
import * as members from "#lib/domains/members/views.ts";
import * as notifications from "#lib/domains/notifications/views.ts";
import * as onboarding from "#lib/domains/onboarding/views.ts";
import * as users from "#lib/domains/users/views.ts";

export type Schemas = Readonly<Record<string, v.GenericSchema>>;

export const ACCOUNT_OUTPUT_SCHEMAS: Schemas = {
  ActivatedFactor: factors.ActivatedFactorView,
  Factor: factors.FactorView,
  PasskeyOptions: passkeys.PasskeyOptionsView,
  StartedFactor: factors.NewFactorView,
  PendingSignIn: factors.PendingSignInView,
  RecoveryCodes: factors.RecoveryCodesView,
  SecondFactors: factors.SecondFactorsView,
  Acknowledgement: auth.Acknowledgement,
  ApprovedDevice: terminal.DeviceDecisionView,
  Confirmation: auth.ConfirmationView,
  DeviceSignIn: terminal.DeviceSignInView,
  Identity: auth.IdentityView,
  HubJoining: members.HubInvitationView,
  LoggedIn: auth.LoginView,
  Marked: notifications.MarkedNotificationCount,
  Me: auth.OwnAccountView,
  Member: members.MemberView,
  MintedToken: auth.NewTokenView,
  Notification: notifications.NotificationView,
  Onboarding: onboarding.OnboardingView,
  OnboardingState: onboarding.OnboardingState,
  PendingDeviceSignIn: terminal.PendingDeviceSignInView,
  ResetPassword: users.NewPasswordView,
  Session: auth.SessionView,
  SignInProvider: auth.SignInProviderView,
  SpokeJoining: members.SpokeInvitationView,
  TerminalCode: terminal.TerminalCodeView,
  Token: auth.TokenView,
  UnreadCount: notifications.UnreadCount,
  User: users.UserView,
  UserRecord: users.UserRecordView,
};

export const ACCOUNT_INPUT_SCHEMAS: Schemas = {
  FactorActivation: factors.FactorActivation,
  FactorPatch: factors.FactorPatch,
  NewFactor: factors.NewFactorBody,
  PasskeyLogin: passkeys.PasskeyLoginBody,
  PasskeyRequest: passkeys.PasskeyOptionsBody,
  SecondFactor: factors.SecondFactorBody,
  AcceptInvite: auth.AcceptInvitationBody,
  Confirm: auth.ConfirmBody,
  DeviceDecision: terminal.DeviceDecisionBody,
  DeviceRedemption: terminal.DeviceTokenBody,
  ForgotPassword: auth.ForgotPasswordBody,
  Login: auth.LoginBody,
  NewDeviceSignIn: terminal.DeviceSignInBody,
  NewMember: members.NewMember,
  NewTerminalCode: terminal.TerminalCodeBody,
  NewToken: auth.NewTokenBody,
  OnboardingAnswers: onboarding.OnboardingBody,
  OwnPatch: auth.OwnAccountPatch,
  PasswordChange: auth.ChangePasswordBody,
  PasswordReset: auth.ResetPasswordBody,
  Signup: auth.SignupBody,
  TerminalRedemption: terminal.TerminalTokenBody,
  UserCode: terminal.UserCodeBody,
  UserPatch: users.UserPatch,
  VerifyEmail: auth.VerifyEmailBody,
};
