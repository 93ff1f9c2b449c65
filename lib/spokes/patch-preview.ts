/** What changing a spoke would come to: judged as the real thing, asked of the cluster by its own dry run; nothing is written. */
import type { App } from "#lib/app.ts";
import { NO_COST } from "#lib/billing/cost.ts";
import { OPERATION_KINDS } from "#lib/jobs/kinds.ts";
import { planPatch } from "#lib/spokes/patch.ts";
import type { SpokeRow } from "#lib/spokes/store.ts";
import type { ActionPreview, SpokePatch } from "#lib/spokes/views.ts";
import type { Changes } from "#lib/spokes/wish.ts";

/** Throws the Faults that the patch itself would. */
export async function previewPatch(app: App, spoke: SpokeRow, patch: SpokePatch): Promise<ActionPreview> {
  const { changes, by } = await planPatch(app.db.rows, app, spoke, patch);
  const isAsked = by !== "nothing" && by !== "install";
  return {
    dryRun: true,
    action: "configure",
    spokeId: spoke.id,
    state: spoke.state,
    becomes: typeof by === "object" ? by.becomes : spoke.state,
    downtime: false,
    steps: isAsked ? OPERATION_KINDS.configure.steps.map(({ label }) => label) : [],
    changes: [],
    notes: [...wordsOf(changes), ...(by === "install" ? ["The site is installed with it"] : [])],
    price: NO_COST,
  };
}

const NAMES: Readonly<Record<string, string>> = {
  displayName: "The site's full name",
  brand: "Its brand",
  adminEmail: "The address of its administrator",
};

function wordsOf(changes: Changes): string[] {
  return Object.entries(changes).map(([field, { from, to }]) =>
    `${NAMES[field]} becomes ${to}; it is ${from ?? "none"}`
  );
}
