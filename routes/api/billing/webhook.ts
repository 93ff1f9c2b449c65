import * as v from "valibot";
import { publicAccess } from "#lib/domains/auth/access.ts";
import { storeBillingEvent } from "#lib/domains/billing/receive.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const POST = endpoint({
  summary: "Receive an event from the payment provider, authenticated by a signature over the body",
  access: publicAccess,
  scope: "public",
  raw: true,
  reply: okReply(v.object({ received: v.literal(true) })),
  faults: [
    "billing_off",
    "bad_signature",
    "database_unavailable",
    "database_lost",
    "commit_unknown",
    "database_busy",
    "database_slow",
    "database_locked",
    "database_closed",
  ],
  async handle({ app, raw, request }) {
    await storeBillingEvent(app, raw, request.headers.get("stripe-signature"));
    return { received: true as const };
  },
});
