import * as v from "valibot";
import { signedInAccess } from "#lib/domains/auth/access.ts";
import { createToken, listTokens } from "#lib/domains/auth/tokens.ts";
import { NewTokenBody, NewTokenView, TokenView } from "#lib/domains/auth/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { createdReply, pageReply } from "#lib/http/reply.ts";
import { BeforeCursor, OptionalPageLimit } from "#lib/base/schema.ts";

export const GET = endpoint({
  summary: "Your API tokens that are not revoked, newest first. Returns all tokens unless limit is set",
  access: signedInAccess,
  scope: "readonly",
  query: v.object({ limit: OptionalPageLimit, before: v.optional(BeforeCursor) }),
  reply: pageReply(TokenView),
  handle: ({ app, actor, query }) => listTokens(app.db.rows, actor, query),
});

export const POST = endpoint({
  summary: "Create an API token. Only this response contains the token itself",
  access: signedInAccess,
  scope: "session",
  purpose: "token minting",
  recentSignIn: true,
  body: NewTokenBody,
  reply: createdReply(NewTokenView, (token) => `/api/auth/tokens/${token.id}`),
  faults: ["expiry_past", "federation_missing"],
  handle: ({ app, actor, body }) => createToken(app, actor, body),
});
