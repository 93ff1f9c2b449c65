/** Renders the pages on which users sign in, sign up or request a new password. */
import { type HtmlPage, type Markup, markup } from "#lib/http/page.ts";
import {
  type FormField,
  type RefusedSubmission,
  renderFormField,
  renderPostForm,
} from "#lib/portal/components/forms.ts";
import { callout } from "#lib/portal/components/parts.ts";
import { passkeyScriptPath } from "#lib/portal/page/asset.ts";
import { renderPasskeyForm } from "#lib/portal/sign-in/passkey-form.ts";
import { pageHeading, renderStandalonePage } from "#lib/portal/mail-links/frame.ts";

interface SignIn {
  /** The path to open after signing in; null for the default, `/hubs`. */
  readonly next: string | null;
  readonly lead?: string | undefined;
  readonly submission?: RefusedSubmission;
  readonly signup?: boolean;
}

const EMAIL_FIELD: FormField = {
  name: "email",
  label: "Email address",
  type: "email",
  required: true,
  autocomplete: "username",
};

export function signInPage({ next, lead, submission, signup = false }: SignIn): HtmlPage {
  return renderStandalonePage(
    "Sign in",
    markup`${pageHeading("Sign in", lead ?? "Manage your hubs and their sites.")}
${
      renderPostForm(
        { action: "/sign-in", button: "Sign in", submission, hidden: { next: next ?? "/hubs" } },
        EMAIL_FIELD,
        // Renders the field without the submission, because a refusal does not say which of the two fields is wrong.
        renderFormField({
          name: "password",
          label: "Password",
          type: "password",
          required: true,
          autocomplete: "current-password",
        }),
      )
    }
${
      renderPasskeyForm({
        action: "/passkey",
        button: "Sign in with a passkey",
        use: "sign-in",
        hidden: { next: next ?? "/hubs" },
      })
    }
<footer><p><a href="/forgot">Forgot your password?</a></p>${
      signup ? markup`<p>New here? <a href="/sign-up">Create an account</a></p>` : ""
    }</footer>`,
    passkeyScriptPath,
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

/** Returns the path to open after signing in: `next`, or `/hubs` if `next` is a URL on another site. */
export function safeNextPath(next: string, publicUrl: URL): string {
  const url = URL.canParse(next, publicUrl) ? new URL(next, publicUrl) : null;
  const path = url?.origin === publicUrl.origin ? url.pathname + url.search + url.hash : "";
  return next.startsWith("/") && /^\/(?!\/)/.test(path) ? path : "/hubs"; // two slashes would start a host name
}
