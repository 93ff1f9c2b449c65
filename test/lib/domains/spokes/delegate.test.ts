/** Tests parallel delegations, also while users accept. They create one user, one membership and one mail. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { App } from "#lib/app.ts";
import { acceptInvitation } from "#lib/domains/auth/accept-invitation.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { addOneTimeTokenSecret } from "#lib/domains/auth/one-time-tokens.ts";
import { addSpokeMember, removeSpokeMember } from "#lib/domains/spokes/members.ts";
import { findSpoke, type SpokeRow } from "#lib/domains/spokes/store.ts";
import { DAY, HOUR, MINUTE } from "#lib/base/time.ts";
import { createTestApp } from "#test/support/app.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { createTestUser } from "#test/support/users.ts";
import { openMailSender } from "#test/support/mail-sender.ts";
import { insertHub, insertSpoke } from "#test/support/insert-rows.ts";
import { selectRows } from "#test/support/rows.ts";

interface Stage {
  db: TestDatabase;
  /** The connections of two replicas. */
  apps: readonly [App, App];
  actor: Actor;
  oak: SpokeRow;
  elm: SpokeRow;
}

const test = suite<Stage>("addSpokeMember");

test.before(async (stage) => {
  // A hundred callers wait longer for a connection than a request would.
  const patient = { size: 8, waitLimit: MINUTE };
  stage.db = await openTestDatabase(patient);
  // Real hashing is too slow for requests to overlap.
  const passwords = { hash: () => Promise.resolve("no hash"), verify: () => Promise.resolve("wrong" as const) };
  const app = { ...await createTestApp(stage.db), passwords };
  stage.apps = [app, { ...app, db: await stage.db.openAgain(patient) }];
  const root = await createTestUser(stage.db, "root", { operator: true });
  const hub = await insertHub(stage.db, root.id);
  stage.oak = (await findSpoke(stage.db.rows, await insertSpoke(stage.db, root.id, hub, "oak"), "hidden"))!;
  stage.elm = (await findSpoke(stage.db.rows, await insertSpoke(stage.db, root.id, hub, "elm"), "hidden"))!;
  stage.actor = {
    userId: root.id,
    email: root.email,
    displayName: "Root",
    role: "operator",
    federationIds: [],
    spokeIds: [],
    hubLimit: null,
    credential: { kind: "session", id: "ses_0", recent: true, hasFactor: false },
    ip: "192.0.2.1",
    userAgent: "test",
    tokenPrefix: null,
  };
});
test.before.each((stage) => stage.db.shiftClock(0));
test.after((stage) => stage.db.close());

test("creates one user and one email for 100 parallel calls, on two replicas and for two spokes", async (stage) => {
  const { db, apps, actor, oak, elm } = stage;
  const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => {
    const invitee = { email: "crowd@x.example", displayName: `${i}` };
    return addSpokeMember(apps[i % 2]!, actor, i % 4 < 2 ? oak : elm, invitee, null);
  }));
  assert.equal([...new Set(answers.map(({ status }) => status))], ["invited"]);
  assert.is(new Set(answers.map(({ userId }) => userId)).size, 1);
  const { userId } = answers[0]!;
  const [counts] = await db.sql(
    `select (select count(*) from users where email = 'crowd@x.example') as users,
      (select count(*) from spoke_members where user_id = $1) as seats,
      (select count(*) from jobs where kind = 'mail' and payload->'letter'->'to'->>'email' = 'crowd@x.example') as mails,
      (select count(*) from one_time_tokens where user_id = $1) as grants,
      (select count(*) from audit_events where kind = 'user_created' and object_id = $1) as made,
      (select count(*) from audit_events where kind = 'user_invited' and object_id = $1) as invited,
      (select count(*) from audit_events where kind = 'spoke_delegated' and metadata->>'userId' = $1) as delegated`,
    [userId],
  );
  const expected = { users: 1, seats: 2, mails: 1, grants: 1, made: 1, invited: 1, delegated: 2 };
  assert.equal(counts, Object.fromEntries(Object.entries(expected).map(([name, count]) => [name, String(count)])));
  const [{ expiresAt }] = await selectRows(db, "one_time_tokens", { userId }, { columns: ["expiresAt"] });
  const promised = answers.map(({ expiresAt }) => expiresAt!).sort();
  assert.is(promised.at(-1), expiresAt.toISOString(), "the latest is what holds, and none promises more");
});

test("duplicates and loses nothing while users accept at the same time", async ({ db, apps, actor, oak, elm }) => {
  const invitee = { email: "quick@x.example", displayName: undefined };
  const { userId } = await addSpokeMember(apps[0], actor, oak, invitee, null);
  const [{ id }] = await selectRows(db, "one_time_tokens", { userId }, { columns: ["id"] });
  const token = (await db.transact((tx) => addOneTimeTokenSecret(tx, id)))!;
  const origin = { ip: "192.0.2.2", userAgent: "test" };
  const asking = Array.from({ length: 10 }, (_, i) => addSpokeMember(apps[i % 2]!, actor, elm, invitee, null));
  await acceptInvitation(apps[1], origin, { token, password: "a password of their own" });
  const statuses = (await Promise.all(asking)).map(({ status }) => status);
  assert.ok(statuses.includes("invited") || statuses.includes("added"));
  assert.is((await addSpokeMember(apps[0], actor, elm, invitee, null)).status, "unchanged");
  assert.equal(await db.sql("select count(*)::int as n from spoke_members where user_id = $1", [userId]), [{ n: 2 }]);
  const open = "select id from one_time_tokens where user_id = $1 and used_at is null and voided_at is null";
  assert.equal(await db.sql(open, [userId]), []);
  assert.is(await mails(db, invitee.email), 1);
});

test("emails again after an hour, lists every membership, and renews expired links", async ({ db, apps: [app], actor, oak, elm }) => {
  const invitee = { email: "slow@x.example", displayName: undefined };
  const first = await addSpokeMember(app, actor, oak, invitee, null);
  await addSpokeMember(app, actor, elm, invitee, null);
  await db.shiftClock(HOUR - MINUTE);
  await addSpokeMember(app, actor, oak, invitee, null);
  assert.is(await mails(db, invitee.email), 1);
  await db.shiftClock(HOUR + MINUTE);
  const calls = Array.from({ length: 20 }, (_, i) => addSpokeMember(app, actor, i % 2 ? oak : elm, invitee, null));
  const second = (await Promise.all(calls))[0]!;
  assert.is(await mails(db, invitee.email), 2);
  assert.ok(second.expiresAt! > first.expiresAt!);
  const [newest] = await db.sql(
    "select payload from jobs where payload->'letter'->'to'->>'email' = $1 order by seq desc limit 1",
    [invitee.email],
  );
  assert.equal(newest.payload.letter.about, {
    inviter: "Root",
    places: ["oak", "elm"],
    expiresAt: second.expiresAt,
  });
  await db.shiftClock(9 * DAY);
  const third = await addSpokeMember(app, actor, oak, invitee, null);
  assert.is(await mails(db, invitee.email), 3);
  assert.is(Date.parse(third.expiresAt!) > (await db.now()).getTime() + 6 * DAY, true);
  const kinds = await selectRows(db, "audit_events", { objectId: first.userId }, { columns: ["kind"], orderBy: "at" });
  assert.equal(kinds.map(({ kind }) => kind), ["user_created", "user_invited", "user_invited", "user_invited"]);
});

test("revives the emailed link, without a second mail, if the membership is added again within the hour", async (stage) => {
  const { db, apps: [app], actor, oak } = stage;
  const invitee = { email: "again@x.example", displayName: undefined };
  const { userId } = await addSpokeMember(app, actor, oak, invitee, null);
  const { token } = await (await openMailSender(app)).next(invitee.email) as { token: string };
  for (let i = 0; i < 3; i++) {
    await removeSpokeMember(app, actor, oak, userId);
    const accepting = { token, password: "a password of their own" };
    const refused = await acceptInvitation(app, { ip: "", userAgent: "" }, accepting).catch((error) => error.code);
    assert.is(refused, "link_spent");
    assert.is((await addSpokeMember(app, actor, oak, invitee, null)).status, "invited");
  }
  assert.is(await mails(db, invitee.email), 1);
  await acceptInvitation(app, { ip: "", userAgent: "" }, { token, password: "a password of their own" });
  assert.is((await addSpokeMember(app, actor, oak, invitee, null)).status, "unchanged");
});

test("emails if the membership was removed before the email went out and is added again", async ({ db, apps: [app], actor, oak }) => {
  const invitee = { email: "early@x.example", displayName: undefined };
  const { userId } = await addSpokeMember(app, actor, oak, invitee, null);
  await removeSpokeMember(app, actor, oak, userId);
  await addSpokeMember(app, actor, oak, invitee, null);
  assert.is(await mails(db, invitee.email), 2);
  const postman = await openMailSender(app);
  await postman.deliver();
  assert.is(postman.mails.filter(({ to }) => to.email === invitee.email).length, 1, "what was taken back is not sent");
});

test.run();

async function mails(db: TestDatabase, email: string): Promise<number> {
  return (await db.sql("select id from jobs where kind = 'mail' and payload->'letter'->'to'->>'email' = $1", [email]))
    .length;
}
