/** Tests the job that seals audit events in batches and logs the new head of each chain. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { formatChainHead, parseChainHead } from "#lib/audit/chain.ts";
import { verifyChain } from "#lib/audit/verify.ts";
import { isFinalJobState } from "#lib/jobs/job.ts";
import { createLog } from "#lib/base/log.ts";
import { MINUTE } from "#lib/base/time.ts";
import { openScheduler } from "#lib/scheduler/scheduler.ts";
import { sealAuditLog } from "#lib/workers/upkeep/seal.ts";
import { headOf, write } from "#test/lib/audit/scene.ts";
import { loose, openScene, type Scene } from "#test/lib/scheduler/scene.ts";
import { selectRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("sealAuditLog");
test.before.each(async (context) => void (context.scene = await openScene()));
test.after.each(({ scene }) => scene.close());

/** Runs the job once, and returns the heads that it logged. */
async function runOnce(scene: Scene, batch?: number): Promise<{ chain: string; count: number; head: string }[]> {
  // deno-lint-ignore no-explicit-any
  const lines: any[] = [];
  const log = createLog({ level: "info", format: "json", write: (line) => lines.push(JSON.parse(line)) });
  const handler = sealAuditLog({ db: scene.db }, batch);
  const { repeatEvery: _, ...once } = handler.kind;
  const [job] = await scene.enqueue(loose(once));
  const release = { api: "v0", version: "test", commit: "unknown" };
  const scheduler = await openScheduler({ db: scene.db, log, release }, {
    handlers: [{ ...handler, kind: once }],
    lanes: 4,
  });
  const after = await scene.until(job!.id, ({ state }) => isFinalJobState(state));
  await scheduler.close();
  assert.equal([after.state, after.failure], ["succeeded", null]);
  return lines.filter(({ message }) => message === "Sealed the audit log")
    .map(({ level, chain, count, head }) => (assert.is(level, "info"), { chain, count, head }));
}

test("seals thousands of events, and logs each head once in the format of the command line", async ({ scene }) => {
  const { db } = scene, hub = await scene.hub(0), idle = await scene.hub(0);
  await db.sql(
    `insert into audit_events select 'evt_' || n, 'auth_login', 'u', 'e', 'user', 'o', '{}', '', '',
       now() - interval '1 day' + n * interval '1 millisecond', case when n % 5 > 0 then $1 end, null, null, false
     from generate_series(1, 5000) as n`,
    [hub.id],
  );
  const logged = await runOnce(scene);
  assert.equal(logged.map(({ chain, count }) => ({ chain, count })), [
    { chain: "system", count: 1000 },
    { chain: hub.id, count: 4000 },
  ]);
  for (const { chain, head } of logged) {
    assert.is(head, formatChainHead(await headOf(db, chain)));
    assert.is(parseChainHead(head)?.chain, chain);
    const { sealed, unsealed, problems } = await verifyChain(db, chain, []);
    assert.equal([sealed + unsealed, problems], [chain === "system" ? 1000 : 4000, []]);
  }
  assert.equal(await selectRows(db, "audit_seals", { chain: idle.id }), []);
  assert.equal(await runOnce(scene), []);
});

test("seals events after a minute, and continues after the last sealed event", async ({ scene }) => {
  const { db } = scene, { id } = await scene.hub(0);
  await write(db, id, 5);
  await write(db, null, 5);
  assert.equal(await runOnce(scene), []);
  await db.shiftClock(2 * MINUTE);
  assert.equal((await runOnce(scene, 2)).map(({ count }) => count), [5, 5]);
  await write(db, id, 5);
  await db.shiftClock(4 * MINUTE);
  assert.equal((await runOnce(scene, 5)).map(({ chain, count }) => [chain, count]), [[id, 10]]);
});

test.run();
