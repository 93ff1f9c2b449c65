/** Renders the page that asks for the second factor while a user signs in. */
import { Fault } from "#lib/base/errors.ts";
import { type HtmlPage, markup } from "#lib/http/page.ts";
import { type RefusedSubmission, renderFormField, renderPostForm } from "#lib/portal/components/forms.ts";
import { factorField } from "#lib/portal/sign-in/factor-field.ts";
import { pageHeading, renderStandalonePage } from "#lib/portal/mail-links/frame.ts";
import type { Redirect } from "#lib/portal/page/page.ts";
import { appendQuery } from "#lib/portal/components/parts.ts";

const PATH = "/second-factor";

/** Returns the redirect to the page for the second factor, if a sign-in needs it. Rethrows all other errors. */
export function redirectToSecondFactor(error: unknown, next: string): Redirect {
  if (!(error instanceof Fault) || error.code !== "second_factor_required") throw error;
  return { to: appendQuery(PATH, { next }), cookie: error.headers["set-cookie"]! };
}

export function secondFactorPage(email: string, next: string, submission?: RefusedSubmission): HtmlPage {
  return renderStandalonePage(
    "Second factor",
    markup`${pageHeading("Second factor", "Your password is right. Enter a code to finish signing in.")}
${
      renderPostForm(
        { action: PATH, button: "Sign in", submission, hidden: { next, email } },
        renderFormField(factorField("factor")),
      )
    }
<footer><p>Signing in as ${email}</p><p><a href="/sign-in">Start again</a></p></footer>`,
  );
}
