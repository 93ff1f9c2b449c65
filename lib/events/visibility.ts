/**
 * Checks which events the readers of event streams may see. One query checks many readers, and only one query runs at a
 * time. If the database does not respond, the check is retried while the readers wait.
 */
import type { Database, RowQueries } from "#lib/drivers/db/database.ts";
import { runWithoutContext } from "#lib/base/work-context.ts";
import { getErrorMessage } from "#lib/base/errors.ts";
import type { Log } from "#lib/base/log.ts";
import { backoffDelay, SECOND, sleep } from "#lib/base/time.ts";

/**
 * The events of a hub that a reader may see: all, all without operator details (`plain`), or only those of some spokes.
 */
export type StreamVisibility = "all" | "plain" | ReadonlySet<string>;

export interface StreamFollower {
  readonly credentialId: string;
  readonly userId: string;
  readonly federationId: string;
}

export interface VisibilityDecision {
  readonly visibility: StreamVisibility;
  /** The time until the credential expires, in milliseconds. */
  readonly expiresInMs: number;
}

/** Returns which events each follower may see, in the given order. Null for a follower without access to the hub. */
export type ReadVisibility = (
  rows: RowQueries,
  followers: readonly StreamFollower[],
) => Promise<readonly (VisibilityDecision | null)[]>;

/** The access that one credential has to one hub. All streams with this credential and hub share this object. */
export interface HubAccess extends StreamFollower {
  readonly endStreams: Set<() => void>;
  visibility: StreamVisibility | null;
  /** When the last successful access check started (`performance.now()`). */
  decidedAt: number;
  /** When the credential expires (`performance.now()`). */
  expiresAt: number;
  /** Whether the user's rights may have changed since the running check started. */
  changed: boolean;
  /** Resolves when the next access check has finished. */
  nextCheck: PromiseWithResolvers<void>;
}

export interface AccessChecks {
  /** Requests an access check. The promise resolves when the check has succeeded or failed. */
  check(access: HubAccess): Promise<void>;
  remove(access: HubAccess): void;
}

interface AccessChecksOptions {
  /** Called when a credential no longer has access to a hub. */
  readonly onLost: (access: HubAccess) => void;
  readonly closing: AbortSignal;
}

const BATCH_SIZE = 1000; // accesses per query; with more, the result could be outdated before the query ends

export function createAccessChecks(
  db: Database,
  log: Log,
  readVisibility: ReadVisibility,
  { onLost, closing }: AccessChecksOptions,
): AccessChecks {
  const pending = new Set<HubAccess>();
  let isRunning = false;

  function check(access: HubAccess): Promise<void> {
    pending.add(access);
    if (!isRunning) void runWithoutContext(runChecks);
    return access.nextCheck.promise;
  }

  async function runChecks(): Promise<void> {
    isRunning = true;
    await null; // so that requests made at the same moment share one check
    for (let failures = 0; pending.size > 0 && !closing.aborted;) {
      try {
        await checkBatch([...pending].slice(0, BATCH_SIZE));
        failures = 0;
      } catch (error) {
        const level = failures === 0 ? "warn" : "debug"; // only the first failure is logged as a warning
        log[level]("Cannot check access to event streams; trying again", { reason: getErrorMessage(error) });
        await sleep(backoffDelay(++failures, 100, 2 * SECOND), closing).catch(() => {});
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
      const { at, decisions } = await db.streams.connection().execute(async (rows) => {
        return { at: performance.now(), decisions: await readVisibility(rows, batch) };
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

export function createHubAccess({ credentialId, userId, federationId }: StreamFollower): HubAccess {
  const initialState = {
    visibility: null,
    decidedAt: -Infinity,
    expiresAt: Infinity,
    changed: false,
    nextCheck: Promise.withResolvers<void>(),
  };
  return { credentialId, userId, federationId, endStreams: new Set(), ...initialState };
}
