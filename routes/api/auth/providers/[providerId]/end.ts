import * as v from "valibot";
import { publicAccess } from "#lib/domains/auth/access.ts";
import { buildProviderEndUrl } from "#lib/domains/auth/providers/start.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { seeOtherReply } from "#lib/http/reply.ts";
import { refusedSignInPage } from "#lib/portal/sign-in/sign-in.ts";

export const GET = endpoint({
  summary: "Redirect the browser to the page at which a person signs out of a provider. " +
    "If the provider has none, redirects to this service",
  access: publicAccess,
  scope: "public",
  params: v.object({ providerId: v.string() }),
  reply: seeOtherReply,
  faults: ["provider_missing"],
  negotiatedErrorPage: refusedSignInPage,
  handle: ({ app, params, signal }) => buildProviderEndUrl(app, params.providerId, signal),
});
