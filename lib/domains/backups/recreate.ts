/** Recreates removed spokes from their backups, even if the catalog no longer offers a spoke's version or size. */
import type { App } from "#lib/app.ts";
import type { Requester } from "#lib/audit/requester.ts";
import type { Backup } from "#lib/domains/backups/store.ts";
import { getMinimumDiskSizes, requireUsableBackup } from "#lib/domains/backups/usable.ts";
import { Fault } from "#lib/base/errors.ts";
import { requireLiveHub } from "#lib/domains/federations/state.ts";
import { type FederationRow, findFederation, lockFederationShared } from "#lib/domains/federations/store.ts";
import { buildVersionAndVolumesFromBackup, replaceVersionAndVolumes } from "#lib/moodle/site-base.ts";
import { fieldsWith, omitFields, pickFields } from "#lib/model/field.ts";
import { spokeFields } from "#lib/model/spoke.ts";
import { SpokeInputs } from "#lib/moodle/inputs.ts";
import { getAdoptionId } from "#lib/moodle/names.ts";
import type { Job } from "#lib/jobs/job.ts";
import { buildSpokeRow, insertUnderFreeDomain, recordNewSpoke, slugTakenFault } from "#lib/domains/spokes/create.ts";
import {
  domainTakenFault,
  getServiceDomains,
  listCandidateDomains,
  listParentDomains,
} from "#lib/domains/spokes/domains.ts";
import { isDomainInUse } from "#lib/domains/spokes/names.ts";
import { isSlugInUse, type NewSpokeRow, type SpokeRow } from "#lib/domains/spokes/store.ts";

type RecreateDependencies = Pick<App, "db" | "config">;

export interface RecreateRequest {
  readonly backupId?: string | undefined;
  /** The new spoke's name, as `hub/slug`. Defaults to the removed spoke's hub and slug. */
  readonly as?: string | undefined;
  /** The new spoke's domain. Defaults to the removed spoke's domain, or to a default domain if the slug is new. */
  readonly domain?: string | undefined;
}

export interface RecreatePlan {
  readonly hub: FederationRow;
  readonly slug: string;
  /** The free domains that the new spoke can use, in order of preference. */
  readonly domains: readonly string[];
  readonly backup: Backup;
}

/** Plans the new spoke. Throws the same faults as `createSpoke`, and a Refusal if the backup cannot be used. */
export async function planRecreation(
  { db, config }: RecreateDependencies,
  removed: SpokeRow,
  { backupId, as, domain }: RecreateRequest,
): Promise<RecreatePlan> {
  const backup = await requireUsableBackup(db.rows, removed, backupId);
  const [hubName, slug] = as === undefined ? [removed.federationId, removed.slug] : as.split("/") as [string, string];
  const hub = await findFederation(db.rows, hubName, "shown");
  if (!hub) throw new Fault("missing", "federation_missing", `The hub ${hubName} does not exist`);
  requireLiveHub(hub.state, "restore a spoke into");
  const keepsName = domain === undefined && slug === removed.slug;
  const domains = listCandidateDomains(config, slug, hub.slug, keepsName ? removed.domain : domain);
  if (await isSlugInUse(db.rows, hub.id, slug)) throw slugTakenFault(slug);
  const app = getServiceDomains(config);
  const taken = await Promise.all(domains.map((each) => isDomainInUse(db.rows, each, listParentDomains(each, app))));
  if (taken.every((isTaken) => isTaken)) throw domainTakenFault(domains);
  return { hub, slug, domains: domains.filter((_, i) => !taken[i]), backup };
}

export async function recreateSpoke(
  app: RecreateDependencies,
  requester: Requester,
  removed: SpokeRow,
  request: RecreateRequest,
): Promise<{ readonly spoke: SpokeRow; readonly job: Job }> {
  const { hub: { id }, slug, domains, backup } = await planRecreation(app, removed, request);
  return await app.db.transact(async (tx) => {
    const hub = await lockFederationShared(tx, id);
    requireLiveHub(hub.state, "restore a spoke into");
    const own = buildSpokeRow(app, hub.id, { ...copyRequestColumns(removed, backup), slug });
    const spoke = await insertUnderFreeDomain(
      tx,
      app.config,
      own,
      domains,
      (domain) => rowFrom(removed, backup, { ...own, domain }),
    );
    const restoredFrom = { spokeId: removed.id, backupId: backup.id };
    return { spoke, job: await recordNewSpoke(tx, requester, spoke, { metadata: { restoredFrom } }) };
  });
}

/** Returns the columns that a request for a new spoke would set, with the removed spoke's values. */
function copyRequestColumns(removed: SpokeRow, { lmsVersion }: Backup) {
  const settings = pickFields(removed, fieldsWith(spokeFields, "settable"));
  return {
    ...omitFields(settings, ["slug", "domain"]),
    mail: removed.mail,
    lmsVersion: lmsVersion ?? removed.lmsVersion,
  };
}

function rowFrom(
  removed: SpokeRow,
  backup: Backup,
  own: ReturnType<typeof buildSpokeRow> & { readonly domain: string },
): NewSpokeRow {
  const { certificate: _, formerHosts: __, ...previousInputs } = removed.blueprintInputs as SpokeInputs;
  const inputs = { ...previousInputs, images: backup.images ?? previousInputs.images };
  const siteBase = buildVersionAndVolumesFromBackup(
    inputs,
    { ...backup, minimumSizes: getMinimumDiskSizes(backup) },
    getAdoptionId(own.id),
  );
  const { claims: ___, ...fresh } = siteBase; // in its own namespace all names are free
  const { id: spokeId, federationId, namespace, slug, domain: host } = own;
  return {
    ...own,
    state: "provisioning",
    cluster: backup.cluster,
    blueprintRevision: removed.blueprintRevision,
    blueprintInputs: JSON.stringify(
      replaceVersionAndVolumes({ ...inputs, spokeId, federationId, namespace, slug, host }, fresh),
    ),
    siteIdentifier: backup.siteIdentifier ?? removed.siteIdentifier,
    fromBackup: backup.id,
    createdBy: removed.createdBy,
  };
}
