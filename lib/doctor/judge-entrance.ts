/** What is made of how people come in: the address, the proxy before it, and whether anybody can sign in. Pure. */
import { cookieProblem } from "#lib/auth/cookie.ts";
import type { Config } from "#lib/config.ts";
import { type Finding, list, ok, warning } from "#lib/doctor/finding.ts";

export function judgeAddress(publicUrl: URL): Finding {
  const check = "address", problem = cookieProblem(publicUrl);
  if (problem) return warning(check, problem);
  if (publicUrl.protocol === "https:") return ok(check, publicUrl.href);
  return warning(check, `${publicUrl.href} leads to whatever machine one sits at; links in mails open on it alone`);
}

/** We end no TLS ourselves: where the address is https, somebody else does, and passes on whom for. */
export function judgeProxies({ publicUrl, trustedProxies }: Pick<Config, "publicUrl" | "trustedProxies">): Finding {
  const check = "proxies";
  if (trustedProxies.length > 0) return ok(check, `${list(trustedProxies)} may tell whom they pass on`);
  if (publicUrl.protocol !== "https:") return ok(check, "none before us is named, and none is needed without TLS");
  return warning(
    check,
    "PUBLIC_URL is https, so a proxy ends TLS, and TRUSTED_PROXIES names none: all share one limit of sign-ins",
    "Set TRUSTED_PROXIES to the address from which the proxy comes to us.",
  );
}

/** `users` is whether there are any. */
export function judgeUsers(users: boolean, admin: Config["bootstrapAdmin"]): Finding {
  const check = "users";
  if (users) return ok(check, "there are some");
  if (admin) return ok(check, `serve makes the first operator, ${admin.email}, when it starts`);
  return warning(
    check,
    "there is none: nobody can sign in",
    "Set BOOTSTRAP_ADMIN_EMAIL and BOOTSTRAP_ADMIN_PASSWORD; serve makes the first operator when it starts.",
  );
}
