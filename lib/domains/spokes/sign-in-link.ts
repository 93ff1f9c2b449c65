/**
 * Creates sign-in links, with which a site's administrator can set a password and sign in. A sign-in link is Moodle's
 * own password reset link. Links are not stored, and the audit event is written before the link is shown.
 */
import { sql } from "kysely";
import { buildSpokeSubject } from "#lib/audit/store.ts";
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { formatSpokeUrl } from "#lib/catalog/inputs.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { spokeMissingFault } from "#lib/domains/spokes/access.ts";
import { readSpokeActionFacts } from "#lib/domains/spokes/actions.ts";
import { runSignInLinkJob } from "#lib/domains/spokes/sign-in-job.ts";
import { findStateTransition } from "#lib/operations/check-action.ts";
import type { SpokeState } from "#lib/model/states.ts";
import { findSpoke, lockSpoke, type SpokeRow } from "#lib/domains/spokes/store.ts";
import type { SignInLink } from "#lib/domains/spokes/views.ts";
import { SECOND } from "#lib/base/time.ts";

const MAX_LINKS = 10; // links per user and hour

/** The advice in the error message, by spoke state. In all other states, the advice is to wait for the operation. */
const NEXT_STEP: { readonly [S in SpokeState]?: string } = {
  provisioning: "wait until it is active",
  failed: "fix the failure, and retry the spoke",
  suspended: "resume it first",
  removing: "the spoke will be deleted",
};

/**
 * Creates a sign-in link. Throws a fault: `conflict` (`spoke_state`), `limited` (`too_many_links`), or a fault from
 * `runSignInLinkJob`.
 */
export async function createSignInLink(
  app: App,
  actor: Actor,
  spoke: SpokeRow,
  signal: AbortSignal,
): Promise<SignInLink> {
  await requireOpenSite(app.db.rows, spoke);
  await requireBelowLimit(app.db.rows, actor);
  const { token, expires } = await runSignInLinkJob(app, actor, spoke, signal).catch(async (error) => {
    const after = await findSpoke(app.db.rows, spoke.id, "hidden");
    if (!after) throw spokeMissingFault();
    // Checks the site again: if an operation has closed the site, this fault explains the failure better than `error`.
    await requireOpenSite(app.db.rows, after);
    throw error;
  });
  const expiresAt = new Date(expires * SECOND);
  return await app.db.transact(async (tx) => {
    await lockSignInLinks(tx, actor.userId);
    await requireBelowLimit(tx, actor);
    const row = await lockSpoke(tx, spoke.id);
    if (row.state === "removed") throw spokeMissingFault();
    await requireOpenSite(tx, row);
    await recordChange(tx, actor, {
      audit: [{
        kind: "spoke_sign_in_link_created",
        ...buildSpokeSubject(row),
        metadata: { slug: row.slug, expiresAt: expiresAt.toISOString() },
      }],
    });
    const url = new URL("/login/forgot_password.php", formatSpokeUrl({ ...row.blueprintInputs, host: row.domain }));
    url.searchParams.set("token", token);
    return { url: url.href, expiresAt };
  });
}

/** Throws a fault unless the site is open and no queued operation will close it. */
async function requireOpenSite(rows: RowQueries, spoke: SpokeRow): Promise<void> {
  const { state, live, maintenance } = await readSpokeActionFacts(rows, spoke);
  const blocking = live.find((kind) => findStateTransition(kind) !== null);
  if (state !== "active" || blocking !== undefined) {
    const next = NEXT_STEP[state] ?? `wait until its ${blocking ?? "operation"} has ended`;
    throw new Fault("conflict", "spoke_state", `Cannot create a sign-in link for a spoke that is ${state}; ${next}`);
  }
  if (!maintenance) return;
  const message = "Cannot create a sign-in link for a spoke in maintenance mode; turn maintenance mode off first";
  throw new Fault("conflict", "spoke_state", message);
}

async function requireBelowLimit(rows: RowQueries, { userId }: Actor): Promise<void> {
  const retryAfter = await getSignInLinkDelay(rows, userId, MAX_LINKS);
  if (retryAfter === null) return;
  const message = `You created ${MAX_LINKS} sign-in links within the last hour; wait before you create another link`;
  throw new Fault("limited", "too_many_links", message, { retryAfter });
}

/** Blocks other sign-in links for the user until the transaction ends, so that links are counted correctly. */
export async function lockSignInLinks(tx: Tx, userId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`wheelwright: sign-in links of ${userId}`}, 0))`.execute(
    tx,
  );
}

/** Returns the seconds until the user may create another sign-in link, or null if a link is allowed now. */
async function getSignInLinkDelay(rows: RowQueries, userId: string, limit: number): Promise<number | null> {
  const found = await rows.selectFrom("audit_events")
    .select(sql<number>`extract(epoch from at + interval '1 hour' - wheelwright_now())::float8`.as("wait"))
    .where("actorId", "=", userId).where("kind", "=", "spoke_sign_in_link_created")
    .where("at", ">", sql<Date>`wheelwright_now() - interval '1 hour'`)
    .orderBy("at", "desc").offset(limit - 1).limit(1).executeTakeFirst();
  return found?.wait ?? null;
}
