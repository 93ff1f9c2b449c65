/** Renders the pages on which users sign in, sign up or request a new password. */
import { type HtmlPage, markup } from "#lib/http/page.ts";
import { inputField, type RefusedSubmission, renderPostForm } from "#lib/portal/components/forms.ts";
import { callout } from "#lib/portal/components/parts.ts";
import { pageHeading, renderStandalonePage } from "#lib/portal/mail-links/frame.ts";

interface SignIn {
  /** The path to open after signing in; null for the default, `/hubs`. */
  readonly next: string | null;
  readonly lead?: string | undefined;
  readonly submission?: RefusedSubmission;
  readonly signup?: boolean;
}

export function signInPage({ next, lead, submission, signup = false }: SignIn): HtmlPage {
  const fields = [
    inputField({
      name: "email",
      label: "Email address",
      type: "email",
      required: true,
      autocomplete: "username",
      submission,
    }),
    inputField({
      name: "password",
      label: "Password",
      type: "password",
      required: true,
      autocomplete: "current-password",
    }),
  ];
  return renderStandalonePage(
    "Sign in",
    markup`${pageHeading("Sign in", lead ?? "Manage your hubs and their sites.")}
${renderPostForm({ action: "/sign-in", button: "Sign in", submission, hidden: { next: next ?? "/hubs" } }, ...fields)}
<footer><p><a href="/forgot">Forgot your password?</a></p>${
      signup ? markup`<p>New here? <a href="/sign-up">Create an account</a></p>` : ""
    }</footer>`,
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
${
      renderPostForm(
        { action: "/forgot", button: "Send link", submission },
        inputField({
          name: "email",
          label: "Email address",
          type: "email",
          required: true,
          autocomplete: "username",
          submission,
        }),
      )
    }
<footer><p><a href="/sign-in">Back to sign-in</a></p></footer>`,
  );
}

export function signUpClosedPage(): HtmlPage {
  const lead = "Sign-up is closed. Ask an administrator for an invitation.";
  return renderStandalonePage(
    "Create an account",
    markup`${pageHeading("Create an account", lead)}<footer><p><a href="/sign-in">Sign in instead</a></p></footer>`,
  );
}

export function signUpPage(sentMessage: string | null, submission?: RefusedSubmission): HtmlPage {
  const fields = [
    inputField({ name: "displayName", label: "Your name", autocomplete: "name", maxLength: 200, submission }),
    inputField({
      name: "email",
      label: "Email address",
      type: "email",
      required: true,
      autocomplete: "username",
      submission,
    }),
    inputField({
      name: "password",
      label: "Password",
      type: "password",
      hint: "At least 12 characters. Several random words make a good password.",
      required: true,
      autocomplete: "new-password",
      submission,
    }),
  ];
  const form = renderPostForm({ action: "/sign-up", button: "Create account", submission }, ...fields);
  return renderStandalonePage(
    "Create an account",
    markup`${pageHeading("Create an account", sentMessage === null ? "We will email you to confirm your address." : "")}
${sentMessage === null ? form : callout("good", `${sentMessage} Open the link in the email to confirm your address.`)}
<footer><p><a href="/sign-in">Sign in instead</a></p></footer>`,
  );
}

/** Returns the path to open after signing in: `next`, or `/hubs` if `next` is a URL on another site. */
export function safeNextPath(next: string, publicUrl: URL): string {
  const url = URL.canParse(next, publicUrl) ? new URL(next, publicUrl) : null;
  const path = url?.origin === publicUrl.origin ? url.pathname + url.search + url.hash : "";
  return next.startsWith("/") && /^\/(?!\/)/.test(path) ? path : "/hubs"; // two slashes would start a host name
}
