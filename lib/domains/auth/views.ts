/** What signing in and making a token take, and what they answer. */
import * as v from "valibot";
import { findPasswordProblem, MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from "#lib/drivers/crypto/password-rules.ts";
import { TOKEN_SCOPES } from "#lib/drivers/crypto/token.ts";
import { Email, InputTime, NullableTimestamp, optionalOrNull, text, Timestamp } from "#lib/base/schema.ts";
import { UserView } from "#lib/domains/users/views.ts";

const PASSWORD = "must be a password of at most 4096 characters";

/** A password as somebody types it to sign in. What a new one must be is no matter here: this one may be older. */
const CurrentPassword = v.pipe(
  v.string(PASSWORD),
  v.minLength(1, PASSWORD),
  v.maxLength(4096, PASSWORD),
  v.check((value) => value.isWellFormed() && !value.includes("\0"), PASSWORD),
);

export const LoginBody = v.object({ email: Email, password: CurrentPassword });

/** A new one: a person who signs in later is asked no such thing. */
export const NewPassword = v.pipe(
  v.string(`must be a password of ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`),
  v.check((value) => findPasswordProblem(value) === null, ({ input }) => findPasswordProblem(String(input)) ?? ""),
);

/** What stands behind `?token=` in a mailed link. One that is no such thing opens nothing, as one that was used does. */
const LinkToken = text(1, 200);
export const DisplayName = text(1, 200);

export const ForgotBody = v.object({ email: Email });
export const ResetBody = v.object({ token: LinkToken, password: NewPassword, keepTokens: optionalOrNull(v.boolean()) });
export const AcceptBody = v.object({
  token: LinkToken,
  password: NewPassword,
  displayName: optionalOrNull(DisplayName),
});
export const SignupBody = v.object({ email: Email, password: NewPassword, displayName: optionalOrNull(DisplayName) });
export const VerifyBody = v.object({ token: LinkToken, password: optionalOrNull(NewPassword) });

/** What happens next, for a person to read. */
export const Acknowledgement = v.object({ message: v.string() });

/** Who has signed in, and what is still to be done. */
export const LoginView = v.object({ user: UserView, message: v.optional(v.string()) });

/** The password that is, and the one that shall be. */
export const PasswordBody = v.object({ current: CurrentPassword, password: NewPassword });

export const MePatch = v.object({ displayName: optionalOrNull(DisplayName) });

/** Where the caller is signed in. */
export const SessionView = v.object({
  id: v.string(),
  createdAt: Timestamp,
  lastUsedAt: Timestamp,
  expiresAt: Timestamp,
  ip: v.string(),
  userAgent: v.string(),
  current: v.boolean(),
});

/** The user that a session or token stands for. */
export const MeView = v.object({ user: UserView });

export const TokenBody = v.object({
  name: text(1, 100),
  scope: v.picklist(TOKEN_SCOPES, `must be one of ${TOKEN_SCOPES.join(", ")}`),
  expiresAt: optionalOrNull(InputTime),
});

const tokenFields = {
  id: v.string(),
  name: v.string(),
  scope: v.picklist(TOKEN_SCOPES),
  prefix: v.string(),
  createdAt: Timestamp,
  expiresAt: NullableTimestamp,
};

/** A token as it is listed: its plaintext is not kept. */
export const TokenView = v.object({ ...tokenFields, lastUsedAt: NullableTimestamp });

/** A token as it is shown once, to its maker. */
export const NewTokenView = v.object({ ...tokenFields, token: v.string() });
