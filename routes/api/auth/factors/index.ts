import { signedInAccess } from "#lib/domains/auth/access.ts";
import { createFactor } from "#lib/domains/auth/factors/enrol.ts";
import { listOwnFactors } from "#lib/domains/auth/factors/manage.ts";
import { NewFactorBody, NewFactorView, SecondFactorsView } from "#lib/domains/auth/factors/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { createdReply, okReply } from "#lib/http/reply.ts";

export const GET = endpoint({
  summary: "Your second factors, and the number of your unused recovery codes",
  access: signedInAccess,
  scope: "readonly",
  duringEnrolment: true,
  reply: okReply(SecondFactorsView),
  handle: ({ app, actor }) => listOwnFactors(app, actor),
});

export const POST = endpoint({
  summary: "Begin to add an authenticator app or a passkey. Only this response contains the app's secret. " +
    "The factor counts after its activation",
  access: signedInAccess,
  scope: "session",
  purpose: "adding a second factor",
  recentSignIn: true,
  duringEnrolment: true,
  body: NewFactorBody,
  reply: createdReply(NewFactorView, ({ id }) => `/api/auth/factors/${id}`),
  faults: ["unverified", "too_many_factors", "secrets_key_missing"],
  handle: ({ app, actor, body }) => createFactor(app, actor, body),
});
