/**
 * The page that a signup leads to: it proves the address. It asks for the password once more, because the person who
 * signed up with this address may have been somebody else: see lib/domains/auth/verify.ts.
 */
import type { App } from "#lib/app.ts";
import type { Origin } from "#lib/domains/auth/authenticate.ts";
import { findLink, type Link } from "#lib/domains/auth/link.ts";
import { verifyEmail } from "#lib/domains/auth/verify.ts";
import { ResetBody } from "#lib/domains/auth/views.ts";
import type { Service } from "#lib/surface/http/endpoint.ts";
import { type HtmlPage, markup } from "#lib/surface/http/page.ts";
import { placesOfSeats } from "#lib/domains/members/seats.ts";
import { moment } from "#lib/drivers/mail/blocks.ts";
import { goOn, spent, unlessSpent } from "#lib/surface/portal/ends.ts";
import {
  addressField,
  checkFields,
  type Fields,
  form,
  passwordField,
  type Problems,
} from "#lib/surface/portal/fields.ts";
import { frame, heading, outcome, type Shown } from "#lib/surface/portal/frame.ts";

export async function showVerification(app: App, token: string): Promise<Shown> {
  const link = await findLink(app.db.rows, "email_verification", token);
  return link ? { status: 200, page: write(link) } : spent("email_verification");
}

export async function submitVerification(app: App, service: Service, origin: Origin, given: Fields): Promise<Shown> {
  const link = await findLink(app.db.rows, "email_verification", given.token);
  if (!link) return spent("email_verification");
  const checked = checkFields(ResetBody, given, link.email);
  if ("problems" in checked) return { status: 400, page: write(link, checked.problems) };
  return await unlessSpent("email_verification", async () => {
    const { email } = await verifyEmail(app, origin, checked.fields);
    const title = "Your address is confirmed";
    const places = await placesOfSeats(app.db.rows, link.userId);
    const lead = markup`The account <strong>${email}</strong> is yours.`;
    return { status: 200, page: frame(title, markup`${outcome("well", title, lead)}${goOn(app, service, places)}`) };
  });
}

function write(link: Link, problems: Problems = {}): HtmlPage {
  const title = "Confirm your address";
  const lead = "Type the password that you signed up with, or choose another: it is the one that counts from now on.";
  return frame(
    Object.keys(problems).length > 0 ? `Please check the form: ${title}` : title,
    markup`${heading(title, lead)}
${
      form("/verify", link.secret, "Confirm my address", [
        addressField(link.email),
        passwordField("Password", problems),
      ], problems)
    }
<footer><p>The link works until ${
      moment(link.expiresAt.toISOString())
    }. If you did not sign up, close this page: without you
nobody can make use of your address.</p></footer>`,
  );
}
