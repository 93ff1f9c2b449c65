/** The page that "forgot password" leads to: a form that sets a new one. */
import type { App } from "#lib/app.ts";
import type { Origin } from "#lib/domains/auth/authenticate.ts";
import { findLink, type Link } from "#lib/domains/auth/link.ts";
import { resetByLink } from "#lib/domains/auth/reset.ts";
import { ResetBody } from "#lib/domains/auth/views.ts";
import type { Service } from "#lib/surface/http/endpoint.ts";
import { type HtmlPage, markup } from "#lib/surface/http/page.ts";
import { placesOfSeats } from "#lib/domains/members/seats.ts";
import { moment } from "#lib/drivers/mail/blocks.ts";
import { goOn, spent, unlessSpent } from "#lib/surface/portal/ends.ts";
import {
  addressField,
  checkFields,
  form,
  passwordField,
  type Problems,
  type ResetFields,
  tickBox,
} from "#lib/surface/portal/fields.ts";
import { frame, heading, outcome, type Shown } from "#lib/surface/portal/frame.ts";

export async function showReset(app: App, token: string): Promise<Shown> {
  const link = await findLink(app.db.rows, "password_reset", token);
  return link ? { status: 200, page: write(link, false) } : spent("password_reset");
}

export async function submitReset(
  app: App,
  service: Service,
  origin: Origin,
  { keepTokens, ...given }: ResetFields,
): Promise<Shown> {
  const keeps = keepTokens !== "";
  const link = await findLink(app.db.rows, "password_reset", given.token);
  if (!link) return spent("password_reset");
  const checked = checkFields(ResetBody, given, link.email);
  if ("problems" in checked) return { status: 400, page: write(link, keeps, checked.problems) };
  return await unlessSpent("password_reset", async () => {
    const email = await resetByLink(app, origin, { ...checked.fields, keepTokens: keeps });
    const title = "Your new password is set";
    const places = await placesOfSeats(app.db.rows, link.userId);
    const lead = markup`It is for <strong>${email}</strong>. Wherever you were signed in, you are not any more${
      keeps ? "" : ", and API tokens that you had are revoked"
    }.`;
    return { status: 200, page: frame(title, markup`${outcome("well", title, lead)}${goOn(app, service, places)}`) };
  });
}

function write(link: Link, keeps: boolean, problems: Problems = {}): HtmlPage {
  const title = "Set a new password";
  return frame(
    Object.keys(problems).length > 0 ? `Please check the form: ${title}` : title,
    markup`${heading(title, "It takes the place of the old one at once, and signs you out everywhere.")}
${
      form("/reset", link.secret, "Set the password", [
        addressField(link.email),
        passwordField("New password", problems),
        tickBox(
          "keepTokens",
          "Keep my API tokens",
          "Otherwise they are revoked, as somebody else may have them.",
          keeps,
        ),
      ], problems)
    }
<footer><p>The link works until ${
      moment(link.expiresAt.toISOString())
    }. If you did not ask for it, close this page: your
password stays as it is.</p></footer>`,
  );
}
