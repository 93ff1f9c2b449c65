import * as v from "valibot";
import { GET as getCatalog } from "#routes/api/catalog.ts";
import { POST as actOnAll } from "#routes/api/spokes/actions.ts";
import { Fault } from "#lib/base/errors.ts";
import * as bulk from "#lib/portal/fleet/bulk.ts";
import { readBulkSelection } from "#lib/portal/fleet/bulk-form.ts";
import type { RefusedSubmission } from "#lib/portal/components/forms.ts";
import { formAction, type PageContext } from "#lib/portal/page/page.ts";
import type { PreviewedBulkAction } from "#lib/portal/components/api-types.ts";
import type { PageView } from "#lib/portal/components/view.ts";

type Call = PageContext<Record<string, never>, Record<string, string>>;

export const POST = formAction({
  summary: "Preview, confirm and run an action on selected spokes, or on all spokes that match a filter",
  body: v.record(v.string(), v.string()),
  async submit(call: Call) {
    const { callApi, body: values } = call, { action = "", confirmed, count, confirmation = "" } = values;
    const props = { action, values }, selection = readBulkSelection(values);
    if (selection === null) return bulk.noBulkSelectionView(props);
    if (bulk.needsParameter(props)) return bulk.bulkParametersView({ ...props, catalog: await callApi(getCatalog) });
    if (!confirmed) return await showPreview(call);
    if (action === "destroy" && confirmation.trim() !== bulk.removalConfirmation(Number(count))) {
      const problem = `must be: ${bulk.removalConfirmation(Number(count))}`;
      return await showPreview(call, {
        submission: { values: {}, message: problem, problems: { confirmation: problem } },
      });
    }
    const body = { ...selection, ...bulk.bulkParameters(props), action };
    const { spokes } = await preview(call);
    try {
      const result = await callApi(actOnAll, { body: { ...body, expected: values.expected } });
      const answers = "usual" in result ? result.usual : [];
      if (answers.every(({ accepted }) => accepted)) return { to: `${bulk.bulkListPath(values)}?done=asked` };
      return bulk.bulkResultsView({
        ...props,
        answers,
        domains: new Map(spokes.map(({ spokeId, domain }) => [spokeId, domain])),
      });
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== "selection_changed") throw error;
      return await showPreview(call, { warning: error.message });
    }
  },
});

interface PreviewExtras {
  readonly warning?: string;
  readonly submission?: RefusedSubmission;
}

async function showPreview(call: Call, extras: PreviewExtras = {}): Promise<PageView> {
  const { action = "" } = call.body;
  return bulk.bulkPreviewView({ action, values: call.body, ...extras, preview: await preview(call) });
}

async function preview({ callApi, body: values }: Call): Promise<PreviewedBulkAction> {
  const { action = "" } = values;
  const body = { ...readBulkSelection(values), ...bulk.bulkParameters({ action, values }), action };
  const result = await callApi(actOnAll, { query: { dryRun: "true" }, body });
  return (result as Extract<typeof result, { other: unknown }>).other;
}
