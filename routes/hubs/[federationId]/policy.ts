import { GET as getCatalog } from "#routes/api/catalog.ts";
import { GET as getCourses } from "#routes/api/federations/[federationId]/courses/index.ts";
import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as getHistory } from "#routes/api/federations/[federationId]/policy/history.ts";
import { GET as getLibrary } from "#routes/api/federations/[federationId]/library.ts";
import { GET as getPolicy, PATCH as updatePolicy } from "#routes/api/federations/[federationId]/policy/index.ts";
import { POST as rollBack } from "#routes/api/federations/[federationId]/policy/rollback.ts";
import { POST as checkSignIn } from "#routes/api/federations/[federationId]/policy/sign-in/check.ts";
import { GET as getSpokes } from "#routes/api/federations/[federationId]/spokes/index.ts";
import type { RefusedSubmission } from "#lib/portal/components/forms.ts";
import type { CheckedSignIn, PreviewedPolicy } from "#lib/portal/components/api-types.ts";
import { buildPolicyRequest, SHARED_FORM_FIELDS, sharedView } from "#lib/portal/hubs/policy.ts";
import { formAction, openFormSchema, type PageContext, portalPage } from "#lib/portal/page/page.ts";

export const GET = portalPage({
  summary: "What a hub shares with its spokes",
  show: (call) => show(call),
});

export const POST = formAction({
  summary: "Preview or change what a hub shares with its spokes",
  body: openFormSchema(...SHARED_FORM_FIELDS, "preview", "rollback"),
  async submit(call) {
    const { preview: isPreview = "", rollback = "", ...form } = call.body;
    if (rollback !== "") {
      const [section, version] = rollback.split(":");
      const { federationId } = await call.callApi(rollBack, { body: { section, version: Number(version) } });
      return { to: `/hubs/${federationId}/policy?done=shared` };
    }
    if (form["check"]) {
      const issuer = form["signIn.issuer"] || undefined,
        registers = form["signIn.registrationToken"] ? true : undefined;
      return await show(call, { form, check: await call.callApi(checkSignIn, { body: { issuer, registers } }) });
    }
    const body = buildPolicyRequest(form, await call.callApi(getPolicy));
    const result = await call.callApi(updatePolicy, { body, query: { dryRun: isPreview === "" ? undefined : "true" } });
    if (!("dryRun" in result)) return { to: `/hubs/${result.federationId}/policy?done=shared` };
    return await show(call, { form, preview: result });
  },
  onRefusal: (call, submission) => show(call, { form: call.body, submission }),
});

interface Extras {
  readonly form?: Readonly<Record<string, string>>;
  readonly preview?: PreviewedPolicy;
  readonly check?: CheckedSignIn;
  readonly submission?: RefusedSubmission;
}

/** The number of spokes that the page looks at to find one that uses the hub's courses. */
const SPOKES_TO_CHECK = "100";

async function show({ callApi }: PageContext<unknown, unknown>, extras: Extras = {}) {
  const policy = await callApi(getPolicy), hub = await callApi(getHub);
  const { items, next } = await callApi(getSpokes, { query: { limit: SPOKES_TO_CHECK } });
  return sharedView({
    hub,
    policy,
    history: await callApi(getHistory),
    catalog: await callApi(getCatalog),
    courses: {
      courses: await callApi(getCourses),
      areUsed: next !== null || items.some(({ content }) => content),
      library: await callApi(getLibrary),
    },
    ...extras,
  });
}
