/**
 * Looks at what readers may see: many rights in one query, one query at a time.
 *
 * While the database cannot say what a reader may see, the look is tried again and the reader waits.
 */
import type { Database, Rows } from "#lib/drivers/db/database.ts";
import { runDetached } from "#lib/base/work-context.ts";
import { messageOf } from "#lib/base/errors.ts";
import type { Log } from "#lib/base/log.ts";
import { backoff, SECOND, sleep } from "#lib/base/time.ts";

/** What a reader may see of a hub: everything, all events without an operator's means, or those of these spokes alone. */
export type StreamVisibility = "all" | "plain" | ReadonlySet<string>;

export interface Follower {
  readonly credentialId: string;
  readonly userId: string;
  readonly federationId: string;
}

export interface VisibilityDecision {
  readonly visibility: StreamVisibility;
  /** Milliseconds until the credential ends by itself. */
  readonly expiresInMs: number;
}

/** What each of these may see, in their order; null for one that may follow its hub no longer. */
export type ReadVisibility = (
  rows: Rows,
  followers: readonly Follower[],
) => Promise<readonly (VisibilityDecision | null)[]>;

/** What a credential may see of a hub, for all streams that it follows the hub with. */
export interface HubAccess extends Follower {
  /** How each ends. */
  readonly endStreams: Set<() => void>;
  visibility: StreamVisibility | null;
  /** When the look that decided it began, and until when that holds. */
  decidedAt: number;
  expiresAt: number;
  /** Whether its user's wake-up came after the look under way began. */
  changed: boolean;
  /** The next look. */
  nextCheck: PromiseWithResolvers<void>;
}

export interface AccessChecks {
  /** Looks at the right soon; settles after that look, or its failure. */
  check(access: HubAccess): Promise<void>;
  /** Looks at it no more. */
  remove(access: HubAccess): void;
}

interface AccessChecksOptions {
  /** Called for a right that is one no longer. */
  readonly onLost: (access: HubAccess) => void;
  readonly closing: AbortSignal;
}

const BATCH_SIZE = 1000; // rights in one query, so that no decision is old before the query ends

export function openAccessChecks(
  db: Database,
  log: Log,
  readVisibility: ReadVisibility,
  { onLost, closing }: AccessChecksOptions,
): AccessChecks {
  const pending = new Set<HubAccess>();
  let isRunning = false;

  function check(access: HubAccess): Promise<void> {
    pending.add(access);
    if (!isRunning) void runDetached(runChecks);
    return access.nextCheck.promise;
  }

  async function runChecks(): Promise<void> {
    isRunning = true;
    await null; // all who ask in the same moment are in the same look
    for (let failures = 0; pending.size > 0 && !closing.aborted;) {
      try {
        await checkBatch([...pending].slice(0, BATCH_SIZE));
        failures = 0;
      } catch (error) {
        const level = failures === 0 ? "warn" : "debug"; // said once; the rest would say the same until it is over
        log[level]("Cannot look at what readers may see; they wait", { reason: messageOf(error) });
        await sleep(backoff(++failures, 100, 2 * SECOND), closing).catch(() => {});
      }
    }
    isRunning = false;
  }

  async function checkBatch(batch: readonly HubAccess[]): Promise<void> {
    const checks = batch.map((access) => {
      const { nextCheck } = access;
      pending.delete(access);
      access.changed = false;
      access.nextCheck = Promise.withResolvers();
      return nextCheck;
    });
    try {
      const { at, sights: decisions } = await db.streams.connection().execute(async (rows) => {
        return { at: performance.now(), sights: await readVisibility(rows, batch) };
      });
      batch.forEach((access, i) => applyDecision(access, decisions[i] ?? null, at));
    } catch (error) {
      for (const access of batch) if (access.endStreams.size > 0) pending.add(access);
      throw error;
    } finally {
      for (const { resolve } of checks) resolve();
    }
  }

  function applyDecision(access: HubAccess, decision: VisibilityDecision | null, at: number): void {
    if (decision === null) return onLost(access);
    if (access.changed) return;
    access.visibility = decision.visibility;
    access.decidedAt = at;
    access.expiresAt = at + decision.expiresInMs;
  }

  return { check, remove: (access) => void pending.delete(access) };
}

export function createHubAccess({ credentialId, userId, federationId }: Follower): HubAccess {
  const undecided = {
    visibility: null,
    decidedAt: -Infinity,
    expiresAt: Infinity,
    changed: false,
    nextCheck: Promise.withResolvers<void>(),
  };
  return { credentialId, userId, federationId, endStreams: new Set(), ...undecided };
}
