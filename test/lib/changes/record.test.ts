/** Tests that changes are atomic, stream numbers have no gaps, times increase, and the log cannot be changed. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { readStreamEvents } from "#lib/events/store.ts";
import { GENEROUS_LIMITS, openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { insertHub, insertSpoke, insertUser } from "#test/support/insert-rows.ts";
import { until } from "#test/support/until.ts";
import { selectRows } from "#test/support/rows.ts";

const test = suite<{ db: TestDatabase; user: string }>("record");

test.before(async (context) => {
  context.db = await openTestDatabase({ size: 8, ...GENEROUS_LIMITS });
  context.user = await insertUser(context.db);
});
test.after((context) => context.db.close());

test("numbers the events of 40 parallel writers without gaps, in commit order, with increasing times", async ({ db, user }) => {
  const hub = await insertHub(db, user, "busy");
  const numbers: number[] = [];
  let writing = true;
  const follow = async () => {
    for (let last = 0; writing || last < 120;) {
      for (const event of await readStreamEvents(db.rows, hub, last, 50)) numbers.push(last = event.number);
    }
  };
  const following = follow();
  await Promise.all(Array.from({ length: 40 }, (_, i) =>
    db.transact(async (tx) => {
      const events = Array.from({ length: 3 }, () => ({ federationId: hub, state: "active" }));
      await recordChange(tx, SYSTEM_REQUESTER, { events });
      if (i % 10 === 9) throw new Error("rolled back");
    }).catch((error) => assert.is(error.message, "rolled back"))));
  await Promise.all(
    Array.from(
      { length: 4 },
      () =>
        db.transact((tx) =>
          recordChange(tx, SYSTEM_REQUESTER, {
            events: Array.from({ length: 3 }, () => ({ federationId: hub, state: "active" })),
          })
        ),
    ),
  );
  writing = false;
  await following;
  assert.equal(numbers, Array.from({ length: 120 }, (_, i) => i + 1));
  const events = await readStreamEvents(db.rows, hub, 0, 1000);
  const times = events.map((event) => Date.parse(event.data.at));
  assert.ok(times.every((at, i) => i === 0 || at > times[i - 1]!));
});

test("writes audit and stream events together or not at all", async ({ db, user }) => {
  const hub = await insertHub(db, user, "whole");
  const change = {
    audit: [{
      kind: "federation_updated" as const,
      objectType: "federation" as const,
      objectId: hub,
      federationId: hub,
    }],
    events: [{ federationId: hub, state: "active" }],
  };
  await db.transact(async (tx) => {
    await recordChange(tx, SYSTEM_REQUESTER, change);
    throw new Error("no");
  }).catch(() => {});
  assert.equal(await readStreamEvents(db.rows, hub, 0, 10), []);
  assert.is((await db.sql("select count(*)::int as n from audit_events where federation_id = $1", [hub]))[0].n, 0);
  await db.transact((tx) => recordChange(tx, SYSTEM_REQUESTER, change));
  const [event] = await readStreamEvents(db.rows, hub, 0, 10);
  assert.is(event!.number, 1);
  assert.is(event!.type, "FederationUpdateActive");
});

test("does not deadlock when two changes lock two hubs in opposite order", async ({ db, user }) => {
  const [a, b] = [await insertHub(db, user, "left"), await insertHub(db, user, "right")];
  const touch = (...hubs: string[]) =>
    db.transact((tx) =>
      recordChange(tx, SYSTEM_REQUESTER, { events: hubs.map((federationId) => ({ federationId, state: "active" })) })
    );
  await Promise.all(Array.from({ length: 20 }, (_, i) => i % 2 ? touch(a!, b!) : touch(b!, a!)));
  assert.is((await readStreamEvents(db.rows, a!, 0, 100)).length, 20);
});

test("does not wait for an uncommitted change of another hub", async ({ db, user }) => {
  const [held, free] = [await insertHub(db, user, "held"), await insertHub(db, user, "free")];
  const change = (federationId: string) => ({
    audit: [{ kind: "federation_updated", objectType: "federation", objectId: federationId, federationId }] as const,
  });
  await db.transact(async (tx) => {
    await recordChange(tx, SYSTEM_REQUESTER, change(held));
    await db.transact((other) => recordChange(other, SYSTEM_REQUESTER, change(free)));
  });
  const counts = await selectRows(db, "audit_counts", { chain: [held, free] }, { columns: ["chain", "events"] });
  assert.equal(counts.map(({ events }) => Number(events)), [1, 1]);
});

test("counts only customer-visible events of the hub and the spoke", async ({ db, user }) => {
  const hub = await insertHub(db, user, "counted"), spoke = await insertSpoke(db, user, hub);
  const about = { objectType: "spoke" as const, objectId: spoke, federationId: hub, spokeId: spoke };
  await db.transact((tx) =>
    recordChange(tx, SYSTEM_REQUESTER, {
      audit: [{ kind: "spoke_provisioned", ...about }, { kind: "spoke_requested", ...about }],
    })
  );
  const [row] = await db.sql(
    `select head.visible_events as hub, spokes.visible_events as spoke
     from spokes join stream_heads head using (federation_id) where spokes.id = $1`,
    [spoke],
  );
  assert.equal({ ...row }, { hub: "1", spoke: "1" });
});

test("counts events with an audience and events without a hub", async ({ db, user }) => {
  const hub = await insertHub(db, user, "heard"), spoke = await insertSpoke(db, user, hub);
  const decided = { objectType: "federation" as const, objectId: "req", audienceUserId: user };
  const rejected = { ...decided, kind: "federation_request_rejected" as const };
  const [before] = await db.sql("select visible_events as count from service_event_head");
  await db.transact((tx) =>
    recordChange(tx, SYSTEM_REQUESTER, {
      audit: [
        rejected,
        { ...rejected, federationId: hub },
        { ...rejected, federationId: hub, spokeId: spoke },
        { ...rejected, audienceUserId: null },
        { ...decided, kind: "federation_request_withdrawn" },
        rejected,
      ],
    })
  );
  const rows = await db.sql(
    "select federation_id, spoke_id, visible_events as count from notification_audiences where user_id = $1 order by 1, 2",
    [user],
  );
  assert.equal(rows.map((row) => [row.federationId, row.spokeId, row.count]), [
    ["", "", "2"],
    [hub, "", "1"],
    [hub, spoke, "1"],
  ]);
  const [after] = await db.sql(
    `select visible_events as count, last_at = (select max(at) from audit_events where federation_id is null
      and customer_visible) as newest from service_event_head`,
  );
  assert.equal([Number(after.count) - Number(before.count), after.newest], [3, true]);
});

test("does not deadlock when two changes have the same audiences in opposite order", async ({ db }) => {
  const [a, b] = [await insertUser(db), await insertUser(db)];
  const decide = (...audience: string[]) =>
    db.transact((tx) =>
      recordChange(tx, SYSTEM_REQUESTER, {
        audit: audience.map((audienceUserId) => ({
          kind: "federation_request_rejected" as const,
          objectType: "federation" as const,
          objectId: "req",
          audienceUserId,
        })),
      })
    );
  await Promise.all(Array.from({ length: 20 }, (_, i) => i % 2 ? decide(a, b) : decide(b, a)));
  const rows = await db.sql("select visible_events as n from notification_audiences where user_id in ($1, $2)", [a, b]);
  assert.equal(rows.map(({ n }) => n), ["20", "20"]);
});

test("stores the requester and the token prefix with an event", async ({ db, user }) => {
  const requester = { userId: user, email: "a@b.cd", ip: "::1", userAgent: "curl", tokenPrefix: "ww_cli_abcd" };
  await db.transact((tx) =>
    recordChange(tx, requester, { audit: [{ kind: "auth_login", objectType: "user", objectId: user }] })
  );
  const [row] = await selectRows(db, "audit_events", { actorId: user });
  assert.equal([row.actorEmail, row.ip, row.userAgent, row.metadata.token], ["a@b.cd", "::1", "curl", "ww_cli_abcd"]);
});

const LOOSE = { kind: "auth_login", objectType: "user", objectId: "u" } as const;

test("commits events without a hub in the order of their times, so a reader misses none", async ({ db }) => {
  const recorded = (objectId: string) => (tx: Tx) =>
    recordChange(tx, SYSTEM_REQUESTER, { audit: [{ ...LOOSE, objectId }] });
  const written = Promise.withResolvers<void>(), released = Promise.withResolvers<void>();
  const first = db.transact(async (tx) => {
    await recorded("first")(tx);
    written.resolve();
    await released.promise;
  });
  await written.promise;
  let done = false;
  const second = db.transact(recorded("second")).then(() => done = true);
  const countEvents = async () => (await selectRows(db, "audit_events", { objectId: ["first", "second"] })).length;
  const waiting = "select 1 from pg_locks where locktype = 'advisory' and not granted and database = " +
    "(select oid from pg_database where datname = current_database())";
  await until(async () => done || (await db.sql(waiting)).length > 0);
  assert.is(await countEvents(), 0, "hides the later event while the earlier one can still be committed");
  released.resolve();
  await Promise.all([first, second]);
  const rows = await db.sql(
    "select object_id as id, at from audit_events where object_id in ('first', 'second') order by at",
  );
  assert.equal(rows.map(({ id }) => id), ["first", "second"]);
  assert.ok(rows[1].at > rows[0].at);
});

test("increases the times of events without a hub by a millisecond, even if the clock goes back", async ({ db }) => {
  const audit = [{ ...LOOSE, objectId: "grows" }, { ...LOOSE, objectId: "grows" }];
  await db.transact((tx) => recordChange(tx, SYSTEM_REQUESTER, { audit }));
  await db.shiftClock(-60_000);
  await db.transact((tx) => recordChange(tx, SYSTEM_REQUESTER, { audit }));
  await db.shiftClock(0);
  const rows = await selectRows(db, "audit_events", { objectId: "grows" }, { columns: ["at"], orderBy: "at" });
  const times = rows.map(({ at }) => at.getTime() - rows[0].at.getTime());
  assert.equal(times, [0, 1, 2, 3]);
});

test("rejects updates, deletes and truncates of the audit log", async ({ db }) => {
  for (const statement of ["update audit_events set ip = ''", "delete from audit_events", "truncate audit_events"]) {
    const refusal = await db.sql(statement).then(() => "done", (error) => error.message);
    assert.match(refusal, /append-only/);
  }
});

test.run();
