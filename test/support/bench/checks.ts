/** Checks a bench after all faults ended. Each check returns a sentence for every violation. The checks do not rely on
 * reports from the replicas, but read the rows, the recorded claims and the cluster's record of changes. */
import type { RecordedChange, WriteRecord } from "#lib/dev/simulator/store/recorder.ts";
import { HEARTBEAT_SILENCE_LIMIT } from "#lib/scheduler/silence.ts";
import type { TestDatabase } from "#test/support/database.ts";
import { namespaceOf, writerOf } from "#test/support/bench/cluster.ts";
import { type HolderChange, isTakeover } from "#test/support/bench/holder-timeline.ts";
import { queryRows } from "#test/support/bench/query.ts";

/** A namespace that belongs to a spoke or to a hub. */
export interface OwnedNamespace {
  readonly id: string;
  readonly federationId: string;
  readonly state: string;
  readonly namespace: string;
  readonly uid: string | null;
}

const CLOCKS = 3; // milliseconds: tolerance, because the records have only whole milliseconds

export async function readOwnedNamespaces(db: TestDatabase): Promise<OwnedNamespace[]> {
  return await queryRows(
    db,
    `select id, federation_id as "federationId", state, namespace, namespace_uid as uid from spokes
     union all select id, id, state, namespace, namespace_uid from federations`,
  );
}

/** Finds install Jobs that started while another install Job in the same hub was running. */
export function findOverlappingInstalls(
  jobs: readonly RecordedChange[],
  holdings: readonly OwnedNamespace[],
): string[] {
  const hubs = new Map(holdings.map(({ namespace, federationId }) => [namespace, federationId]));
  const active = new Map<string, { readonly hub: string; readonly text: string }>();
  const found: string[] = [];
  for (const job of jobs.filter(({ name }) => name.startsWith("install-"))) {
    const hub = hubs.get(job.namespace ?? "") ?? "?", text = `${job.namespace}/${job.name}`;
    if (job.type === "DELETED" || job.conditions.some(isEnd)) active.delete(job.uid);
    else if (job.type === "ADDED") {
      const others = [...active.values()].filter((other) => other.hub === hub);
      found.push(...others.map((other) => `${text} began at ${job.at} while ${other.text} was running`));
      active.set(job.uid, { hub, text });
    }
  }
  return found;
}

function isEnd(condition: string): boolean {
  return /^(?:Complete|Failed)=True/.test(condition);
}

/** Finds namespaces that were created twice, and namespaces with a UID other than the UID in their row. */
export function findDuplicateNamespaces(
  namespaces: readonly RecordedChange[],
  holdings: readonly OwnedNamespace[],
): string[] {
  const made = namespaces.filter(({ type }) => type === "ADDED");
  const uids = new Map(holdings.map(({ namespace, uid }) => [namespace, uid]));
  const names = made.map(({ name }) => name);
  return [
    ...names.filter((name, i) => names.indexOf(name) !== i).map((name) => `The namespace ${name} was created twice`),
    ...made.filter(({ name, uid }) => (uids.get(name) ?? uid) !== uid)
      .map(({ name, uid }) =>
        `The namespace ${name} was created with the UID ${uid}, but its row has ${uids.get(name)}`
      ),
  ];
}

/** The job kind of the task that updates site records, also for spokes whose operations run on other replicas. */
const UPKEEP = "update-site-records", SITE_RECORD_PATH = /\/configmaps\/wheelwright(?:\?|$)/;

/** Finds writes to a namespace by a replica that ran no operation on the namespace's spoke or hub at that moment.
 * Ignores writes by the task that updates site records. */
export function findWritesByOthers(
  writes: readonly WriteRecord[],
  namespaces: readonly RecordedChange[],
  holds: readonly HolderChange[],
  holdings: readonly OwnedNamespace[],
): string[] {
  const created = new Map(namespaces.filter(({ type }) => type === "ADDED").map(({ write, name }) => [write, name]));
  const ids = new Map(holdings.map(({ namespace, id }) => [namespace, id]));
  const times = tenures(holds);
  return writes.filter((write) => write.changed && !write.dryRun).flatMap((write) => {
    const id = ids.get(namespaceOf(write) ?? created.get(write.n) ?? "");
    if (id === undefined) return [];
    const by = writerOf(write), at = Date.parse(write.at);
    const subjects = [id, ...SITE_RECORD_PATH.test(write.path) ? [UPKEEP] : []];
    const held = times.some((time) =>
      subjects.includes(time.subject) && time.holder === by && at >= time.from - CLOCKS && at <= time.to + CLOCKS
    );
    if (held) return [];
    const last = holds.findLast((hold) => (hold.spokeId ?? hold.federationId) === id && hold.at <= at);
    const since = last
      ? `; ${at - Math.round(last.at)} ms earlier, ${last.kind} by ${last.holder} became ${last.state}`
      : "";
    return [`${write.at} ${by} ${write.method} ${write.path} (fence ${write.fence}): no job there${since}`];
  });
}

interface Time {
  readonly subject: string;
  readonly holder: string;
  readonly from: number;
  readonly to: number;
}

function tenures(holds: readonly HolderChange[]): Time[] {
  const next = new Map<string, number>();
  return [...holds].reverse().flatMap((hold) => {
    const to = next.get(hold.job) ?? Infinity;
    next.set(hold.job, hold.at);
    const subject = hold.kind === UPKEEP ? UPKEEP : hold.spokeId ?? hold.federationId;
    if (hold.state !== "running" || hold.holder === null || subject === null) return [];
    return [{ subject, holder: hold.holder, from: hold.at, to }];
  });
}

/** Finds takeovers from a replica whose last heartbeat was less than 4 s old. A replica may take back its own job. */
export function findEarlyTakeovers(holds: readonly HolderChange[]): string[] {
  return holds.filter((hold) =>
    isTakeover(hold) && (hold.silence === null || hold.silence < HEARTBEAT_SILENCE_LIMIT - 1)
  )
    .map(({ job, holder, holderBefore, silence }) =>
      `${holder} took over ${job} only ${silence} ms after the last heartbeat of ${holderBefore}`
    );
}

/** Finds unfinished or failed operations, missing or duplicate audit events for them, and gaps in event streams. */
export async function findInconsistentRows(db: TestDatabase): Promise<string[]> {
  const [left, twice, ends, gaps] = await Promise.all([
    queryRows(
      db,
      `select id, kind, state, label, failure -> 'message' as message from jobs
       where visible and state not in ('succeeded', 'cancelled')`,
    ),
    queryRows(
      db,
      `select kind, object_id, metadata ->> 'operationId' as operation, count(*)::int from audit_events
       group by 1, 2, 3 having count(*) > 1`,
    ),
    queryRows(
      db,
      `select jobs.id, jobs.kind, (select count(*)::int from audit_events where metadata ->> 'operationId' = jobs.id
         and audit_events.kind = any(array['spoke_provisioned', 'spoke_action_succeeded', 'spoke_destroyed',
           'tenant_backup_succeeded', 'federation_provisioned', 'federation_destroyed'])) as ends
       from jobs where visible and state = 'succeeded'`,
    ),
    queryRows(
      db,
      `select federation_id, count(*)::int, min(number)::int, max(number)::int from stream_events group by 1
       having count(*) <> max(number) or min(number) <> 1`,
    ),
  ]);
  const describe = (what: string) => (row: unknown) => `${what}: ${JSON.stringify(row)}`;
  return [
    ...left.map(describe("An operation did not succeed")),
    ...twice.map(describe("An audit event was written more than once")),
    ...ends.filter((row) => row.ends !== 1).map(describe("An operation has no end event, or several")),
    ...gaps.map(describe("An event stream has a gap")),
  ];
}

/** Finds event numbers that a reader missed or received out of order. A reader that follows a hub from the first event
 * must receive every number exactly once. */
export function findMissedEvents(hub: string, seen: readonly number[], last: number): string[] {
  const wrong = seen.findIndex((number, i) => number !== i + 1);
  if (wrong >= 0) return [`A reader of ${hub} received event ${seen[wrong]} after ${seen[wrong - 1] ?? 0}`];
  return seen.length === last ? [] : [`A reader of ${hub} received ${seen.length} of ${last} events`];
}
