/** Checks the public address, the proxies, and whether any user can sign in. Pure. */
import { findPublicUrlProblem } from "#lib/domains/auth/cookie.ts";
import type { Config } from "#lib/base/config.ts";
import { findPasswordProblem } from "#lib/drivers/crypto/password-rules.ts";
import { type Finding, listWords, passing, warning } from "#lib/doctor/finding.ts";

export function checkPublicUrl(publicUrl: URL): Finding {
  const check = "address", problem = findPublicUrlProblem(publicUrl);
  return problem ? warning(check, problem) : passing(check, publicUrl.href);
}

/**
 * Checks the trusted proxies. This program does not terminate TLS. An https address therefore needs a proxy that
 * reports the client's address.
 */
export function checkTrustedProxies(
  { publicUrl, trustedProxies }: Pick<Config, "publicUrl" | "trustedProxies">,
): Finding {
  const check = "proxies";
  if (trustedProxies.length > 0) return passing(check, `${listWords(trustedProxies)} may tell whom they pass on`);
  if (publicUrl.protocol !== "https:") return passing(check, "none before us is named, and none is needed without TLS");
  return warning(
    check,
    "PUBLIC_URL is https, so a proxy ends TLS, and TRUSTED_PROXIES names none: all share one limit of sign-ins",
    "Set TRUSTED_PROXIES to the address from which the proxy comes to us.",
  );
}

/** Checks whether an operator exists or will be created. */
export function checkOperators(operators: boolean, admin: Config["bootstrapAdmin"]): Finding {
  const check = "users";
  if (operators) return passing(check, "there is an operator");
  if (admin) {
    const message = `serve makes the first operator, ${admin.email}, when it starts`;
    const problem = findPasswordProblem(admin.password, admin.email);
    if (!problem) return passing(check, message);
    return warning(
      check,
      `${message}, with the password as it is, but one ${problem}`,
      "Set BOOTSTRAP_ADMIN_PASSWORD anew.",
    );
  }
  return warning(
    check,
    "there is no operator",
    "Set BOOTSTRAP_ADMIN_EMAIL and BOOTSTRAP_ADMIN_PASSWORD; serve makes the first operator when it starts.",
  );
}
