import * as v from "valibot";
import { createOptionalChoiceSchema } from "#lib/base/schema.ts";
import { hubAccess } from "#lib/domains/federations/access.ts";
import { listPolicyVersions } from "#lib/domains/policy/store.ts";
import { PolicyVersionView } from "#lib/domains/policy/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";
import { POLICY_SECTIONS } from "#lib/model/policy.ts";

export const GET = endpoint({
  summary: "The newest 100 versions of what a hub shares, newest first",
  access: hubAccess("change"),
  scope: "readonly",
  query: v.object({ section: createOptionalChoiceSchema(POLICY_SECTIONS) }),
  reply: okReply(v.array(PolicyVersionView)),
  handle: ({ app, federation, query }) => listPolicyVersions(app.db.rows, federation.id, query.section),
});
