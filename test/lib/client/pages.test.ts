import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { recordChange } from "#lib/changes/record.ts";
import { openStage, refused, type Stage } from "#test/lib/client/stage.ts";
import { queryRows } from "#test/support/bench/query.ts";
import { insertSpoke } from "#test/support/insert-rows.ts";

const test = suite<{ stage: Stage }>("pagedList");

test.before(async (context) => {
  const stage = context.stage = await openStage(), { db, people, hub } = stage.scene;
  for (let i = 0; i < 9; i++) await insertSpoke(db, people.operator.id, hub, `spoke-${i}`);
  // Two thirds of them have the same creation time.
  // What shares a time shares a page: people are made within a moment.
  await queryRows(
    db,
    `update users set created_at = created_at - place * interval '1 second'
    from (select id as whose, row_number() over (order by id) as place from users) as placed where id = whose`,
  );
  await queryRows(db, "update spokes set created_at = '2026-01-02T03:04:05.678Z' where slug ~ '[1-6]$'");
});
test.after(({ stage }) => stage.close());

async function all<T>(list: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of list) items.push(item);
  return items;
}

test("yields every item once, with any page size, even for equal times", async ({ stage }) => {
  const client = await stage.as("operator");
  const complete = (await client.listFederationSpokes({ federationId: "north" })).map(({ id }) => id);
  assert.is(complete.length, 10);
  for (const limit of [1, 2, 3, 5, 10, 100, undefined]) {
    const found = await all(client.listFederationSpokes({ federationId: "north", limit }));
    assert.equal(found.map(({ id }) => id), complete, `pages of ${limit}`);
  }
});

test("resolves with one page when awaited", async ({ stage }) => {
  const client = await stage.as("operator");
  const page = await client.listAuditEvents({ limit: 1, kind: "spoke_requested" });
  assert.equal(page, []);
  assert.is((await client.listUsers({ limit: 2 })).length, 2);
  assert.is((await client.listMySpokes({ slug: "oak" })).length, 1);
});

test("starts at a given cursor, and stops when the loop ends", async ({ stage }) => {
  const client = await stage.as("operator"), before = "2026-01-02T03:04:05.678Z";
  assert.equal(await all(client.listMySpokes({ before: new Date(before) })), []);
  assert.is((await all(client.listMySpokes({ before: Date.parse(before) + 1, limit: 1 }))).length, 6);
  for await (const user of client.listUsers({ limit: 1 })) {
    assert.ok(user.email);
    break;
  }
});

test("yields more notifications than fit into one page", async ({ stage }) => {
  const client = await stage.as("operator"), { db, hub } = stage.scene;
  await db.transact((tx) =>
    recordChange(tx, SYSTEM_REQUESTER, {
      audit: Array.from({ length: 130 }, () => ({
        kind: "federation_updated",
        objectType: "federation",
        objectId: hub,
        federationId: hub,
      })),
    })
  );
  await queryRows(db, "alter table audit_events disable trigger user");
  await queryRows(db, "update audit_events set at = at - random() * interval '1 day'");
  const found = await all(client.listNotifications({ limit: 500 }));
  assert.is(new Set(found.map(({ id }) => id)).size, 130);
  assert.is(found.length, 130);
});

test("rejects like any call", async ({ stage }) => {
  const client = await stage.as("hubAdmin");
  assert.is((await refused(client.listUsers())).statusCode, 403);
  assert.is((await refused(client.listUsers().catch((error: unknown) => Promise.reject(error)))).statusCode, 403);
  assert.is((await refused(all(client.listUsers()))).statusCode, 403);
});

test.run();
