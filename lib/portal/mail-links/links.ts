/** Handles links from emails: shows the link's form, carries out the link's action and shows the next steps. */
import * as v from "valibot";
import type { App } from "#lib/app.ts";
import { listSignInMethods, mayUsePassword } from "#lib/domains/auth/sign-in-methods.ts";
import { publicAccess } from "#lib/domains/auth/access.ts";
import { findSignedInUser, type RequestOrigin } from "#lib/domains/auth/authenticate.ts";
import { findMailLink, type MailLink } from "#lib/domains/auth/mail-link.ts";
import { type AdministeredObject, listAdministeredObjects } from "#lib/domains/members/memberships.ts";
import { formatMailTimestamp } from "#lib/drivers/mail/content.ts";
import { renderProviderButtons } from "#lib/portal/sign-in/sign-in.ts";
import { endpoint, type ServerInfo } from "#lib/http/endpoint.ts";
import { type HtmlPage, type Markup, markup } from "#lib/http/page.ts";
import { type FormField, type RefusedSubmission, renderPostForm } from "#lib/portal/components/forms.ts";
import {
  bulletList,
  catchInvalidMailLink,
  invalidMailLinkPage,
  isPortalEnabled,
  renderNextSteps,
  signedInNotice,
} from "#lib/portal/mail-links/next-steps.ts";
import { emailAddressField, type MailLinkForm, validateMailLinkForm } from "#lib/portal/mail-links/fields.ts";
import {
  mailLinkErrorPage,
  pageHeading,
  portalReply,
  type PortalResponse,
  renderStandalonePage,
  resultHeading,
} from "#lib/portal/mail-links/frame.ts";

/** The text of the page after a submitted form, and a session cookie if the form signed the user in. */
interface LinkResult {
  readonly title: string;
  readonly lead: Markup;
  readonly cookie?: string;
}

export interface LinkPage<Form extends MailLinkForm, Body extends { password: string }> {
  /** The summaries of the endpoints that show and handle the form. */
  readonly summaries: readonly [show: string, submit: string];
  readonly form: v.GenericSchema<unknown, Form>;
  readonly purpose: MailLink["purpose"];
  readonly path: string;
  readonly title: string;
  readonly lead: (places: readonly AdministeredObject[]) => string;
  /** Whether to list the hubs and spokes that the account administers. */
  readonly listsMemberships?: true;
  readonly signsIn?: true;
  readonly button: string;
  /** Advice for users who did not request the link. */
  readonly ifUnexpected: string;
  readonly body: v.GenericSchema<unknown, Body>;
  /** Returns the fields of the form. `form` contains the submitted values, or is null before the first submission. */
  readonly fields: (link: MailLink, form: Form | null) => readonly (FormField | Markup)[];
  readonly run: (app: App, origin: RequestOrigin, body: Body, context: Context<Form>) => Promise<LinkResult>;
}

type SignedInUser = { readonly email: string } | null;

interface Context<Form> {
  readonly service: ServerInfo;
  readonly link: MailLink;
  readonly form: Form;
  /** The hubs and spokes that the account administers. */
  readonly places: readonly AdministeredObject[];
}

/** Declares the endpoints of a page that opens from an emailed link: one shows the form, the other handles it. */
export function mailLinkEndpoints<Form extends MailLinkForm, Body extends { password: string }>(
  page: LinkPage<Form, Body>,
) {
  const { summaries: [show, submit], form, signsIn } = page;
  const common = { access: publicAccess, reply: portalReply, errorPage: mailLinkErrorPage } as const;
  return {
    GET: endpoint({
      ...common,
      summary: show,
      scope: "public",
      query: v.object({ token: v.optional(v.string(), "") }),
      faults: ["link_spent"],
      handle: async ({ app, request, ip, userAgent, query }) =>
        showForm(app, page, query.token, signsIn ? await findSignedInUser(app, request, { ip, userAgent }) : null),
    }),
    POST: endpoint({
      ...common,
      summary: submit,
      scope: "flow",
      form: true,
      body: form,
      faults: ["link_spent"],
      handle: ({ app, actor, service, ip, userAgent, body }) =>
        submitForm(app, service, { ip, userAgent }, page, body, signsIn ? actor : null),
    }),
  };
}

/** Shows a link's form. Opening a link does not use it up, because mail scanners open links before users do. */
async function showForm<Form extends MailLinkForm, Body extends { password: string }>(
  app: App,
  page: LinkPage<Form, Body>,
  token: string,
  reader: SignedInUser,
): Promise<PortalResponse> {
  const link = await findMailLink(app.db.rows, page.purpose, token);
  return link
    ? { status: 200, page: await renderForm(app, page, link, null, { reader }) }
    : invalidMailLinkPage(app, page.purpose);
}

async function submitForm<Form extends MailLinkForm, Body extends { password: string }>(
  app: App,
  service: ServerInfo,
  origin: RequestOrigin,
  page: LinkPage<Form, Body>,
  form: Form,
  reader: SignedInUser,
): Promise<PortalResponse> {
  const link = await findMailLink(app.db.rows, page.purpose, form.token);
  if (!link) return invalidMailLinkPage(app, page.purpose);
  const checked = validateMailLinkForm(page.body, form, link.email);
  if ("problems" in checked) {
    const { problems } = checked;
    return { status: 400, page: await renderForm(app, page, link, form, { problems, reader }) };
  }
  return await catchInvalidMailLink(app, page.purpose, async () => {
    const places = await listAdministeredObjects(app.db.rows, link.userId);
    const { title, lead, ...session } = await page.run(app, origin, checked.fields, { service, link, form, places });
    const body = markup`${resultHeading("well", title, lead)}${renderNextSteps(app, service, places)}`;
    return { status: 200, page: renderStandalonePage(title, body), ...session };
  });
}

async function renderForm<Form extends MailLinkForm, Body extends { password: string }>(
  app: App,
  page: LinkPage<Form, Body>,
  link: MailLink,
  form: Form | null,
  { problems = {}, reader }: { readonly problems?: RefusedSubmission["problems"]; readonly reader: SignedInUser },
): Promise<HtmlPage> {
  const places = page.listsMemberships ? await listAdministeredObjects(app.db.rows, link.userId) : [];
  const submission = form ? { values: { ...form }, message: "", problems } : undefined;
  const methods = listSignInMethods(app), fields = [emailAddressField(link.email), ...page.fields(link, form)];
  return renderStandalonePage(
    Object.keys(problems).length > 0 ? `Please check the form: ${page.title}` : page.title,
    markup`${pageHeading(page.title, page.lead(places))}
${bulletList(places.map(({ name }) => name))}
${
      reader && page.signsIn && isPortalEnabled(app) && reader.email !== link.email
        ? signedInNotice(reader.email, link.email)
        : ""
    }
${page.signsIn ? renderProviderButtons(methods, { invitation: link.secret }, "Accept") : ""}
${
      page.signsIn && !mayUsePassword(app, link.email) ? "" : renderPostForm(
        { action: page.path, button: page.button, hidden: { token: link.secret }, submission },
        ...fields,
      )
    }
<footer><p>The link works until ${
      formatMailTimestamp(link.expiresAt.toISOString())
    }. ${page.ifUnexpected}</p></footer>`,
  );
}
