/** Defines the request and response schemas for sign-in, accounts and API tokens. */
import * as v from "valibot";
import { findPasswordProblem, MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from "#lib/drivers/crypto/password-rules.ts";
import { TOKEN_SCOPES } from "#lib/drivers/crypto/token.ts";
import {
  boundedText,
  EmailAddress,
  InputTime,
  NullableTimestamp,
  optionalOrNull,
  Timestamp,
} from "#lib/base/schema.ts";
import { SecondFactorBody, TypedFactorBody } from "#lib/domains/auth/factors/views.ts";
import { UserView } from "#lib/domains/users/views.ts";

const PASSWORD = "must be a password of at most 4096 characters";

/** A password entered to sign in. It need not meet the current rules for new passwords, because it may be old. */
const CurrentPassword = v.pipe(
  v.string(PASSWORD),
  v.minLength(1, PASSWORD),
  v.maxLength(4096, PASSWORD),
  v.check((value) => value.isWellFormed() && !value.includes("\0"), PASSWORD),
);

export const LoginBody = v.object({ email: EmailAddress, password: CurrentPassword, ...TypedFactorBody.entries });

export const NewPassword = v.pipe(
  v.string(`must be a password of ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`),
  v.check((value) => findPasswordProblem(value) === null, ({ input }) => findPasswordProblem(String(input)) ?? ""),
);

/** The value of `?token=` in an emailed link. A malformed token gets the same response as a used token. */
const LinkToken = boundedText(1, 200);
export const DisplayName = boundedText(1, 200);

export const ForgotPasswordBody = v.object({ email: EmailAddress });
export const ResetPasswordBody = v.object({
  token: LinkToken,
  password: NewPassword,
  keepTokens: optionalOrNull(v.boolean()),
});
export const AcceptInvitationBody = v.object({
  token: LinkToken,
  password: NewPassword,
  displayName: optionalOrNull(DisplayName),
});
export const SignupBody = v.object({
  email: EmailAddress,
  password: NewPassword,
  displayName: optionalOrNull(DisplayName),
});
export const VerifyEmailBody = v.object({ token: LinkToken, password: optionalOrNull(NewPassword) });

export const Acknowledgement = v.object({ message: v.string() });

export const LoginView = v.object({ user: UserView, message: v.optional(v.string()) });

export const ChangePasswordBody = v.object({ current: CurrentPassword, password: NewPassword });

export const ConfirmBody = v.object({ password: optionalOrNull(CurrentPassword), ...SecondFactorBody.entries });

export const ConfirmationView = v.object({ recentUntil: Timestamp });

export const OwnAccountPatch = v.object({ displayName: optionalOrNull(DisplayName) });

export const SessionView = v.object({
  id: v.string(),
  createdAt: Timestamp,
  lastUsedAt: Timestamp,
  expiresAt: Timestamp,
  ip: v.string(),
  userAgent: v.string(),
  current: v.boolean(),
  /** The ID of the provider at which the session began. Null if it began with a password or a link. */
  provider: v.nullable(v.string()),
});

export const OwnAccountView = v.object({ user: UserView });

const MAX_TOKEN_HUBS = 100;
const HUBS_RULE = `must list 1 to ${MAX_TOKEN_HUBS} different hubs`;
const TokenHubs = v.pipe(
  v.array(boundedText(1, 100), HUBS_RULE),
  v.minLength(1, HUBS_RULE),
  v.maxLength(MAX_TOKEN_HUBS, HUBS_RULE),
  v.check((names) => new Set(names).size === names.length, HUBS_RULE),
);

export const NewTokenBody = v.object({
  name: boundedText(1, 100),
  scope: v.picklist(TOKEN_SCOPES, `must be one of ${TOKEN_SCOPES.join(", ")}`),
  expiresAt: optionalOrNull(InputTime),
  /** The IDs or slugs of the hubs to which the token is limited. */
  federationIds: optionalOrNull(TokenHubs),
});

const tokenFields = {
  id: v.string(),
  name: v.string(),
  scope: v.picklist(TOKEN_SCOPES),
  prefix: v.string(),
  federationIds: v.nullable(v.array(v.string())),
  createdAt: Timestamp,
  expiresAt: NullableTimestamp,
};

/** An API token as shown in lists. The token's plaintext is not stored and never shown again. */
export const TokenView = v.object({
  ...tokenFields,
  lastUsedAt: NullableTimestamp,
  lastUsedIp: v.nullable(v.string()),
  lastUsedAgent: v.nullable(v.string()),
});

/** A newly created API token with its plaintext, which is shown only once. */
export const NewTokenView = v.object({ ...tokenFields, token: v.string() });

export const SignInProviderView = v.object({ id: v.string(), label: v.string() });

/** The parameters with which a provider redirects the browser. Others, such as the code, have the provider's format. */
export const ProviderAnswer = v.looseObject({
  state: boundedText(1, 200),
  iss: v.optional(boundedText(1, 500)),
  error: v.optional(boundedText(1, 200)),
});

/** An identity at a provider with which a user signs in. `email` is the address that the provider last reported. */
export const IdentityView = v.object({
  id: v.string(),
  provider: v.string(),
  issuer: v.string(),
  subject: v.string(),
  email: v.nullable(v.string()),
  createdAt: Timestamp,
  lastUsedAt: Timestamp,
});
