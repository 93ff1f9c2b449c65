/** Renders the page that asks signed-in users for their password before a dangerous action. */
import { type HtmlPage, markup } from "#lib/http/page.ts";
import { renderFormField, renderPostForm } from "#lib/portal/components/forms.ts";
import { pageHeading, renderStandalonePage } from "#lib/portal/mail-links/frame.ts";

interface ConfirmPageProps {
  /** The path to which the submitted form was sent. */
  readonly action: string;
  readonly email: string;
  /** The submitted form's fields, which are sent again together with the password. */
  readonly fields: Readonly<Record<string, string>>;
  /** Why the previous attempt was refused. */
  readonly problem: string | undefined;
}

/** The name of the password field. No other form has fields that start with `confirm:`. */
export const CONFIRM_PASSWORD = "confirm:password";

export function confirmPage({ action, email, fields, problem }: ConfirmPageProps): HtmlPage {
  const title = "Confirm that it is you";
  const lead = "You signed in more than 15 minutes ago. This action needs your password again. Your input is kept.";
  const submission = problem === undefined ? undefined : { values: {}, message: problem, problems: {} };
  return renderStandalonePage(
    title,
    markup`${pageHeading(title, lead)}
${
      renderPostForm(
        { action, button: "Continue", submission, hidden: fields },
        markup`<input class="visually-hidden" type="text" value="${email}" autocomplete="username" readonly tabindex="-1" aria-hidden="true">`,
        renderFormField({
          name: CONFIRM_PASSWORD,
          label: "Password",
          type: "password",
          required: true,
          autocomplete: "current-password",
        }),
      )
    }
<footer><p>Signed in as ${email}</p><p><a href="/hubs">Cancel</a></p></footer>`,
  );
}
