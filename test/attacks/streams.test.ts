/** Tests attacks through event streams on a real server: a user's changes to its own credentials or streams do not
 * affect other users. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { recordChange } from "#lib/changes/record.ts";
import { type Bench, openBench } from "#test/support/bench/bench.ts";
import { addHubAdmin, createTestSession, createTestToken, createTestUser, type TestUser } from "#test/support/users.ts";
import { insertHub } from "#test/support/insert-rows.ts";

const test = suite<{ bench: Bench; stranger: TestUser }>("attacks through event streams");

test.before(async (context) => {
  context.bench = await openBench({ replicas: 1, delayMs: 20 });
  context.stranger = await createTestUser(context.bench.db, "stranger");
});
test.after(({ bench }) => bench.close());

interface Tenant {
  readonly hub: string;
  readonly tokenId: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function makeTenant({ db }: Bench, name: string): Promise<Tenant> {
  const person = await createTestUser(db, name), hub = await insertHub(db, person.id, name);
  await addHubAdmin(db, person, hub);
  const { id, plaintext } = await createTestToken(db, person, "cli");
  return { hub, tokenId: id, headers: { authorization: `Bearer ${plaintext}` } };
}

const urlOf = ({ replicas }: Bench, path: string) => replicas[0]!.url + path;

async function statusOf(bench: Bench, path: string, init: RequestInit): Promise<number> {
  const { status, body } = await fetch(urlOf(bench, path), init);
  await body?.cancel();
  return status;
}

/** Follows a hub's stream from its first event. */
async function follow(bench: Bench, { hub, headers }: Tenant) {
  const client = new AbortController(), { signal } = client;
  const path = `/api/federations/${hub}/events?since=0`;
  const response = await fetch(urlOf(bench, path), { headers, signal });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  /** Reads until the text matches or the stream ends. */
  const received = async (pattern: RegExp): Promise<boolean> => {
    while (!pattern.test(text)) {
      const { value, done } = await reader.read();
      if (done) return false;
      text += value;
    }
    return true;
  };
  return {
    status: response.status,
    hear: received,
    ids: () => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id)),
    leave: () => client.abort(),
  };
}

function emit({ db }: Bench, federationId: string): Promise<unknown> {
  return db.transact((tx) => recordChange(tx, SYSTEM_REQUESTER, { events: [{ federationId, state: "active" }] }));
}

test("a user's logouts and revocations do not affect other users' streams", async ({ bench, stranger }) => {
  const EVENTS = 20;
  const tenants = await Promise.all(Array.from({ length: 10 }, (_, i) => makeTenant(bench, `tenant-${i}`)));
  const streams = await Promise.all(
    tenants.flatMap((tenant) => Array.from({ length: 10 }, () => follow(bench, tenant))),
  );
  await Promise.all(tenants.map(({ hub }) => emit(bench, hub)));
  assert.ok((await Promise.all(streams.map(({ hear: received }) => received(/^id: 1$/m)))).every(Boolean));

  const sent: string[] = [];
  bench.replicas[0]!.database.watch((bytes) => sent.push(new TextDecoder("latin1").decode(bytes)) > 0);
  assert.equal([...new Set(await withdraw(bench, stranger))], [204]);
  // Queries about other users' tokens must be the check that runs each second for all users. The call counter is no
  // such query.
  const about = sent.filter((text) => tenants.some(({ tokenId }) => text.includes(tokenId)) && !text.includes("/api/"));
  assert.equal(about.filter((text) => !tenants.every(({ tokenId }) => text.includes(tokenId))), []);

  const withdrawals = withdraw(bench, stranger);
  for (let i = 1; i < EVENTS; i++) await Promise.all(tenants.map(({ hub }) => emit(bench, hub)));
  const requests = tenants.map(({ headers }) => statusOf(bench, "/api/federations", { headers }));
  assert.equal([...new Set(await Promise.all(requests))], [200]);
  await withdrawals;
  for (const stream of streams) {
    assert.ok(await stream.hear(new RegExp(`^id: ${EVENTS}$`, "m")), "the stream was cut");
    assert.equal(stream.ids(), Array.from({ length: EVENTS }, (_, i) => i + 1));
    stream.leave();
  }
});

/** Revokes twenty tokens and ends twenty sessions of the user in parallel. Returns the statuses. */
async function withdraw(bench: Bench, person: TestUser): Promise<number[]> {
  const { db } = bench, own = await createTestToken(db, person, "cli");
  const headers = { authorization: `Bearer ${own.plaintext}` }, count = { length: 20 };
  const tokens = await Promise.all(Array.from(count, () => createTestToken(db, person, "readonly")));
  const sessions = await Promise.all(Array.from(count, () => createTestSession(db, person)));
  return await Promise.all([
    ...tokens.map(({ id }) => statusOf(bench, `/api/auth/tokens/${id}`, { method: "DELETE", headers })),
    ...sessions.map(({ secret }) =>
      statusOf(bench, "/api/auth/logout", { method: "POST", headers: { cookie: `wheelwright=${secret}` } })
    ),
  ]);
}

test("limits a caller to 20 streams, and serves other callers", async ({ bench }) => {
  const greedy = await makeTenant(bench, "greedy"), other = await makeTenant(bench, "other");
  const streams = await Promise.all(Array.from({ length: 100 }, () => follow(bench, greedy)));
  const statuses = streams.map(({ status }) => status);
  assert.is(statuses.filter((status) => status === 200).length, 20);
  assert.is(statuses.filter((status) => status === 429).length, 80);
  assert.is(await statusOf(bench, `/api/federations/${other.hub}`, { headers: other.headers }), 200);
  const stream = await follow(bench, other);
  await emit(bench, other.hub);
  assert.ok(await stream.hear(/^id: 1$/m));
  for (const one of [...streams, stream]) one.leave();
});

test("ends the stream of a revoked token even if no replica is notified", async ({ bench }) => {
  const tenant = await makeTenant(bench, "careless"), stream = await follow(bench, tenant);
  await emit(bench, tenant.hub);
  assert.ok(await stream.hear(/^id: 1$/m));
  await bench.db.sql("update api_tokens set revoked_at = wheelwright_now() where id = $1", [tenant.tokenId]);
  assert.not(await stream.hear(/^id: 2$/m)); // reads the stream to its end
});

test.run();
