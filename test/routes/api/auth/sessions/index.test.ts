import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listAuditEvents } from "#lib/audit/store.ts";
import { DAY, HOUR } from "#lib/base/time.ts";
import { manifest } from "#src/manifest.ts";
import { openServer } from "#src/server.ts";
import { addHubAdmin, createTestSession, createTestToken, createTestUser, type TestUser } from "#test/support/users.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { until } from "#test/support/until.ts";
import { NOW, updateRows } from "#test/support/rows.ts";

const PATH = "/api/auth/sessions";
const test = suite<{ scene: Scene }>(PATH);

test.before(async (context) => {
  context.scene = await openScene();
});
test.after(({ scene }) => scene.close());
test.before.each(({ scene }) => scene.db.shiftClock(0));

/** Creates a user with that many sessions. Returns their cookies and IDs. */
async function signedIn(scene: Scene, name: string, count: number) {
  const person = await createTestUser(scene.db, name);
  const sessions: { readonly id: string; readonly headers: Record<string, string> }[] = [];
  for (let i = 0; i < count; i++) {
    const { id, secret } = await createTestSession(scene.db, person);
    sessions.push({ id, headers: { cookie: `wheelwright=${secret}` } });
  }
  return { person, sessions };
}

async function statusesOf(scene: Scene, sessions: readonly { readonly headers: Record<string, string> }[]) {
  const statuses: number[] = [];
  for (const { headers } of sessions) statuses.push((await scene.send("/api/auth/me", { headers })).status);
  return statuses;
}

async function kindsOf(scene: Scene, { id }: TestUser): Promise<unknown[]> {
  const events = (await listAuditEvents(scene.db.rows, { actorId: id }, { limit: 20 })).items;
  return events.map(({ kind, objectId, metadata }) => [kind, objectId, metadata]);
}

test("lists the caller's sessions without secrets, the current one first", async ({ scene }) => {
  const { sessions: [first, second] } = await signedIn(scene, "ada", 2);
  const { status, body } = await scene.send(PATH, { headers: first!.headers });
  assert.is(status, 200);
  assert.equal(body.map(({ id, current }: Record<string, unknown>) => [id, current]), [
    [first!.id, true],
    [second!.id, false],
  ]);
  assert.equal(Object.keys(body[0]).sort(), [
    ...["createdAt", "current", "expiresAt", "id", "ip", "lastUsedAt", "provider", "userAgent"],
  ]);
  assert.equal([body[0].ip, body[0].userAgent], ["192.0.2.1", "test"]);
  const [{ createdAt, lastUsedAt, expiresAt }] = body;
  assert.is(Date.parse(expiresAt) - Date.parse(lastUsedAt), 12 * HOUR);
  await updateRows(scene.db, "sessions", { createdAt: new Date(Date.parse(createdAt) - 30 * DAY + HOUR) }, {
    id: first!.id,
  });
  const [old] = (await scene.send(PATH, { headers: first!.headers })).body;
  assert.is(Date.parse(old.expiresAt) - Date.parse(createdAt), HOUR);
});

test("lists sessions for a token of any scope, but ends none", async ({ scene }) => {
  const { person, sessions: [first, second] } = await signedIn(scene, "tok", 2);
  for (const scope of ["readonly", "provisioning", "cli"] as const) {
    const headers = { authorization: `Bearer ${(await createTestToken(scene.db, person, scope)).plaintext}` };
    const { status, body } = await scene.send(PATH, { headers });
    assert.is(status, 200);
    assert.equal(body.map(({ id }: { id: string }) => id).sort(), [first!.id, second!.id].sort());
    assert.ok(body.every(({ current }: { current: boolean }) => !current));
    assert.is((await scene.send(`${PATH}/${first!.id}`, { method: "DELETE", headers })).status, 401);
  }
});

test("leaves out ended and idle sessions", async ({ scene }) => {
  const { sessions: [first, ended, stale] } = await signedIn(scene, "bob", 3);
  await updateRows(scene.db, "sessions", { endedAt: NOW }, { id: ended!.id });
  await scene.db.sql("update sessions set last_used_at = last_used_at - interval '13 hours' where id = $1", [
    stale!.id,
  ]);
  const { body } = await scene.send(PATH, { headers: first!.headers });
  assert.equal(body.map(({ id }: Record<string, unknown>) => id), [first!.id]);
});

test("lists at most a hundred, including the current one", async ({ scene }) => {
  const { sessions: [own] } = await signedIn(scene, "many", 105);
  await scene.db.sql("update sessions set last_used_at = last_used_at - interval '30 seconds' where id = $1", [
    own!.id,
  ]);
  const { body } = await scene.send(PATH, { headers: own!.headers });
  assert.equal([body.length, body[0].id, body[0].current], [100, own!.id, true]);
});

test("ends one session; repeating the request changes nothing", async ({ scene }) => {
  const { person, sessions } = await signedIn(scene, "cid", 3), [first, second] = sessions;
  for (let i = 0; i < 2; i++) {
    const { status } = await scene.send(`${PATH}/${second!.id}`, { method: "DELETE", headers: first!.headers });
    assert.is(status, 204);
  }
  assert.equal(await statusesOf(scene, sessions), [200, 401, 200]);
  assert.equal(await kindsOf(scene, person), [["session_ended", second!.id, {}]]);
});

test("ends no session of another user, not even for an operator", async ({ scene }) => {
  const { sessions: [first] } = await signedIn(scene, "dan", 1);
  const refused = await scene.as("operator").delete(`${PATH}/${first!.id}`);
  assert.equal([refused.status, refused.body.message], [404, "There is no such session, or it is not yours"]);
  assert.equal(await statusesOf(scene, [first!]), [200]);
});

test("ends all other sessions, but none of other users", async ({ scene }) => {
  const { person, sessions } = await signedIn(scene, "eve", 3), fay = await signedIn(scene, "fay", 1);
  for (let i = 0; i < 2; i++) {
    const { status } = await scene.send(`${PATH}/others`, { method: "DELETE", headers: sessions[1]!.headers });
    assert.is(status, 204);
  }
  assert.equal(await statusesOf(scene, sessions), [401, 200, 401]);
  assert.equal(await statusesOf(scene, fay.sessions), [200]);
  assert.equal(await kindsOf(scene, person), [["other_sessions_ended", person.id, { ended: 2 }]]);
});

test("notifies users of the sessions, so that they end immediately", async ({ scene }) => {
  const { person, sessions } = await signedIn(scene, "hal", 3), { headers } = sessions[0]!;
  let woken = 0;
  const stop = scene.db.wakeups.subscribe(`user:${person.id}`, () => void woken++);
  for (const [i, which] of [sessions[1]!.id, "others"].entries()) {
    await scene.send(`${PATH}/${which}`, { method: "DELETE", headers });
    await until(() => woken > i);
  }
  stop();
});

test("ends the event streams of the sessions", async ({ scene }) => {
  const { person, sessions } = await signedIn(scene, "gus", 3);
  await addHubAdmin(scene.db, person, scene.hub);
  const server = openServer(scene.app, manifest, { isSchedulerReady: () => true });
  const streams = await Promise.all(sessions.map(async ({ headers }) => {
    const path = `http://localhost:3000/api/federations/${scene.hub}/events`;
    const reader = (await server.request(new Request(path, { headers }))).body!.getReader();
    await reader.read();
    const stream = { reader, over: false };
    void (async () => {
      while (!(await reader.read()).done);
      stream.over = true;
    })();
    return stream;
  }));
  const [own, one, other] = streams, { headers } = sessions[0]!;
  await scene.send(`${PATH}/${sessions[1]!.id}`, { method: "DELETE", headers });
  await until(() => one!.over);
  assert.equal(streams.map(({ over }) => over), [false, true, false]);
  await scene.send(`${PATH}/others`, { method: "DELETE", headers });
  await until(() => other!.over);
  assert.is(own!.over, false);
  await own!.reader.cancel();
});

test.run();
