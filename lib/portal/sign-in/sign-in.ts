/** Renders the pages on which users sign in, sign up or request a new password. */
import { type HtmlPage, type Markup, markup } from "#lib/http/page.ts";
import {
  type FormField,
  type RefusedSubmission,
  renderFormField,
  renderPostForm,
} from "#lib/portal/components/forms.ts";
import { appendQuery, callout } from "#lib/portal/components/parts.ts";
import { passkeyScriptPath } from "#lib/portal/page/asset.ts";
import { renderPasskeyForm } from "#lib/portal/sign-in/passkey-form.ts";
import type { SignInMethods } from "#lib/domains/auth/sign-in-methods.ts";
import type { Config } from "#lib/base/config.ts";
import type { RequestRefusal } from "#lib/http/endpoint.ts";
import { pageHeading, renderStandalonePage, resultHeading } from "#lib/portal/mail-links/frame.ts";

interface SignIn {
  /** The path to open after signing in; null for the default, `/hubs`. */
  readonly next: string | null;
  readonly lead?: string | undefined;
  readonly submission?: RefusedSubmission;
  readonly signup?: boolean;
  readonly methods: SignInMethods;
}

const EMAIL_FIELD: FormField = {
  name: "email",
  label: "Email address",
  type: "email",
  required: true,
  autocomplete: "username",
};

export function signInPage({ next, lead, submission, signup = false, methods }: SignIn): HtmlPage {
  const form = renderPasswordForm(next ?? "/hubs", submission), { passwords, providers } = methods;
  const withPassword = {
    everybody: markup`${providers.length > 0 ? markup`<p class="small soft">Or with a password:</p>` : ""}${form}
<footer><p><a href="/forgot">Forgot your password?</a></p>${
      signup ? markup`<p>New here? <a href="/sign-up">Create an account</a></p>` : ""
    }</footer>`,
    "bootstrap admin": markup`<details ${submission ? "open" : ""}><summary>Sign in with a password</summary>
<p class="small soft">Only the first operator of this service has a password.</p>${form}</details>`,
    nobody: "",
  };
  return renderStandalonePage(
    "Sign in",
    markup`${pageHeading("Sign in", lead ?? "Manage your hubs and their sites.")}
${renderProviderButtons(methods, { next: next ?? "/hubs" })}
${withPassword[passwords]}
${
      renderPasskeyForm({
        action: "/passkey",
        button: "Sign in with a passkey",
        use: "sign-in",
        hidden: { next: next ?? "/hubs" },
      })
    }`,
    passkeyScriptPath,
  );
}

/** Renders a link for each provider, which starts a sign-in there. Works without a script. */
export function renderProviderButtons(
  { providers }: SignInMethods,
  query: Readonly<Record<string, string>>,
  verb = "Sign in",
): Markup | string {
  if (providers.length === 0) return "";
  const links = providers.map(({ id, label }) => {
    const path = appendQuery(`/api/auth/providers/${id}/start`, query);
    return markup`<a class="button" href="${path}">${verb} with ${label}</a>`;
  });
  return markup`<div class="ways">${links}</div>`;
}

function renderPasswordForm(next: string, submission: RefusedSubmission | undefined): Markup {
  return renderPostForm(
    { action: "/sign-in", button: "Sign in", submission, hidden: { next } },
    EMAIL_FIELD,
    // Renders the field without the submission, because a refusal does not say which of the two fields is wrong.
    renderFormField({
      name: "password",
      label: "Password",
      type: "password",
      required: true,
      autocomplete: "current-password",
    }),
  );
}

/** Returns the page for users who forgot their password. The page does not reveal whether an account exists. */
export function forgotPasswordPage(sentTo: string | null, submission?: RefusedSubmission): HtmlPage {
  const lead = "Enter your email address to get a link for setting a new password.";
  return renderStandalonePage(
    "Forgot password",
    markup`${pageHeading("Forgot password", lead)}
${
      sentTo === null
        ? ""
        : callout("good", `If an account exists for ${sentTo}, an email is on its way. The link works for one hour.`)
    }
${renderPostForm({ action: "/forgot", button: "Send link", submission }, EMAIL_FIELD)}
<footer><p><a href="/sign-in">Back to sign-in</a></p></footer>`,
  );
}

export function signUpClosedPage(): HtmlPage {
  return renderSignUp(
    markup`${pageHeading("Create an account", "Sign-up is closed. Ask an administrator for an invitation.")}`,
  );
}

export function signUpPage(sentMessage: string | null, submission?: RefusedSubmission): HtmlPage {
  if (sentMessage !== null) {
    const sent = callout("good", `${sentMessage} Open the link in the email to confirm your address.`);
    return renderSignUp(markup`${pageHeading("Create an account", "")}\n${sent}\n`);
  }
  const form = renderPostForm(
    { action: "/sign-up", button: "Create account", submission },
    { name: "displayName", label: "Your name", autocomplete: "name", maxLength: 200 },
    EMAIL_FIELD,
    {
      name: "password",
      label: "Password",
      type: "password",
      hint: "At least 12 characters. Several random words make a good password.",
      required: true,
      autocomplete: "new-password",
    },
  );
  return renderSignUp(
    markup`${pageHeading("Create an account", "We will email you to confirm your address.")}\n${form}\n`,
  );
}

function renderSignUp(content: Markup): HtmlPage {
  const footer = markup`<footer><p><a href="/sign-in">Sign in instead</a></p></footer>`;
  return renderStandalonePage("Create an account", markup`${content}${footer}`);
}

/** Returns the path to open after a sign-in at a provider. Without the portal, it shows who is signed in, as JSON. */
export function chooseNextPath({ portal, publicUrl }: Config, next: string | undefined): string {
  const home = portal ? "/hubs" : "/api/auth/me";
  return next === undefined ? home : safeNextPath(next, publicUrl, home);
}

/** Returns the page for a refused sign-in at a provider, with the reason. */
export function refusedSignInPage({ statusCode, message }: Pick<RequestRefusal, "statusCode" | "message">): HtmlPage {
  const title = statusCode >= 500 ? "Temporarily unavailable" : "You are not signed in";
  const way = markup`<a class="button" href="/">Go to the front page</a>`;
  return renderStandalonePage(title, markup`${resultHeading("wrong", title, `${message}.`)}${way}`);
}

/** Returns the path to open after signing in: `next`, or `home` if `next` is a URL on another site. */
export function safeNextPath(next: string, publicUrl: URL, home = "/hubs"): string {
  const url = URL.canParse(next, publicUrl) ? new URL(next, publicUrl) : null;
  const path = url?.origin === publicUrl.origin ? url.pathname + url.search + url.hash : "";
  return next.startsWith("/") && /^\/(?!\/)/.test(path) ? path : home; // two slashes would start a host name
}
