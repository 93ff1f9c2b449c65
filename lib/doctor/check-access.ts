/** Checks the public address, the trusted proxies, and whether any user can sign in. Contains only pure functions. */
import { findPublicUrlProblem } from "#lib/domains/auth/cookie.ts";
import type { Config } from "#lib/base/config.ts";
import { findPasswordProblem } from "#lib/drivers/crypto/password-rules.ts";
import { formatList } from "#lib/base/text.ts";
import { createPass, createWarning, type Finding } from "#lib/doctor/finding.ts";

export function checkPublicUrl(publicUrl: URL): Finding {
  const check = "address", problem = findPublicUrlProblem(publicUrl);
  return problem ? createWarning(check, problem) : createPass(check, publicUrl.href);
}

/**
 * Checks TRUSTED_PROXIES. An https address requires a proxy that forwards the client's address, because Wheelwright
 * does not terminate TLS itself.
 */
export function checkTrustedProxies(
  { publicUrl, trustedProxies }: Pick<Config, "publicUrl" | "trustedProxies">,
): Finding {
  const check = "proxies";
  if (trustedProxies.length > 0) {
    return createPass(check, `trusts the client address from ${formatList(trustedProxies)}`);
  }
  if (publicUrl.protocol !== "https:") return createPass(check, "no proxy is configured; plain HTTP needs none");
  return createWarning(
    check,
    "PUBLIC_URL uses https, but TRUSTED_PROXIES is not set: all clients share one sign-in limit",
    "Set TRUSTED_PROXIES to the address of the proxy that terminates TLS.",
  );
}

/** Checks that an operator (administrator of the service) exists, or will be created when the service starts. */
export function checkOperatorExists(operators: boolean, admin: Config["bootstrapAdmin"]): Finding {
  const check = "users";
  if (operators) return createPass(check, "an operator exists");
  if (admin) {
    const message = `serve creates the first operator, ${admin.email}, when it starts`;
    const problem = findPasswordProblem(admin.password, admin.email);
    if (!problem) return createPass(check, message);
    return createWarning(
      check,
      `${message}, although a password ${problem}`,
      "Set BOOTSTRAP_ADMIN_PASSWORD to a different password.",
    );
  }
  return createWarning(
    check,
    "no operator exists",
    "Set BOOTSTRAP_ADMIN_EMAIL and BOOTSTRAP_ADMIN_PASSWORD, then start serve to create the first operator.",
  );
}
