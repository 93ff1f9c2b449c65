/** Renders the page that asks signed-in users for their password or second factor before a dangerous action. */
import type { SignInMethods } from "#lib/domains/auth/sign-in-methods.ts";
import { type HtmlPage, type Markup, markup } from "#lib/http/page.ts";
import { renderFormField, renderPostForm } from "#lib/portal/components/forms.ts";
import { pageHeading, renderStandalonePage } from "#lib/portal/mail-links/frame.ts";
import { passkeyScriptPath } from "#lib/portal/page/asset.ts";
import { renderPasskeyForm } from "#lib/portal/sign-in/passkey-form.ts";
import { factorField } from "#lib/portal/sign-in/factor-field.ts";

interface ConfirmPageProps {
  /** The path to which the submitted form was sent. */
  readonly action: string;
  readonly email: string;
  /** The submitted form's fields, which are sent again together with the password. */
  readonly fields: Readonly<Record<string, string>>;
  /** Whether the user confirms with the second factor instead of the password. */
  readonly hasFactor: boolean;
  /** Why the previous attempt was refused. */
  readonly problem: string | undefined;
  readonly methods: SignInMethods;
}

/** The names of the page's own fields. No other form has fields that start with `confirm:`. */
export const CONFIRM_PASSWORD = "confirm:password", CONFIRM_FACTOR = "confirm:factor";
export const CONFIRM_PASSKEY = "confirm:passkey";

export function confirmPage({ action, email, fields, hasFactor, problem, methods }: ConfirmPageProps): HtmlPage {
  const title = "Confirm that it is you", needed = hasFactor ? "second factor" : "password again";
  const lead = `You signed in more than 15 minutes ago. This action needs your ${needed}. Your input is kept.`;
  const submission = problem === undefined ? undefined : { values: {}, message: problem, problems: {} };
  return renderStandalonePage(
    title,
    markup`${pageHeading(title, lead)}
${
      renderPostForm(
        { action, button: "Continue", submission, hidden: fields },
        hasFactor
          ? renderFormField(factorField(CONFIRM_FACTOR))
          : passwordFields(email, { required: methods.providers.length === 0 }),
      )
    }
${
      hasFactor
        ? renderPasskeyForm({ action, button: "Use a passkey", use: "confirm", field: CONFIRM_PASSKEY, hidden: fields })
        : renderOtherTabLinks(methods)
    }
<footer><p>Signed in as ${email}</p><p><a href="/hubs">Cancel</a></p></footer>`,
    passkeyScriptPath,
  );
}

function passwordFields(email: string, { required }: { readonly required: boolean }): Markup {
  return markup`<input class="visually-hidden" type="text" value="${email}" autocomplete="username" readonly tabindex="-1" aria-hidden="true">${
    renderFormField({
      name: CONFIRM_PASSWORD,
      label: "Password",
      type: "password",
      required,
      autocomplete: "current-password",
    })
  }`;
}

/** Renders links to providers for users without a password. They open in another tab, so that this form is kept. */
function renderOtherTabLinks({ providers }: SignInMethods): Markup | string {
  if (providers.length === 0) return "";
  const links = providers.map(({ id, label }) =>
    markup`<a class="button quiet" href="/api/auth/providers/${id}/start?next=/account" target="_blank">Sign in again
with ${label} (new tab)</a>`
  );
  return markup`<p class="small soft">Without a password, sign in again in a new tab. Then select Continue here.</p>
<div class="ways">${links}</div>`;
}
