import { ownFactorAccess } from "#lib/domains/auth/factors/access.ts";
import { removeFactor, renameFactor } from "#lib/domains/auth/factors/manage.ts";
import { FactorPatch, FactorView } from "#lib/domains/auth/factors/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { noContentReply, okReply } from "#lib/http/reply.ts";

export const PATCH = endpoint({
  summary: "Rename one of your second factors",
  access: ownFactorAccess,
  scope: "session",
  purpose: "changing a second factor",
  body: FactorPatch,
  reply: okReply(FactorView),
  faults: ["factor_missing"],
  handle: ({ app, actor, factorId, body }) => renameFactor(app, actor, factorId, body.name),
});

export const DELETE = endpoint({
  summary: "Remove one of your second factors. Your last one takes your recovery codes with it. Emails you",
  access: ownFactorAccess,
  scope: "session",
  purpose: "removing a second factor",
  recentSignIn: true,
  reply: noContentReply,
  faults: ["factor_missing", "last_factor"],
  handle: ({ app, actor, factorId }) => removeFactor(app, actor, factorId),
});
