/** Adapts Wheelwright's queue for test/bench/queue.ts. */
import { openDatabase } from "#lib/drivers/db/open.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { MINUTE } from "#lib/base/time.ts";
import type { JobKind } from "#lib/operations/plan.ts";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { listSupportedJobKinds } from "#lib/jobs/claim.ts";
import { pollJobQueue } from "#lib/jobs/poll.ts";
import { enqueueJob } from "#lib/jobs/store.ts";
import { openScheduler, type Scheduler } from "#lib/scheduler/scheduler.ts";
import { connect } from "#test/support/server.ts";
import { CONCURRENCY, LANES, type MeasuredQueue } from "#test/bench/queue-interface.ts";

const HUBS = 50;
const quiet: JobKind = {
  kind: "noop",
  plan: 1,
  visible: false,
  steps: [{ name: "only", label: "Doing nothing", timeout: MINUTE }],
  timeLimit: MINUTE,
};

/** `quiet` jobs are like mail, in 1,000 lanes. `operations` are operations of 1,000 spokes with their stream events. */
export async function openWheelwrightQueue(url: string, what: "quiet" | "operations"): Promise<MeasuredQueue> {
  const db = await openDatabase({ url, size: 10, log: SILENT_LOG });
  const kind = { ...quiet, visible: what === "operations" };
  if (kind.visible) await fillPlaces(url);
  let scheduler: Scheduler;
  return {
    fill: (jobs) => fillJobs(url, kind, LANES, jobs / LANES),
    async start(onJob) {
      const handler = { kind, steps: { only: async () => onJob() } };
      const release = { api: "v0", version: "bench", commit: "unknown" };
      scheduler = await openScheduler({ db, log: SILENT_LOG, release }, { handlers: [handler], lanes: CONCURRENCY });
    },
    async add() {
      await db.transact((tx) =>
        enqueueJob(tx, SYSTEM_REQUESTER, { kind, lane: "lane:0", federationId: null, spokeId: null })
      );
    },
    stop: () => scheduler.close(),
  };
}

/** Returns a function that polls for ten jobs among this many. It starts none, because all are operations. */
export async function openPollQueue(url: string, lanes: number, each: number): Promise<() => Promise<void>> {
  const kind = { ...quiet, visible: true }, known = listSupportedJobKinds([kind]);
  await fillPlaces(url);
  await fillJobs(url, kind, lanes, each);
  const db = await openDatabase({ url, size: 1, log: SILENT_LOG });
  return async () => {
    const { candidates } = await pollJobQueue(db.rows, { supported: known, holder: "", limit: 10 });
    if (candidates.length === 0) throw new Error("The look found nothing");
  };
}

/** Inserts jobs. Job `i` of each lane comes before job `i + 1` of any lane. */
async function fillJobs(url: string, kind: JobKind, lanes: number, each: number): Promise<void> {
  await ask(
    url,
    `insert into jobs (id, kind, visible, lane, federation_id, spoke_id, time_limit_ms, plan, step_names, label,
       requester_id, requester_email, requester_ip, requester_agent)
     select 'op_' || n, '${kind.kind}', ${kind.visible}, 'lane:' || n % ${lanes},
       case when ${kind.visible} then 'fed_' || n % ${LANES} % ${HUBS} end,
       case when ${kind.visible} and ${lanes} = ${LANES} then 'spk_' || n % ${LANES} end,
       ${kind.timeLimit}, 1, '{only}', 'Waiting to start', 'system', 'system', '', 'bench'
     from generate_series(0, ${lanes * each} - 1) as n`,
    "analyze",
  );
}

async function fillPlaces(url: string): Promise<void> {
  await ask(
    url,
    "insert into users (id, email, display_name) values ('usr_1', 'ann@example.org', 'Ann')",
    `insert into federations (id, slug, name, state, cluster, namespace, created_by)
     select 'fed_' || n, 'h' || n, 'Hub', 'active', 'default', 'h' || n, 'usr_1' from generate_series(0, ${HUBS} - 1) as n`,
    `insert into spokes (id, federation_id, slug, display_name, domain, size, admin_email, lms_version, state, cluster,
       namespace, blueprint_revision, blueprint_inputs, created_by)
     select 'spk_' || n, 'fed_' || n % ${HUBS}, 's' || n, 'Spoke', n || '.example.org', 'small', 'ann@example.org', '4.5',
       'active', 'default', 's' || n, '1', '{}', 'usr_1' from generate_series(0, ${LANES} - 1) as n`,
  );
}

async function ask(url: string, ...statements: readonly string[]): Promise<void> {
  const sql = connect(url, 1);
  for (const statement of statements) await sql.unsafe(statement);
  await sql.end({ timeout: 1 });
}
