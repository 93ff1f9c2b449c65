import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { App } from "#lib/app.ts";
import { Fault } from "#lib/base/errors.ts";
import { sleep } from "#lib/base/time.ts";
import { requestBulkAction } from "#lib/domains/spokes/bulk.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import { rejection } from "#test/support/until.ts";
import { type DomainScene, openDomainScene } from "#test/lib/domains/spokes/domain-scene.ts";
import { NOW, selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ stage: DomainScene }>("requestActions");
test.before(async (context) => {
  context.stage = await openDomainScene();
});
test.after(({ stage }) => stage.close());

test("returns one outcome for each distinct visible ID, in order", async ({ stage }) => {
  const { app, db, person, hub, spoke } = stage;
  const home = await hub("bulk"), foreign = await hub("bulk-foreign");
  const admin = await person({ role: "hub_admin", federationIds: [home.id] });
  const fine = await spoke(home, { slug: "fine" }, "active");
  const busy = await spoke(home, { slug: "busy" });
  const gone = await spoke(home, { slug: "gone" }, "removed");
  const other = await spoke(foreign, { slug: "other" }, "active");
  const ids = [busy.id, other.id, fine.id, "spk_nothing", "\u0000", busy.id, gone.id, fine.id];
  const outcomes = await requestBulkAction(app, admin, { ids, action: "suspend" });
  assert.equal(outcomes.map(({ id, accepted }) => [id, accepted]), [[busy.id, false], [fine.id, true]]);
  assert.equal(outcomes[0]!.error, {
    statusCode: 409,
    code: "spoke_state",
    message: "Cannot suspend a spoke that is provisioning; wait until it is active",
    error: "Conflict",
  });
  assert.equal([outcomes[1]!.spoke!.state, outcomes[1]!.spoke!.operation!.kind], ["suspending", "suspend"]);
  const [untouched] = await selectRows(db, "spokes", { id: other.id }, { columns: ["state"] });
  assert.is(untouched.state, "active");
  assert.equal(await requestBulkAction(app, admin, { ids: [other.id], action: "suspend" }), []);
});

test("reports each spoke's outcome, even if the request times out or the database fails", async ({ stage }) => {
  const { app, operator, hub, spoke } = stage;
  const home = await hub("bulk-late");
  const ids: string[] = [];
  for (const slug of ["first", "second", "third"]) ids.push((await spoke(home, { slug }, "active")).id);
  const requestOutcomes = async (
    action: "restart" | "backup" | "purge-caches",
    transact: App["db"]["transact"],
    requestTimeoutMs: number,
  ) => {
    const late: App = { ...app, db: { ...app.db, transact }, config: { ...app.config, requestTimeoutMs } };
    return (await requestBulkAction(late, operator, { ids, action })).map(({ accepted, error }) =>
      accepted ? "accepted" : `${error!.statusCode} ${error!.code}`
    );
  };
  const slow: App["db"]["transact"] = async (work) => {
    const done = await app.db.transact(work);
    await sleep(200);
    return done;
  };
  assert.equal(await requestOutcomes("restart", slow, 200), ["accepted", "504 too_slow", "504 too_slow"]);
  let calls = 0;
  const lost: App["db"]["transact"] = (work) => {
    if (++calls > 1) throw new Fault("unavailable", "database_unavailable", "The database cannot be reached");
    return app.db.transact(work);
  };
  const again = await requestOutcomes("backup", lost, 30_000);
  assert.equal(again, ["accepted", "503 database_unavailable", "503 database_unavailable"]);
  assert.is(calls, 2, "does not query an unavailable database for each spoke");
  const none = await requestOutcomes("purge-caches", lost, 30_000).catch((error) => error);
  assert.is(none.code, "database_unavailable", "where nothing was accepted, it is the answer to the whole");
});

test("reports how many spokes had accepted when the caller's permission was revoked", async ({ stage }) => {
  const { app, operator, hub, spoke } = stage, home = await hub("bulk-taken");
  const ids: string[] = [];
  for (const slug of ["first", "second", "third"]) ids.push((await spoke(home, { slug }, "active")).id);
  const requestWithLimit = async (most: number) => {
    let calls = 0;
    const transact: App["db"]["transact"] = (work) => {
      if (++calls > most) throw new Fault("forbidden", "access_changed", "It was not done");
      return app.db.transact(work);
    };
    const input = { ids, action: "restart" } as const;
    return await rejection(requestBulkAction({ ...app, db: { ...app.db, transact } }, operator, input));
  };
  assert.is((await requestWithLimit(0)).message, "It was not done");
  const { code, message } = await requestWithLimit(1);
  assert.is(code, "access_changed");
  assert.match(message, "one of the spokes accepted the action; the others are unchanged");
});

test("lets spoke admins request actions on their own spokes", async ({ stage: { app, person, hub, spoke } }) => {
  const home = await hub("bulk-spoke");
  const own = await spoke(home, { slug: "own" }, "active"), next = await spoke(home, { slug: "next" }, "active");
  const admin = await person({ spokeIds: [own.id] });
  const outcomes = await requestBulkAction(app, admin, { ids: [next.id, own.id], action: "restart" });
  assert.equal(outcomes.map(({ id, accepted }) => [id, accepted]), [[own.id, true]]);
});

test("returns faults of the whole request, and refusals of single spokes in their outcomes", async ({ stage }) => {
  const { app, operator, person, hub, spoke } = stage;
  const home = await hub("bulk-sized");
  const admin = await person({ role: "hub_admin", federationIds: [home.id] });
  const small = await spoke(home, { slug: "small", size: "small" }, "active");
  const large = await spoke(home, { slug: "large", size: "large" }, "active");
  const busy = await spoke(home, { slug: "busy" });
  const ids = [small.id, large.id, busy.id];
  const outcomes = await requestBulkAction(app, admin, { ids, action: "resize", size: "large" });
  assert.equal(outcomes.map(({ accepted, error }) => accepted || [error!.statusCode, error!.error]), [
    true,
    [422, "Unprocessable Content"],
    [409, "Conflict"],
  ]);
  for (
    const [input, code] of [
      [{ ids, action: "upgrade" }, "parameter_needed"],
      [{ ids, action: "upgrade", lmsVersion: "5.2", moodleVersion: "5.3" }, "version_mismatch"],
      [{ ids, action: "resize", size: "huge" }, "not_offered"],
      [{ ids, action: "reapply" }, "operator_only"],
    ] as const
  ) {
    const error = await requestBulkAction(app, admin, input).catch((error) => error);
    assert.instance(error, Fault);
    assert.is(error.code, code);
  }
  const [reapplied] = await requestBulkAction(app, operator, { ids: [large.id], action: "reapply" });
  assert.ok(reapplied!.accepted);
});

test("requests each of fifty spokes in two hubs once, on any replica, and only the caller's", async ({ stage }) => {
  const { app, db, operator, person, hub, spoke } = stage;
  const homes = [await hub("fifty-a"), await hub("fifty-b")], all: SpokeRow[] = [];
  for (let i = 0; i < 50; i++) all.push(await spoke(homes[i % 2]!, { slug: `oak-${i}`, size: "small" }, "active"));
  const ids = all.map(({ id }) => id), own = ids.filter((_, i) => i % 2 === 0);
  const admin = await person({ role: "hub_admin", federationIds: [homes[0]!.id] });
  for (const action of ["upgrade", "reapply"] as const) {
    await updateRows(db, "jobs", { state: "succeeded", finishedAt: NOW }, { finishedAt: null });
    await db.sql("update spokes set state = 'active' where id = any($1)", [ids]);
    const input = { ids, action, lmsVersion: "5.2.2", size: "large" };
    const who = action === "reapply" ? operator : admin, visible = action === "reapply" ? ids : own;
    const both = await Promise.all([requestBulkAction(app, who, input), requestBulkAction(app, who, input)]);
    for (const outcomes of both) assert.equal(outcomes.map(({ id }) => id), visible, action);
    assert.is(both.flat().filter(({ accepted }) => accepted).length, visible.length, action);
    const refused = both.flat().flatMap(({ error }) => error ? [error.statusCode] : []);
    assert.ok(refused.every((status) => status === 409), `${action}: ${refused}`);
    const jobs = await selectRows(db, "jobs", { kind: action, state: "queued" }, { columns: ["spokeId"] });
    assert.equal(jobs.map(({ spokeId }) => spokeId).toSorted(), visible.toSorted(), action);
    const audit = await db.sql("select object_id from audit_events where metadata ->> 'action' = $1", [action]);
    assert.is(audit.filter(({ objectId }) => ids.includes(objectId)).length, visible.length, action);
  }
});

test.run();
