/**
 * Makes a new spoke from a backup of one that is removed: under the name that it had, or another, by the same rules as any other
 * spoke, but for what is on offer: what there was can be had again whatever the catalogue lists by now.
 */
import type { App } from "#lib/app.ts";
import type { Asker } from "#lib/audit/asker.ts";
import type { Backup } from "#lib/domains/backups/store.ts";
import { demandUsable, leastDisks } from "#lib/domains/backups/usable.ts";
import { Fault } from "#lib/base/errors.ts";
import { refuseWhenLeaving } from "#lib/domains/federations/state.ts";
import { type FederationRow, findFederation, keepFederation } from "#lib/domains/federations/store.ts";
import { footingFrom, onFooting } from "#lib/moodle/footing.ts";
import { SpokeInputs } from "#lib/moodle/inputs.ts";
import { turnOf } from "#lib/moodle/names.ts";
import type { Job } from "#lib/jobs/job.ts";
import { announceSpoke, draftSpoke, placeSpoke, slugTaken } from "#lib/domains/spokes/create.ts";
import { domainsFor, domainTaken, namesAbove, ownNamesOf } from "#lib/domains/spokes/domains.ts";
import { isInUse } from "#lib/domains/spokes/names.ts";
import { hasSlug, type NewSpokeRow, type SpokeRow } from "#lib/domains/spokes/store.ts";

type Place = Pick<App, "db" | "config">;

export interface RecreateRequest {
  readonly backupId?: string | undefined;
  /** `hub/slug`, by default those that it had. */
  readonly as?: string | undefined;
  /** By default the one that it had, or of another slug the usual one. */
  readonly domain?: string | undefined;
}

export interface RecreatePlan {
  readonly hub: FederationRow;
  readonly slug: string;
  /** The first of them that is free. */
  readonly domains: readonly string[];
  readonly backup: Backup;
}

/** Throws the Faults of making a spoke, and a final ClusterError where the backup cannot be used. */
export async function planRecreation(
  { db, config }: Place,
  gone: SpokeRow,
  { backupId, as, domain }: RecreateRequest,
): Promise<RecreatePlan> {
  const backup = await demandUsable(db.rows, gone, backupId);
  const [hubName, slug] = as === undefined ? [gone.federationId, gone.slug] : as.split("/") as [string, string];
  const hub = await findFederation(db.rows, hubName, "shown");
  if (!hub) throw new Fault("missing", "federation_missing", `There is no hub ${hubName}`);
  refuseWhenLeaving(hub.state, "restore a spoke into");
  const keepsName = domain === undefined && slug === gone.slug;
  const domains = domainsFor(config, slug, hub.slug, keepsName ? gone.domain : domain);
  if (await hasSlug(db.rows, hub.id, slug)) throw slugTaken(slug);
  const place = ownNamesOf(config);
  const taken = await Promise.all(domains.map((each) => isInUse(db.rows, each, namesAbove(each, place))));
  if (taken.every((is) => is)) throw domainTaken(domains);
  return { hub, slug, domains: domains.filter((_, i) => !taken[i]), backup };
}

/** The spoke as it is made, and the operation that makes its site. */
export async function recreateSpoke(
  place: Place,
  asker: Asker,
  gone: SpokeRow,
  asked: RecreateRequest,
): Promise<{ readonly spoke: SpokeRow; readonly job: Job }> {
  const { hub: { id }, slug, domains, backup } = await planRecreation(place, gone, asked);
  return await place.db.transact(async (tx) => {
    const hub = await keepFederation(tx, id);
    refuseWhenLeaving(hub.state, "restore a spoke into");
    const own = draftSpoke(place, hub.id, { ...wishOf(gone, backup), slug });
    const spoke = await placeSpoke(
      tx,
      place.config,
      own,
      domains,
      (domain) => rowFrom(gone, backup, { ...own, domain }),
    );
    const restoredFrom = { spokeId: gone.id, backupId: backup.id };
    return { spoke, job: await announceSpoke(tx, asker, spoke, { more: { restoredFrom } }) };
  });
}

/** The columns that a request decides, as the spoke had them. */
function wishOf(gone: SpokeRow, { lmsVersion }: Backup) {
  const { displayName, size, identity, content, contentMode, brand, adminEmail, region, seed, mail } = gone;
  const version = lmsVersion ?? gone.lmsVersion, look = { brand, seed, contentMode };
  return { displayName, size, identity, content, ...look, adminEmail, region, mail, lmsVersion: version };
}

function rowFrom(
  gone: SpokeRow,
  backup: Backup,
  own: ReturnType<typeof draftSpoke> & { readonly domain: string },
): NewSpokeRow {
  const { certificate: _, formerHosts: __, ...had } = gone.blueprintInputs as SpokeInputs;
  const inputs = { ...had, images: backup.images ?? had.images };
  const footing = footingFrom(inputs, { ...backup, least: leastDisks(backup) }, turnOf(own.id));
  const { claims: ___, ...fresh } = footing; // in a namespace of its own, names are free
  const { id: spokeId, federationId, namespace, slug, domain: host } = own;
  return {
    ...own,
    state: "provisioning",
    cluster: backup.cluster,
    blueprintRevision: gone.blueprintRevision,
    blueprintInputs: JSON.stringify(onFooting({ ...inputs, spokeId, federationId, namespace, slug, host }, fresh)),
    siteIdentifier: backup.siteIdentifier ?? gone.siteIdentifier,
    fromBackup: backup.id,
    createdBy: gone.createdBy,
  };
}
