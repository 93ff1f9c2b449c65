import { GET as getRollout } from "#routes/api/rollouts/[rolloutId]/index.ts";
import { rolloutView } from "#lib/portal/rollouts/rollout.ts";
import { portalPage } from "#lib/portal/page/page.ts";

export const GET = portalPage({
  summary: "A rollout with its waves",
  show: async ({ callApi }) => rolloutView(await callApi(getRollout)),
});
