/** Plans a change of a spoke's settings: checks the new values, and decides which operation is needed. */
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { requireOfferedValues } from "#lib/catalog/catalog.ts";
import { canManageHub } from "#lib/domains/federations/viewer.ts";
import type { Job } from "#lib/jobs/job.ts";
import { listLiveOperations } from "#lib/jobs/store.ts";
import { readSpokeActionFacts } from "#lib/domains/spokes/actions.ts";
import {
  domainTakenFault,
  getServiceDomains,
  listCandidateDomains,
  listParentDomains,
} from "#lib/domains/spokes/domains.ts";
import { isDomainInUse } from "#lib/domains/spokes/names.ts";
import { type AcceptedAction, requireActionAllowed } from "#lib/operations/check-action.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import type { SpokePatch } from "#lib/domains/spokes/views.ts";
import {
  diffSpokeFields,
  findPendingChanges,
  type SpokeFieldChanges,
  withRequestedDomain,
} from "#lib/domains/spokes/desired.ts";

interface PatchPlan {
  readonly desired: SpokeRow;
  readonly changes: SpokeFieldChanges;
  /**
   * How the site gets the changes. `nothing`: no operation is needed. `install`: the future install will include the
   * changes. `waiting`: a queued operation will include the changes. Otherwise: the new operation.
   */
  readonly execution: "nothing" | "install" | "waiting" | AcceptedAction;
}

/** Plans the patch. `rows` is a transaction or a connection. */
export async function planSpokePatch(
  rows: RowQueries,
  app: App,
  actor: Actor,
  before: SpokeRow,
  patch: SpokePatch,
): Promise<PatchPlan> {
  const current = withRequestedDomain(before), target = { ...current, ...selectDefined(patch) };
  const changes = diffSpokeFields(current, target);
  const live = await listLiveOperations(rows, before.id), isNotBuilt = isUnbuilt(before, live);
  // Checks only changed fields, so that clients can send unchanged values that the catalog no longer offers.
  const { brand, contentMode } = changes;
  requireOfferedValues(app.catalog, { brand: brand?.to ?? undefined, contentMode: contentMode?.to ?? undefined });
  if (changes.brand) await requireOwnBrand(rows, before);
  if (changes.identity) requireHubManager(actor, before, "use of the hub's sign-in");
  if (changes.content || contentMode) requireHubManager(actor, before, "use of the hub's courses");
  if (changes.domain) await requireFreeDomain(rows, app, actor, before, target.domain, live);
  const desired: SpokeRow = { ...target, ...domainColumns(before, target.domain, isNotBuilt) };
  const pending = findPendingChanges(target, before.blueprintInputs), changed = Object.keys(changes).length > 0;
  const isConfiguring = live.some(({ kind }) => kind === "configure");
  if (!changed && (isConfiguring || Object.keys(pending).length === 0)) {
    return { desired, changes, execution: "nothing" };
  }
  if (isNotBuilt) return { desired, changes, execution: "install" };
  if (live.some((job) => job.kind === "configure" && isUntouched(job))) {
    return { desired, changes, execution: "waiting" };
  }
  const execution = requireActionAllowed("configure", await readSpokeActionFacts(rows, before));
  // If the request repeats a failed change, reports the changes that are not yet applied to the site.
  return { desired, changes: changed ? changes : pending, execution };
}

/** Throws a `forbidden` fault (`policy_fixed`) if the hub shares a brand and does not let its spokes choose another. */
async function requireOwnBrand(rows: RowQueries, { federationId }: SpokeRow): Promise<void> {
  const { policy } = await rows.selectFrom("federations").select("policy").where("id", "=", federationId)
    .executeTakeFirstOrThrow();
  const brand = policy?.brand;
  if (!brand || Object.keys(brand.values).length === 0 || brand.overridable.includes("preset")) return;
  throw new Fault("forbidden", "policy_fixed", "The hub does not let its spokes change brand");
}

function selectDefined(patch: SpokePatch): Partial<SpokeRow> {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
}

/** Returns the domain columns. An installed site keeps its domain until the site responds at the requested domain. */
function domainColumns(
  { domain }: SpokeRow,
  requested: string,
  isNotBuilt: boolean,
): Pick<SpokeRow, "domain" | "requestedDomain"> {
  if (isNotBuilt) return { domain: requested, requestedDomain: null };
  return { domain, requestedDomain: requested === domain ? null : requested };
}

/** Throws a fault if the caller may not change the domain, or if no spoke can use it. Does not use the database. */
export function requireAllowedDomain(
  { config }: App,
  actor: Actor,
  spoke: SpokeRow,
  domain: string,
): void {
  requireHubManager(actor, spoke, "domain");
  listCandidateDomains(config, spoke.slug, "", domain);
}

function requireHubManager(actor: Actor, { federationId }: SpokeRow, property: string): void {
  if (canManageHub(actor, federationId)) return;
  const message = `Only operators and admins of the hub can change the ${property} of a spoke`;
  throw new Fault("forbidden", "federation_admin_only", message);
}

/** Throws a fault unless the spoke can use the domain. The spoke's own domains do not count as taken. */
async function requireFreeDomain(
  rows: RowQueries,
  app: App,
  actor: Actor,
  spoke: SpokeRow,
  domain: string,
  live: readonly Job[],
): Promise<void> {
  requireAllowedDomain(app, actor, spoke, domain);
  const { id, requestedDomain } = spoke;
  if (requestedDomain !== null && live.some((job) => job.kind === "configure" && !isUntouched(job))) {
    const message =
      `Cannot change the domain of a spoke that is moving to ${requestedDomain}; wait until the move is finished`;
    throw new Fault("conflict", "spoke_state", message);
  }
  if (await isDomainInUse(rows, domain, listParentDomains(domain, getServiceDomains(app.config)), id)) {
    throw domainTakenFault([domain]);
  }
}

/** Returns whether the spoke's install has not started, or has failed and can be retried. */
export function isUnbuilt({ state, readyAt }: SpokeRow, live: readonly Job[]): boolean {
  if (state === "failed") return readyAt === null;
  return state === "provisioning" && live.every(isUntouched);
}

export function isUntouched({ startedAt }: Job): boolean {
  return startedAt === null;
}
