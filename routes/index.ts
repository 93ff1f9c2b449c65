import { publicAccess } from "#lib/domains/auth/access.ts";
import { frontPage } from "#lib/reference/front/page.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { eitherReply, html, seeOther } from "#lib/http/reply.ts";
import { refusedReadPage } from "#lib/portal/mail-links/frame.ts";
import { hasSession } from "#lib/domains/auth/authenticate.ts";

export const GET = endpoint({
  summary: "The front page: what this service is, whether it works, and where to go. " +
    "Redirects signed-in users to the portal",
  access: publicAccess,
  scope: "public",
  reply: eitherReply(html(), seeOther),
  negotiatedErrorPage: refusedReadPage,
  async handle({ app, service, request, ip, userAgent }) {
    if (app.config.portal && await hasSession(app, request, { ip, userAgent })) return { other: "/hubs" };
    return { usual: await frontPage(app, service) };
  },
});
