import * as v from "valibot";
import { publicAccess } from "#lib/domains/auth/access.ts";
import { finishProviderSignIn } from "#lib/domains/auth/providers/finish.ts";
import { ProviderAnswer } from "#lib/domains/auth/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { addCookieHeader, seeOtherReply } from "#lib/http/reply.ts";
import { refusedSignInPage } from "#lib/portal/sign-in/sign-in.ts";

export const GET = endpoint({
  summary:
    "Finish a sign-in at a provider. The provider redirects the browser to this path, with a code or an error. " +
    "Starts a session",
  access: publicAccess,
  scope: "flow",
  params: v.object({ providerId: v.string() }),
  query: ProviderAnswer,
  reply: addCookieHeader(seeOtherReply),
  faults: ["provider_missing", "provider_unavailable", "sign_in_expired", "sign_in_refused", "second_factor_required"],
  negotiatedErrorPage: refusedSignInPage,
  async handle({ app, actor, ip, userAgent, request, params: { providerId }, signal }) {
    const answer = { providerId, parameters: new URL(request.url).searchParams, request, previous: actor };
    const { nextPath, cookie } = await finishProviderSignIn(app, { ip, userAgent }, answer, signal);
    return { body: nextPath, cookie };
  },
});
