/** The page that an invitation leads to: who you are, what you may do, and a form that accepts. */
import type { App } from "#lib/app.ts";
import { acceptAndSignIn, acceptInvitation } from "#lib/domains/auth/accept.ts";
import type { Origin } from "#lib/domains/auth/authenticate.ts";
import { findLink, type Link } from "#lib/domains/auth/link.ts";
import { AcceptBody } from "#lib/domains/auth/views.ts";
import type { Service } from "#lib/surface/http/endpoint.ts";
import { type HtmlPage, markup } from "#lib/surface/http/page.ts";
import { moment } from "#lib/drivers/mail/blocks.ts";
import { type NamedPlace, placesOfSeats } from "#lib/domains/members/seats.ts";
import { goOn, hasPortal, listOf, spent, unlessSpent } from "#lib/surface/portal/ends.ts";
import {
  addressField,
  checkFields,
  type Fields,
  form,
  nameField,
  passwordField,
  type Problems,
} from "#lib/surface/portal/fields.ts";
import { frame, heading, outcome, type Shown } from "#lib/surface/portal/frame.ts";

/** Looks, and uses nothing up: programs that guard mailboxes open links before people do. */
export async function showInvitation(app: App, token: string): Promise<Shown> {
  const link = await findLink(app.db.rows, "invitation", token);
  if (!link) return spent("invitation");
  return { status: 200, page: write(link, await placesOfSeats(app.db.rows, link.userId), nameOf(link)) };
}

export async function submitInvitation(app: App, service: Service, origin: Origin, given: Fields): Promise<Shown> {
  const link = await findLink(app.db.rows, "invitation", given.token);
  if (!link) return spent("invitation");
  const places = await placesOfSeats(app.db.rows, link.userId);
  const checked = checkFields(AcceptBody, given, link.email);
  if ("problems" in checked) {
    return { status: 400, page: write(link, places, given.displayName, checked.problems) };
  }
  return await unlessSpent("invitation", async () => {
    const page = accepted(app, service, link, places);
    if (!hasPortal(app, service)) {
      await acceptInvitation(app, origin, checked.fields);
      return { status: 200, page };
    }
    const { cookie } = await acceptAndSignIn(app, origin, checked.fields);
    return { status: 200, page, cookie };
  });
}

function write(link: Link, places: readonly NamedPlace[], name: string, problems: Problems = {}): HtmlPage {
  const title = "You are invited";
  const lead = places.length > 0 ? "Once you have accepted, you administer:" : "Choose a password to accept.";
  return frame(
    Object.keys(problems).length > 0 ? `Please check the form: ${title}` : title,
    markup`${heading(title, lead)}
${listOf(places.map(({ name }) => name))}
${
      form("/invite", link.secret, "Accept the invitation", [
        addressField(link.email),
        nameField(name, problems),
        passwordField("Choose a password", problems),
      ], problems)
    }
<footer><p>The link works until ${
      moment(link.expiresAt.toISOString())
    }. If you did not expect it, close this page: nothing
happens then.</p></footer>`,
  );
}

function accepted(app: App, service: Service, { email }: Link, places: readonly NamedPlace[]): HtmlPage {
  const title = "Welcome";
  const lead = markup`Your account <strong>${email}</strong> is ready${places.length > 0 ? ". You administer:" : "."}`;
  return frame(title, markup`${outcome("well", title, lead)}${goOn(app, service, places)}`);
}

/** The address stands for a name where nobody gave one, and need not be shown twice. */
function nameOf({ displayName, email }: Link): string {
  return displayName === email ? "" : displayName;
}
