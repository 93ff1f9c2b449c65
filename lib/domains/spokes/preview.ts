/** What creating a spoke would come to: the same decisions and refusals as the real thing, and nothing is written. */
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { type Cost, NO_COST } from "#lib/domains/billing/cost.ts";
import { addedSpoke, previewCost, previewCostIfTold } from "#lib/domains/billing/preview.ts";
import { SPOKE_STEPS } from "#lib/moodle/files.ts";
import { spokeUrl } from "#lib/catalog/inputs.ts";
import { refuseUnlisted } from "#lib/catalog/catalog.ts";
import { refuseWhenLeaving } from "#lib/domains/federations/state.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { runsHub } from "#lib/domains/federations/viewer.ts";
import { clusterFor, draftSpoke, inputsOf, noCopy, slugTaken } from "#lib/domains/spokes/create.ts";
import { resolveWish } from "#lib/domains/spokes/defaults.ts";
import { requireProof } from "#lib/domains/spokes/domain-proof.ts";
import { domainsFor, domainTaken, namesAbove, ownNamesOf } from "#lib/domains/spokes/domains.ts";
import { isInUse } from "#lib/domains/spokes/names.ts";
import { hasSlug } from "#lib/domains/spokes/store.ts";
import type { NewSpoke, SpokePreview } from "#lib/domains/spokes/views.ts";

/** The id, and with it the namespace, are examples: the real ones are made when the spoke is. */
export async function previewSpoke(
  app: App,
  actor: Actor,
  federation: FederationRow,
  input: NewSpoke,
  signal: AbortSignal,
  findCopySource = noCopy,
): Promise<SpokePreview> {
  refuseWhenLeaving(federation.state, "add a spoke to");
  const source = await findCopySource(app, actor, input);
  const wish = resolveWish(app.catalog, federation, actor.email, input, source?.spoke);
  const domains = domainsFor(app.config, wish.slug, federation.slug, input.domain);
  await requireProof(app, actor, federation, domains, signal);
  if (await hasSlug(app.db.rows, federation.id, wish.slug)) throw slugTaken(wish.slug);
  const plan = await source?.look(), own = draftSpoke(app, federation.id, wish, plan);
  const spoke = { ...own, domain: await firstFree(app, domains) };
  const inputs = inputsOf(app, spoke, clusterFor(app, federation, wish.region), plan);
  const { demand, quota, over } = app.blueprint.quotaArithmetic(inputs);
  const price = await previewCostIfTold(app, addedSpoke(federation.id, wish.size), signal);
  return {
    dryRun: true,
    spoke: {
      ...spoke,
      url: spokeUrl(inputs),
      moodleVersion: spoke.lmsVersion,
      from: plan?.from ?? null,
    },
    // Secrets are made in the cluster alone, and are not shown.
    objects: SPOKE_STEPS.flatMap((step) => app.blueprint.spokeObjects(inputs, step)),
    quota: { demand, quota, over: [...over] },
    price,
  };
}

/** Throws Fault conflict `domain_taken`. */
async function firstFree({ db, config }: App, domains: readonly string[]): Promise<string> {
  for (const domain of domains) {
    if (!await isInUse(db.rows, domain, namesAbove(domain, ownNamesOf(config)))) return domain;
  }
  throw domainTaken(domains);
}

/**
 * For who runs the hub: what it pays is nothing to admins of single spokes. Throws Fault invalid `not_offered` for a size
 * that is not on offer, and unavailable `billing_unavailable`.
 */
export async function previewAddedCost(
  app: App,
  actor: Actor,
  federation: Pick<FederationRow, "id">,
  { size, signal }: { readonly size: string | undefined; readonly signal: AbortSignal },
): Promise<Cost> {
  refuseUnlisted(app.catalog, { size });
  if (!runsHub(actor, federation.id)) return NO_COST;
  return await previewCost(app, addedSpoke(federation.id, size ?? app.catalog.defaults.size), signal);
}
