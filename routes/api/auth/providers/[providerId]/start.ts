import * as v from "valibot";
import { boundedText } from "#lib/base/schema.ts";
import { publicAccess } from "#lib/domains/auth/access.ts";
import { startProviderSignIn } from "#lib/domains/auth/providers/start.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { addCookieHeader, seeOtherReply } from "#lib/http/reply.ts";
import { chooseNextPath, refusedSignInPage } from "#lib/portal/sign-in/sign-in.ts";

export const GET = endpoint({
  summary: "Start a sign-in at a provider. Redirects the browser to the provider, and afterwards to the path `next`",
  access: publicAccess,
  scope: "flow",
  rateLimitMessage: "too many login attempts",
  params: v.object({ providerId: v.string() }),
  query: v.object({ next: v.optional(boundedText(1, 2000)), invitation: v.optional(boundedText(1, 200)) }),
  reply: addCookieHeader(seeOtherReply),
  faults: ["cross_origin", "provider_missing", "provider_unavailable", "link_spent"],
  negotiatedErrorPage: refusedSignInPage,
  async handle({ app, request, params: { providerId }, query: { next, invitation }, signal }) {
    const start = { providerId, nextPath: chooseNextPath(app.config, next), invitation };
    const { url, cookie } = await startProviderSignIn(app, request, start, signal);
    return { body: url, cookie };
  },
});
