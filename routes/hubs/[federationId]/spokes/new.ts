import { GET as getCatalog } from "#routes/api/catalog.ts";
import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { POST as create } from "#routes/api/federations/[federationId]/spokes/index.ts";
import { GET as previewCost } from "#routes/api/federations/[federationId]/spokes/preview-cost.ts";
import { GET as getMySpokes } from "#routes/api/my-spokes.ts";
import { GET as getBackups } from "#routes/api/spokes/[spokeId]/backups.ts";
import { GET as getOneSpoke } from "#routes/api/spokes/[spokeId]/index.ts";
import { Fault } from "#lib/base/errors.ts";
import { requireHubAdmin } from "#lib/domains/federations/access.ts";
import { listCopyableSpokes, type NewSpokeProps, type SpokeToCopy } from "#lib/portal/hubs/new-spoke-preview.ts";
import { convertCheckboxes, newSpokeView, SETTABLE_FIELDS } from "#lib/portal/hubs/new-spoke.ts";
import type { CostEstimate } from "#lib/portal/components/api-types.ts";
import {
  dropEmptyFields,
  formAction,
  formSchema,
  optionalQuerySchema,
  type PageContext,
  portalPage,
} from "#lib/portal/page/page.ts";

type FormState = Pick<NewSpokeProps, "values" | "submission"> & Partial<Pick<NewSpokeProps, "preview">>;
type Call = Pick<PageContext, "callApi" | "me" | "actor">;

/** The maximum number of spokes in the list of spokes to copy. Others can be copied from their own pages. */
const MAX_COPYABLE = "100";

async function show({ callApi, me, actor }: Call, formState: FormState, copyOf: string | undefined) {
  const [hub, catalog] = await Promise.all([callApi(getHub), callApi(getCatalog)]);
  requireHubAdmin(actor, hub.id);
  const source = copyOf === undefined ? null : await readSource({ callApi }, copyOf);
  const copyable = source
    ? []
    : listCopyableSpokes((await callApi(getMySpokes, { query: { limit: MAX_COPYABLE } })).items, hub);
  const { preview = null, values } = formState, size = values.size ?? source?.spoke.size;
  const cost = preview?.price ?? await callApi(previewCost, { query: { size } }).catch(unavailableCost);
  return newSpokeView({ me, hub, catalog, ...formState, preview, cost, source, copyable });
}

async function readSource({ callApi }: Pick<Call, "callApi">, spokeId: string): Promise<SpokeToCopy> {
  const params = { spokeId };
  const [spoke, backups] = await Promise.all([callApi(getOneSpoke, { params }), callApi(getBackups, { params })]);
  return { spoke, backups };
}

/** Converts a Fault to the reason why no price is available, so that the page works without a price. */
function unavailableCost(error: unknown): CostEstimate {
  if (error instanceof Fault) return { available: false, reason: error.message };
  throw error;
}

export const GET = portalPage({
  summary: "The form for creating a spoke, or for copying the spoke that copyOf names",
  query: optionalQuerySchema("copyOf"),
  show: (call) => show(call, { values: {} }, call.query.copyOf),
});

export const POST = formAction({
  summary: "Create a spoke, or show a preview of the spoke",
  body: formSchema(...SETTABLE_FIELDS, ...["copyOf", "copyBackup", "preview", "key"] as const),
  async submit(call) {
    const { preview, key, ...values } = call.body, filledValues = dropEmptyFields(values), { copyOf } = filledValues;
    if (preview && !filledValues.slug) return await show(call, { values }, copyOf);
    const body = convertCheckboxes(filledValues);
    const result = await call.callApi(create, preview ? { body, query: { dryRun: "true" } } : { body, key });
    return "usual" in result
      ? { to: `/spokes/${result.usual.id}?done=created` }
      : await show(call, { values, preview: result.other }, copyOf);
  },
  onRefusal: (call, submission) => show(call, { values: submission.values, submission }, call.body.copyOf || undefined),
});
