/** Previews the creation of a spoke, with the same checks as a real creation. Writes nothing. */
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { type Cost, UNAVAILABLE_COST } from "#lib/domains/billing/views.ts";
import { buildNewSpokeCostChange, previewCost, previewCostOrReason } from "#lib/domains/billing/preview.ts";
import { SPOKE_INSTALL_STEPS } from "#lib/moodle/blueprint-files.ts";
import { formatSpokeUrl } from "#lib/catalog/inputs.ts";
import { requireOfferedValues } from "#lib/catalog/catalog.ts";
import { requireLiveHub } from "#lib/domains/federations/state.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { canManageHub } from "#lib/domains/federations/viewer.ts";
import {
  buildBlueprintInputs,
  buildSpokeRow,
  requireTierAllowsSpoke,
  returnNoCopySource,
  selectNewSpokeCluster,
  slugTakenFault,
} from "#lib/domains/spokes/create.ts";
import { applyDefaults } from "#lib/domains/spokes/defaults.ts";
import { requireVerifiedDomain } from "#lib/domains/spokes/domain-verification.ts";
import {
  domainTakenFault,
  getServiceDomains,
  listCandidateDomains,
  listParentDomains,
} from "#lib/domains/spokes/domains.ts";
import { isDomainInUse } from "#lib/domains/spokes/names.ts";
import { isSlugInUse } from "#lib/domains/spokes/store.ts";
import type { NewSpoke, SpokePreview } from "#lib/domains/spokes/views.ts";

/** Previews a new spoke. The shown ID and namespace are examples; the real values are generated at creation. */
export async function previewSpoke(
  app: App,
  actor: Actor,
  federation: FederationRow,
  input: NewSpoke,
  signal: AbortSignal,
  findCopySource = returnNoCopySource,
): Promise<SpokePreview> {
  requireLiveHub(federation.state, "add a spoke to");
  const source = await findCopySource(app, actor, input);
  const desired = applyDefaults(app.catalog, federation, actor.email, input, source?.spoke);
  const domains = listCandidateDomains(app.config, desired.slug, federation.slug, input.domain);
  await requireVerifiedDomain(app, actor, federation, domains, signal);
  if (await isSlugInUse(app.db.rows, federation.id, desired.slug)) throw slugTakenFault(desired.slug);
  const plan = await source?.preview(), own = buildSpokeRow(app, federation.id, desired, plan);
  const spoke = { ...own, domain: await findFreeDomain(app, domains) };
  const cluster = selectNewSpokeCluster(app, federation, desired.region);
  const inputs = buildBlueprintInputs(app, { ...spoke, hubTier: federation.tier }, cluster, plan);
  await requireTierAllowsSpoke(app.db.rows, app, federation, inputs);
  const { usage: demand, quota, problems: over } = app.blueprint.quotaUsage(inputs);
  const price = await previewCostOrReason(app, buildNewSpokeCostChange(federation.id, desired.size), signal);
  return {
    dryRun: true,
    spoke: {
      ...spoke,
      url: formatSpokeUrl(inputs),
      moodleVersion: spoke.lmsVersion,
      from: plan?.from ?? null,
      storagePercent: null,
    },
    // Excludes Secrets, which are generated in the cluster and never shown.
    objects: SPOKE_INSTALL_STEPS.flatMap((step) => app.blueprint.spokeObjects(inputs, step)),
    quota: { demand, quota, over: [...over] },
    price,
  };
}

/** Returns the first free domain. Throws a `conflict` fault (`domain_taken`) if no domain is free. */
async function findFreeDomain({ db, config }: App, domains: readonly string[]): Promise<string> {
  for (const domain of domains) {
    if (!await isDomainInUse(db.rows, domain, listParentDomains(domain, getServiceDomains(config)))) return domain;
  }
  throw domainTakenFault(domains);
}

/** Previews the cost of adding a spoke. Throws a fault: `invalid` (`not_offered`) or `unavailable`. */
export async function previewNewSpokeCost(
  app: App,
  actor: Actor,
  federation: Pick<FederationRow, "id">,
  { size, signal }: { readonly size: string | undefined; readonly signal: AbortSignal },
): Promise<Cost> {
  requireOfferedValues(app.catalog, { size });
  if (!canManageHub(actor, federation.id)) return UNAVAILABLE_COST;
  return await previewCost(app, buildNewSpokeCostChange(federation.id, size ?? app.catalog.defaults.size), signal);
}
