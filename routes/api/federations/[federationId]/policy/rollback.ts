import { hubAccess } from "#lib/domains/federations/access.ts";
import { rollBackPolicy } from "#lib/domains/policy/roll-back.ts";
import { PolicyRollback, PolicyView } from "#lib/domains/policy/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const POST = endpoint({
  summary: "Make an older version of what a hub shares the newest again",
  access: hubAccess("change"),
  scope: "cli",
  body: PolicyRollback,
  reply: okReply(PolicyView),
  faults: ["policy_version_missing", "federation_state", "not_offered"],
  handle: ({ app, actor, federation, body }) => rollBackPolicy(app, actor, federation, body),
});
