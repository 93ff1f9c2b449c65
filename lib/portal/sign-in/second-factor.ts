/** Renders the page that asks for the second factor while a user signs in. */
import { Fault } from "#lib/base/errors.ts";
import { type HtmlPage, markup } from "#lib/http/page.ts";
import { type RefusedSubmission, renderFormField, renderPostForm } from "#lib/portal/components/forms.ts";
import { passkeyScriptPath } from "#lib/portal/page/asset.ts";
import { renderPasskeyForm } from "#lib/portal/sign-in/passkey-form.ts";
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

interface SecondFactorProps {
  readonly email: string;
  readonly next: string;
  readonly submission?: RefusedSubmission;
}

export function secondFactorPage({ email, next, submission }: SecondFactorProps): HtmlPage {
  const hidden = { next, email };
  return renderStandalonePage(
    "Second factor",
    markup`${pageHeading("Second factor", "Your password is right. Finish signing in with your second factor.")}
${
      renderPostForm(
        { action: PATH, button: "Sign in", submission, hidden },
        renderFormField(factorField("factor")),
      )
    }
${renderPasskeyForm({ action: PATH, button: "Use a passkey", use: "second-factor", hidden })}
<footer><p>Signing in as ${email}</p><p><a href="/sign-in">Start again</a></p></footer>`,
    passkeyScriptPath,
  );
}
