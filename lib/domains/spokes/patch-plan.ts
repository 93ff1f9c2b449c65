/** What a patch of a spoke comes to: the refusals, the row with the patch in it, and what brings the site to it. */
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import type { Rows } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { requireOffered } from "#lib/catalog/catalog.ts";
import { canManageHub } from "#lib/domains/federations/viewer.ts";
import type { Job } from "#lib/jobs/job.ts";
import { liveOperations } from "#lib/jobs/store.ts";
import { readFacts } from "#lib/domains/spokes/actions.ts";
import { domainsFor, domainTakenFault, ownNamesOf, parentNames } from "#lib/domains/spokes/domains.ts";
import { isInUse } from "#lib/domains/spokes/names.ts";
import { type Acceptance, checkAction } from "#lib/operations/check-action.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import type { SpokePatch } from "#lib/domains/spokes/views.ts";
import { type Changes, diffFields, findPendingChanges, toDesired } from "#lib/domains/spokes/desired.ts";

interface PatchPlan {
  /** The row with the patch in it. */
  readonly desired: SpokeRow;
  readonly changes: Changes;
  /**
   * What brings the site to it: `nothing` where nothing is to be done or somebody is at it, the install that is to come
   * or the operation that waits already, or a new operation.
   */
  readonly execution: "nothing" | "install" | "waiting" | Acceptance;
}

/** As things stand in this transaction, or for this reader. */
export async function planPatch(
  rows: Rows,
  app: App,
  actor: Actor,
  before: SpokeRow,
  patch: SpokePatch,
): Promise<PatchPlan> {
  const current = toDesired(before), target = { ...current, ...selectDefined(patch) };
  const changes = diffFields(current, target);
  const live = await liveOperations(rows, before.id), isNotBuilt = isUnbuilt(before, live);
  // Only what changes is checked: a record sent back as it was is fine, whatever the catalogue lists by now.
  requireOffered(app.catalog, { brand: changes.brand?.to ?? undefined });
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
  const execution = checkAction("configure", await readFacts(rows, before));
  // Asked once more for what came to nothing: what is told is what the site lacks.
  return { desired, changes: changed ? changes : pending, execution };
}

/** What is absent stays. */
function selectDefined(patch: SpokePatch): Partial<SpokeRow> {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
}

/** A site that is not built has its name at once; any other once it answers under it. */
function domainColumns(
  { domain }: SpokeRow,
  requested: string,
  isNotBuilt: boolean,
): Pick<SpokeRow, "domain" | "wishedDomain"> {
  if (isNotBuilt) return { domain: requested, wishedDomain: null };
  return { domain, wishedDomain: requested === domain ? null : requested };
}

/** What can be said of the name without looking at others: who may ask for it, and whether any spoke could have it. */
export function requireAllowedDomain(
  { config }: App,
  actor: Actor,
  { federationId, slug }: SpokeRow,
  domain: string,
): void {
  if (!canManageHub(actor, federationId)) {
    const message = "Only an operator or an admin of its hub may change the domain of a spoke";
    throw new Fault("forbidden", "federation_admin_only", message);
  }
  domainsFor(config, slug, "", domain);
}

/** Under the rules of a creation; a name that the spoke holds itself, or one above or below such a name, is free to it. */
async function requireFreeDomain(
  rows: Rows,
  app: App,
  actor: Actor,
  spoke: SpokeRow,
  domain: string,
  live: readonly Job[],
): Promise<void> {
  requireAllowedDomain(app, actor, spoke, domain);
  const { id, wishedDomain } = spoke;
  if (wishedDomain !== null && live.some((job) => job.kind === "configure" && !isUntouched(job))) {
    const message =
      `Cannot change the domain of a spoke that is moving to ${wishedDomain}; wait until that is finished`;
    throw new Fault("conflict", "spoke_state", message);
  }
  if (await isInUse(rows, domain, parentNames(domain, ownNamesOf(app.config)), id)) throw domainTakenFault([domain]);
}

/** Whether an install is still to read what it makes: one that waits for its turn, or the retry of a failed one. */
function isUnbuilt({ state, readyAt }: SpokeRow, live: readonly Job[]): boolean {
  if (state === "failed") return readyAt === null;
  return state === "provisioning" && live.every(isUntouched);
}

function isUntouched({ startedAt }: Job): boolean {
  return startedAt === null;
}
