import { publicAccess } from "#lib/domains/auth/access.ts";
import { buildFrontPage } from "#lib/reference/front/page.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { combineReplies, htmlReply, seeOtherReply } from "#lib/http/reply.ts";
import { publicErrorPage } from "#lib/portal/mail-links/frame.ts";
import { hasSession } from "#lib/domains/auth/authenticate.ts";

export const GET = endpoint({
  summary: "The front page: what this service is, whether it works, and where to go. " +
    "Redirects signed-in users to the portal",
  access: publicAccess,
  scope: "public",
  reply: combineReplies(htmlReply(), seeOtherReply),
  negotiatedErrorPage: publicErrorPage,
  async handle({ app, service, request, ip, userAgent }) {
    if (app.config.portal && await hasSession(app, request, { ip, userAgent })) return { other: "/hubs" };
    return { usual: await buildFrontPage(app, service) };
  },
});
