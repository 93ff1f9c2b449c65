import * as v from "valibot";
import { publicAccess } from "#lib/domains/auth/access.ts";
import { listSignInProviders } from "#lib/domains/auth/sign-in-methods.ts";
import { SignInProviderView } from "#lib/domains/auth/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const GET = endpoint({
  summary: "The OpenID Connect providers at which people may sign in, in the order of their buttons",
  access: publicAccess,
  scope: "public",
  reply: okReply(v.array(SignInProviderView)),
  handle: ({ app }) => listSignInProviders(app),
});
