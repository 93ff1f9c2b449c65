/** Tests requests that are in progress while their sender loses access. Access that is lost before the work begins must
 * not count. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Attack, openAttack } from "#test/support/attack.ts";
import { createTestSession } from "#test/support/users.ts";
import { retryUnavailable } from "#test/support/probes/retry-unavailable.ts";
import { connect } from "#test/support/server.ts";
import { until } from "#test/support/until.ts";

const test = suite<{ attack: Attack }>("a request in progress while its sender loses access");
test.before(async (context) => {
  context.attack = await openAttack();
});
test.after(({ attack }) => attack.close());

/** Sends all of a request but its last byte. The returned function sends that byte and returns the response. */
function hold(attack: Attack, secret: string, method: string, path: string, body: unknown): () => Promise<string> {
  const text = JSON.stringify(body), connection = attack.connect();
  connection.write(`${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nCookie: wheelwright=${secret}\r\n`);
  connection.write(`Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text.slice(0, -1)}`);
  return async () => {
    connection.write(text.slice(-1));
    return await connection.closed;
  };
}

test("is rejected if the sender was demoted or disabled while sending it", async ({ attack }) => {
  for (const [name, taken] of [["eve", { operator: false }], ["mallory", { disabled: true }]] as const) {
    const person = await attack.person(name, true),
      { id } = person,
      { secret } = await createTestSession(attack.db, person);
    const finish = hold(attack, secret, "PATCH", `/api/users/${id}`, { operator: true, disabled: false });
    // everything sent before has arrived by now
    assert.is((await attack.call(null, "GET", "/api/healthz")).status, 200);
    assert.is((await attack.call(attack.token, "PATCH", `/api/users/${id}`, taken)).status, 200);
    assert.match(await finish(), /^HTTP\/1\.1 40[13] /);
    const [row] = await attack.db.sql("select operator, disabled_at from users where id = $1", [id]);
    assert.equal([row.operator, row.disabledAt !== null], [!("operator" in taken), "disabled" in taken]);
  }
});

test("is rejected if the token is revoked while the change waits for a row lock", async ({ attack }) => {
  const { token } = await attack.person("trent", true), hub = await attack.hub("north");
  const sql = connect(attack.db.url, 2);
  try {
    const patched = await sql.begin(async (tx) => {
      await tx`select from federations where id = ${hub} for update`;
      const patch = retryUnavailable(() =>
        attack.call(token.plaintext, "PATCH", `/api/federations/${hub}`, { name: "Taken over" })
      );
      await until(() => waits(attack, LET_IN)); // the work on the hub may also wait for the hub's row
      const revoked = retryUnavailable(() => attack.call(attack.token, "DELETE", `/api/auth/tokens/${token.id}`));
      // the revocation waits for the request, which was allowed when it began
      await until(() => waits(attack, OUTLASTS));
      return { patch, revoked };
    });
    assert.is((await patched.patch).status, 200);
    assert.is((await patched.revoked).status, 204);
    assert.is((await attack.call(token.plaintext, "PATCH", `/api/federations/${hub}`, { name: "Again" })).status, 401);
  } finally {
    await sql.end();
  }
});

test("constant writes do not prevent a token from being revoked", async ({ attack }) => {
  const { token } = await attack.person("sybil", true), hub = await attack.hub("south");
  let going = true, written = 0;
  const writers = Array.from({ length: 6 }, async (_, i) => {
    while (going) {
      const { status } = await attack.call(token.plaintext, "PATCH", `/api/federations/${hub}`, {
        name: `S ${i}.${written}`,
      });
      if (status === 401) return;
      if (status === 200) written++;
    }
  });
  await until(() => written > 20);
  assert.is((await attack.call(attack.token, "DELETE", `/api/auth/tokens/${token.id}`)).status, 204);
  const [{ name }] = await attack.db.sql("select name from federations where id = $1", [hub]);
  await Promise.all(writers);
  going = false;
  const [after] = await attack.db.sql("select name from federations where id = $1", [hub]);
  assert.is(after.name, name, "nothing was written after the token was revoked");
});

test("constant changes of the same row do not prevent a user from being disabled", async ({ attack }) => {
  const person = await attack.person("victor", true), { secret } = await createTestSession(attack.db, person);
  const headers = { cookie: `wheelwright=${secret}`, "content-type": "application/json" };
  let going = true, renamed = 0;
  const renaming = Array.from({ length: 8 }, async (_, i) => {
    while (going) {
      const body = JSON.stringify({ displayName: `Victor ${i}.${renamed}` });
      const { status } = await fetch(`${attack.url}/api/users/${person.id}`, { method: "PATCH", headers, body });
      if (status === 401) return;
      if (status === 200) renamed++;
    }
  });
  await until(() => renamed > 20);
  const disabled = await attack.call(attack.token, "PATCH", `/api/users/${person.id}`, { disabled: true });
  assert.equal([disabled.status, disabled.body.state ?? disabled.body.disabledAt !== null], [
    200,
    disabled.body.state ?? true,
  ]);
  await Promise.all(renaming);
  going = false;
});

test("revokes a token once when ten requests revoke it at the same time, without an error", async ({ attack }) => {
  const { token } = await attack.person("walter", true), path = `/api/auth/tokens/${token.id}`;
  const answers = await Promise.all(Array.from({ length: 10 }, () => attack.call(token.plaintext, "DELETE", path)));
  const statuses = answers.map(({ status }) => status).sort();
  assert.is(statuses[0], 204);
  // 503: the request came too late
  assert.equal(statuses.slice(1).filter((status) => ![401, 404, 503].includes(status)), []);
});

test.run();

/** Statements of the server that wait for a lock. */
/** Selects a request's transaction that holds its user's lock. */
const LET_IN = `exists (
  select from pg_locks where pg_locks.pid = pg_stat_activity.pid and granted and locktype = 'advisory' and mode = 'ShareLock')`;
/** Selects a transaction that waits until no request holds the user's lock. */
const OUTLASTS = "query like '%pg_advisory_xact_lock(%'";

async function waits(attack: Attack, which: string): Promise<boolean> {
  const text =
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and ${which}`;
  return (await attack.db.sql(text)).length > 0;
}
