/**
 * Tests which index each query uses. Without it, the result would be the same but too slow for a long history. `npm run
 * plans` shows the cost with ten million events.
 */
import { toMarkingReader } from "#test/lib/domains/notifications/record-events.ts";
import postgres from "postgres";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type AuditFilter, listAuditEvents } from "#lib/audit/store.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { countUnreadNotifications, type NotificationReader } from "#lib/domains/notifications/objects.ts";
import { listNotifications } from "#lib/domains/notifications/list.ts";
import { markAllNotificationsAsRead } from "#lib/domains/notifications/read-all.ts";
import { hubId, insertEvents, insertHubsAndSpokes, spokeId, userId } from "#test/bench/plans-fill.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { openQueryExplainer, type QueryExplainer, type QueryPlan } from "#test/support/query-plans.ts";

interface Context {
  db: TestDatabase;
  explainer: QueryExplainer;
}

const test = suite<Context>("query plans of notifications");
const OPERATOR: NotificationReader = { role: "operator", userId: userId(0) };
const HUB_ADMIN: NotificationReader = { role: "hub_admin", userId: userId(1) };
const SPOKE_ADMIN: NotificationReader = { role: "spoke_admin", userId: userId(2) };

test.before(async (context) => {
  const db = context.db = await openTestDatabase();
  const sql = postgres(db.url, { max: 1, onnotice: () => {} });
  await insertHubsAndSpokes(sql, { hubs: 50, spokes: 500 });
  await sql`insert into federation_members (user_id, federation_id) values (${userId(1)}, ${hubId(0)})`;
  await sql`insert into spoke_members (user_id, spoke_id) values (${userId(2)}, ${spokeId(0)})`;
  await insertEvents(sql, 0, 4000, () => {}, { hubs: 50, spokes: 500 });
  await markAllNotificationsAsRead(db, toMarkingReader(HUB_ADMIN));
  await sql`analyze`;
  await sql.end();
  // A sequential scan is fastest for tables of a few pages, so it is disabled here.
  context.explainer = openQueryExplainer(db.url, { enable_seqscan: "off" });
});
test.after(async ({ db, explainer }) => {
  await explainer.close();
  await db.close();
});

async function answers({ explainer }: Context, index: string | null, ask: (rows: RowQueries) => Promise<unknown>) {
  const plans = await explainer.explain(ask);
  const named = plans.flatMap((plan: QueryPlan) => plan.indexes);
  const walked = plans.flatMap((plan: QueryPlan) => plan.scannedTables);
  const planText = plans.flatMap((plan: QueryPlan) => plan.lines).join("\n");
  if (index) assert.ok(named.includes(index), `${index} is not in\n${planText}`);
  else assert.not.ok(named.some((name) => name.startsWith("audit_events")), planText);
  assert.not.ok(walked.some((table) => ["audit_events", "notification_reads"].includes(table)), planText);
}

for (const reader of [OPERATOR, HUB_ADMIN, SPOKE_ADMIN]) {
  test(`reads no event for the unread count of a ${reader.role}`, (context) =>
    answers(context, null, (rows) => countUnreadNotifications(rows, reader)));
}

for (
  const [reader, index] of [
    [OPERATOR, "audit_events_visible"],
    [HUB_ADMIN, "audit_events_visible_of_federation"],
    [SPOKE_ADMIN, "audit_events_visible_of_spoke"],
    [SPOKE_ADMIN, "audit_events_visible_to_audience"],
  ] as const
) {
  for (const unreadOnly of [false, true]) {
    test(`uses ${index} for ${unreadOnly ? "unread " : ""}notifications of a ${reader.role}`, (context) =>
      answers(context, index, (rows) => listNotifications(rows, reader, { limit: 20, unreadOnly, before: undefined })));
  }
}

test("queries each hub for an operator's older unread events", (context) =>
  answers(
    context,
    "audit_events_visible_of_federation",
    (rows) => listNotifications(rows, OPERATOR, { limit: 1000, unreadOnly: true, before: undefined }),
  ));

for (
  const [filter, index] of [
    [{}, "audit_events_newest"],
    [{ spokeId: spokeId(400) }, "audit_events_of_spoke"],
    [{ federationId: hubId(40) }, "audit_events_of_hub"],
    [{ federationId: hubId(0) }, "audit_events_of_hub"],
    [{ federationId: hubId(0), kind: "auth_login" }, "audit_events_of_hub"],
    [{ kind: "auth_login" }, "audit_events_of_kind"],
    [{ actorId: userId(7), kind: "auth_login" }, "audit_events_of_actor"],
    [{ objectType: "spoke" }, "audit_events_of_object_type"],
    [{ kind: "billing_subscription_refunded" }, "audit_events_of_kind"],
    [{ actorId: userId(7) }, "audit_events_of_actor"],
    [{ objectType: "operation" }, "audit_events_of_object_type"],
    [{ objectType: "spoke", objectId: spokeId(400) }, "audit_events_of_object"],
  ] as readonly [AuditFilter, string][]
) {
  test(`uses ${index} for the audit log by ${JSON.stringify(filter)}`, (context) =>
    answers(context, index, (rows) => listAuditEvents(rows, filter, { limit: 25 })));
}

test.run();
