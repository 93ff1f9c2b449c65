/**
 * What changing a spoke would come to: judged as the real thing, asked of the cluster by its own dry run; nothing is
 * written.
 */
import * as v from "valibot";
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { NO_COST } from "#lib/domains/billing/cost.ts";
import { SpokeInputs } from "#lib/moodle/inputs.ts";
import { withMail } from "#lib/catalog/inputs.ts";
import { addressChanges, configure } from "#lib/operations/configure.ts";
import { askCluster } from "#lib/domains/spokes/ask-cluster.ts";
import type { ObjectChange } from "#lib/operations/change.ts";
import { KEPT_DAYS } from "#lib/domains/spokes/names.ts";
import { proveDomain } from "#lib/domains/spokes/patch.ts";
import { planPatch } from "#lib/domains/spokes/patch-plan.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import type { ActionPreview, SpokePatch } from "#lib/domains/spokes/views.ts";
import { type Changes, inputsAsWished } from "#lib/domains/spokes/wish.ts";

/** Throws the Faults that the patch itself would, and unavailable when the cluster cannot be asked. */
export async function previewPatch(
  app: App,
  actor: Actor,
  spoke: SpokeRow,
  patch: SpokePatch,
  signal: AbortSignal,
): Promise<ActionPreview> {
  await proveDomain(app, actor, spoke, patch, signal);
  const { wish, changes, by } = await planPatch(app.db.rows, app, actor, spoke, patch);
  const isAsked = by !== "nothing" && by !== "install", moves = isAsked && changes.domain !== undefined;
  const wanted = isAsked && spoke.namespaceUid !== null ? await changesOf(app, wish) : [];
  const { changes: seen, refusals } = await askCluster(app, actor, spoke, wanted, signal);
  return {
    dryRun: true,
    action: "configure",
    spokeId: spoke.id,
    state: spoke.state,
    becomes: typeof by === "object" ? by.becomes : spoke.state,
    downtime: isAsked && (moves || changes.mail !== undefined), // Moodle is started anew to read it
    steps: isAsked ? Object.values(configure.plan.steps).map(([label]) => label) : [],
    changes: seen,
    notes: [
      ...wordsOf(changes),
      ...(moves ? [`${spoke.domain} leads there for ${KEPT_DAYS} days, and to its front page alone`] : []),
      ...(by === "install" ? ["The site is installed with it"] : []),
      ...refusals,
    ],
    price: NO_COST,
  };
}

async function changesOf(app: App, wish: SpokeRow): Promise<ObjectChange[]> {
  const before = withMail(app.config, v.parse(SpokeInputs, wish.blueprintInputs));
  const changes = addressChanges(app.blueprint, before, await inputsAsWished(app, wish, before));
  return Object.values(changes).flat();
}

const NAMES: Readonly<Record<string, string>> = {
  displayName: "The site's full name",
  brand: "Its brand",
  adminEmail: "The address of its administrator",
  domain: "Its domain",
  mail: "Its mail",
};

function wordsOf(changes: Changes): string[] {
  return Object.entries(changes).map(([field, { from, to }]) =>
    `${NAMES[field]} becomes ${to}; it is ${from ?? "none"}`
  );
}
