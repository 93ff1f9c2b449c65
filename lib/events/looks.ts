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
export type StreamSight = "all" | "plain" | ReadonlySet<string>;

export interface Follower {
  readonly credentialId: string;
  readonly userId: string;
  readonly federationId: string;
}

export interface Decision {
  readonly sight: StreamSight;
  /** Milliseconds until the credential ends by itself. */
  readonly endsIn: number;
}

/** What each of these may see, in their order; null for one that may follow its hub no longer. */
export type ReadSights = (rows: Rows, followers: readonly Follower[]) => Promise<readonly (Decision | null)[]>;

/** What a credential may see of a hub, for all streams that it follows the hub with. */
export interface Right extends Follower {
  /** How each ends. */
  readonly readers: Set<() => void>;
  sight: StreamSight | null;
  /** When the look that decided it began, and until when that holds. */
  decidedAt: number;
  endsAt: number;
  /** Whether its user's wake-up came after the look under way began. */
  changed: boolean;
  /** The next look. */
  looked: PromiseWithResolvers<void>;
}

export interface Looks {
  /** Looks at the right soon; settles after that look, or its failure. */
  ask(right: Right): Promise<void>;
  /** Looks at it no more. */
  drop(right: Right): void;
}

interface LooksOptions {
  /** Called for a right that is one no longer. */
  readonly lost: (right: Right) => void;
  readonly closing: AbortSignal;
}

const BATCH = 1000; // rights in one query, so that no decision is old before the query ends

export function openLooks(db: Database, log: Log, look: ReadSights, { lost, closing }: LooksOptions): Looks {
  const asked = new Set<Right>();
  let looking = false;

  function ask(right: Right): Promise<void> {
    asked.add(right);
    if (!looking) void runDetached(lookOn);
    return right.looked.promise;
  }

  async function lookOn(): Promise<void> {
    looking = true;
    await null; // all who ask in the same moment are in the same look
    for (let failed = 0; asked.size > 0 && !closing.aborted;) {
      try {
        await lookAt([...asked].slice(0, BATCH));
        failed = 0;
      } catch (error) {
        const level = failed === 0 ? "warn" : "debug"; // said once; the rest would say the same until it is over
        log[level]("Cannot look at what readers may see; they wait", { reason: messageOf(error) });
        await sleep(backoff(++failed, 100, 2 * SECOND), closing).catch(() => {});
      }
    }
    looking = false;
  }

  async function lookAt(batch: readonly Right[]): Promise<void> {
    const told = batch.map((right) => {
      const { looked } = right;
      asked.delete(right);
      right.changed = false;
      right.looked = Promise.withResolvers();
      return looked;
    });
    try {
      const { at, sights } = await db.streams.connection().execute(async (rows) => {
        return { at: performance.now(), sights: await look(rows, batch) };
      });
      batch.forEach((right, i) => settle(right, sights[i] ?? null, at));
    } catch (error) {
      for (const right of batch) if (right.readers.size > 0) asked.add(right);
      throw error;
    } finally {
      for (const { resolve } of told) resolve();
    }
  }

  function settle(right: Right, decision: Decision | null, at: number): void {
    if (decision === null) return lost(right);
    if (right.changed) return;
    right.sight = decision.sight;
    right.decidedAt = at;
    right.endsAt = at + decision.endsIn;
  }

  return { ask, drop: (right) => void asked.delete(right) };
}

export function newRight({ credentialId, userId, federationId }: Follower): Right {
  const undecided = {
    sight: null,
    decidedAt: -Infinity,
    endsAt: Infinity,
    changed: false,
    looked: Promise.withResolvers<void>(),
  };
  return { credentialId, userId, federationId, readers: new Set(), ...undecided };
}
