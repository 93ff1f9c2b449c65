/** Records in the database which replica holds (runs) each job. A trigger on `jobs` records each claim, takeover and
 * end in the same transaction, so that the record is complete even after a replica was killed. */
import type { TestDatabase } from "#test/support/database.ts";
import { queryRows } from "#test/support/bench/query.ts";

/** A recorded change to a job's state or to the replica that runs the job. */
export interface HolderChange {
  readonly job: string;
  readonly kind: string;
  readonly lane: string | null;
  readonly spokeId: string | null;
  readonly federationId: string | null;
  readonly state: string;
  readonly holder: string | null;
  readonly fence: number;
  readonly stateBefore: string;
  readonly holderBefore: string | null;
  readonly fenceBefore: number;
  /**
   * Milliseconds between the previous replica's last heartbeat and this change. Null if no replica ran the job before.
   */
  readonly silence: number | null;
  /** The time of the change, in milliseconds since 1970. */
  readonly at: number;
}

// Ignores heartbeats later than 500 ms before the claim's transaction, because the claim cannot see heartbeats that
// were not committed when the transaction began. A live replica always has an earlier heartbeat.
const CREATE = [
  `create table bench_beats (id text not null, at timestamptz not null default clock_timestamp())`,
  `create function bench_beat() returns trigger language plpgsql as $$
  begin
    insert into bench_beats (id) values (new.id);
    return null;
  end $$`,
  `create trigger bench_beat after insert or update of heartbeat_at on replicas for each row execute function bench_beat()`,
  `create table bench_holds (
    n bigint generated always as identity primary key,
    job text not null, kind text not null, lane text, spoke_id text, federation_id text,
    state text not null, holder text, fence bigint not null,
    state_before text not null, holder_before text, fence_before bigint not null,
    silence float8, at timestamptz not null default clock_timestamp()
  )`,
  `create function bench_hold() returns trigger language plpgsql as $$
  begin
    insert into bench_holds (job, kind, lane, spoke_id, federation_id, state, holder, fence,
      state_before, holder_before, fence_before, silence)
    values (new.id, new.kind, new.lane, new.spoke_id, new.federation_id, new.state, new.holder, new.fence,
      old.state, old.holder, old.fence,
      (select extract(epoch from clock_timestamp() - max(at)) * 1000 from bench_beats
       where id = old.holder and at < now() - interval '500 milliseconds'));
    return null;
  end $$`,
  `create trigger bench_hold after update on jobs for each row
   when ((new.holder, new.fence, new.state) is distinct from (old.holder, old.fence, old.state))
   execute function bench_hold()`,
];

export async function recordHolders(db: TestDatabase): Promise<void> {
  for (const statement of CREATE) await db.sql(statement);
}

/** Returns all recorded changes, or only the changes to a single job, oldest first. */
export async function readHolderTimeline(db: TestDatabase, job: string | null = null): Promise<HolderChange[]> {
  return await queryRows(
    db,
    `select job, kind, lane, spoke_id as "spokeId", federation_id as "federationId", state, holder, fence::int,
       state_before as "stateBefore", holder_before as "holderBefore", fence_before::int as "fenceBefore",
       silence, extract(epoch from at)::float8 * 1000 as at
     from bench_holds where $1::text is null or job = $1 order by n`,
    [job],
  );
}

/** Whether another replica claimed the job although the previous replica had not released it. */
export function isTakeover({ state, stateBefore, holder, holderBefore }: HolderChange): boolean {
  return state === "running" && stateBefore === "running" && holder !== holderBefore;
}
