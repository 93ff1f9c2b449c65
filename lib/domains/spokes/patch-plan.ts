/** What a patch of a spoke comes to: the refusals, the row with the patch in it, and what brings the site to it. */
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import type { Rows } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { refuseUnlisted } from "#lib/catalog/catalog.ts";
import { runsHub } from "#lib/domains/federations/viewer.ts";
import type { Job } from "#lib/jobs/job.ts";
import { liveOperations } from "#lib/jobs/store.ts";
import { readFacts } from "#lib/domains/spokes/actions.ts";
import { domainsFor, domainTaken, namesAbove, ownNamesOf } from "#lib/domains/spokes/domains.ts";
import { isInUse } from "#lib/domains/spokes/names.ts";
import { type Acceptance, judgeAction } from "#lib/operations/judge.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import type { SpokePatch } from "#lib/domains/spokes/views.ts";
import { type Changes, changesBetween, unmetWish, wishOf } from "#lib/domains/spokes/wish.ts";

interface Plan {
  /** The row with the patch in it. */
  readonly wish: SpokeRow;
  readonly changes: Changes;
  /**
   * What brings the site to it: `nothing` where nothing is to be done or somebody is at it, the install that is to come
   * or the operation that waits already, or a new operation.
   */
  readonly by: "nothing" | "install" | "waiting" | Acceptance;
}

/** As things stand in this transaction, or for this reader. */
export async function planPatch(
  rows: Rows,
  app: App,
  actor: Actor,
  before: SpokeRow,
  patch: SpokePatch,
): Promise<Plan> {
  const present = wishOf(before), asked = { ...present, ...given(patch) };
  const changes = changesBetween(present, asked);
  const live = await liveOperations(rows, before.id), unbuilt = isUnbuilt(before, live);
  // Only what changes is checked: a record sent back as it was is fine, whatever the catalogue lists by now.
  refuseUnlisted(app.catalog, { brand: changes.brand?.to ?? undefined });
  if (changes.domain) await requireDomain(rows, app, actor, before, asked.domain, live);
  const wish: SpokeRow = { ...asked, ...namesWith(before, asked.domain, unbuilt) };
  const lack = unmetWish(asked, before.blueprintInputs), changed = Object.keys(changes).length > 0;
  const isAtIt = live.some(({ kind }) => kind === "configure");
  if (!changed && (isAtIt || Object.keys(lack).length === 0)) return { wish, changes, by: "nothing" };
  if (unbuilt) return { wish, changes, by: "install" };
  if (live.some((job) => job.kind === "configure" && isUntouched(job))) return { wish, changes, by: "waiting" };
  const by = judgeAction("configure", await readFacts(rows, before));
  // Asked once more for what came to nothing: what is told is what the site lacks.
  return { wish, changes: changed ? changes : lack, by };
}

/** What is absent stays. */
function given(patch: SpokePatch): Partial<SpokeRow> {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
}

/** A site that is not built has its name at once; any other once it answers under it. */
function namesWith({ domain }: SpokeRow, wished: string, unbuilt: boolean): Pick<SpokeRow, "domain" | "wishedDomain"> {
  if (unbuilt) return { domain: wished, wishedDomain: null };
  return { domain, wishedDomain: wished === domain ? null : wished };
}

/** What can be said of the name without looking at others: who may ask for it, and whether any spoke could have it. */
export function refuseDomain({ config }: App, actor: Actor, { federationId, slug }: SpokeRow, domain: string): void {
  if (!runsHub(actor, federationId)) {
    const message = "Only an operator or an admin of its hub may give a spoke another domain";
    throw new Fault("forbidden", "federation_admin_only", message);
  }
  domainsFor(config, slug, "", domain);
}

/** Under the rules of a creation; a name that the spoke holds itself, or one above or below such a name, is free to it. */
async function requireDomain(
  rows: Rows,
  app: App,
  actor: Actor,
  spoke: SpokeRow,
  domain: string,
  live: readonly Job[],
): Promise<void> {
  refuseDomain(app, actor, spoke, domain);
  const { id, wishedDomain } = spoke;
  if (wishedDomain !== null && live.some((job) => job.kind === "configure" && !isUntouched(job))) {
    const message =
      `Cannot give another domain to a spoke that is moving to ${wishedDomain}; wait until that has ended`;
    throw new Fault("conflict", "spoke_state", message);
  }
  if (await isInUse(rows, domain, namesAbove(domain, ownNamesOf(app.config)), id)) throw domainTaken([domain]);
}

/** Whether an install is still to read what it makes: one that waits for its turn, or the retry of a failed one. */
function isUnbuilt({ state, readyAt }: SpokeRow, live: readonly Job[]): boolean {
  if (state === "failed") return readyAt === null;
  return state === "provisioning" && live.every(isUntouched);
}

function isUntouched({ startedAt }: Job): boolean {
  return startedAt === null;
}
