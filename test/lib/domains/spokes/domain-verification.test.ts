import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Actor } from "#lib/domains/auth/access.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { createSpoke } from "#lib/domains/spokes/create.ts";
import { buildTxtRecordValue } from "#lib/domains/spokes/domain-verification.ts";
import { previewSpoke } from "#lib/domains/spokes/preview.ts";
import type { NewSpoke } from "#lib/domains/spokes/views.ts";
import { HOUR } from "#lib/base/time.ts";
import { type DomainScene, openDomainScene } from "#test/lib/domains/spokes/domain-scene.ts";
import { type NameServer, openNameServer } from "#test/support/dns.ts";
import { rejection, until } from "#test/support/until.ts";
import { selectRows } from "#test/support/rows.ts";

interface Context {
  server: NameServer;
  stage: DomainScene;
  hub: FederationRow;
  other: FederationRow;
  /** The admin of both hubs. */
  admin: Actor;
}

const test = suite<Context>("requireVerifiedDomain");
test.before(async (context) => {
  context.server = await openNameServer();
  context.stage = await openDomainScene(undefined, { DNS_SERVERS: context.server.address });
  context.hub = await context.stage.hub("north");
  context.other = await context.stage.hub("south");
  context.admin = await context.stage.person({
    role: "hub_admin",
    federationIds: [context.hub.id, context.other.id],
  });
});
test.after(async ({ server, stage }) => {
  await stage.close();
  await server.close();
});

const calm = new AbortController().signal;
const ask = (slug: string, domain: string) => ({ slug, domain }) as NewSpoke;

test("requires the record of a hub admin, names it in the fault, and creates nothing", async (context) => {
  const { stage: { app, db }, hub, admin } = context;
  const input = ask("elm", "elm.school.example");
  const real = await rejection(createSpoke(app, admin, hub, input, null));
  assert.is(real.code, "domain_unproven");
  assert.match(
    real.message,
    `set the TXT record _wheelwright.elm.school.example to ${buildTxtRecordValue(hub.id)}, wait`,
  );
  const previewFault = await rejection(previewSpoke(app, admin, hub, input, calm));
  assert.equal([previewFault.code, previewFault.message], [real.code, real.message]);
  assert.equal(await selectRows(db, "spokes", { slug: "elm" }, { columns: ["id"] }), []);
});

test("has a constant value for each hub that does not reveal the hub's ID", ({ hub, other }) => {
  assert.match(buildTxtRecordValue(hub.id), /^wheelwright=[0-9a-f]{40}$/);
  assert.is(buildTxtRecordValue(hub.id), buildTxtRecordValue(hub.id));
  assert.is.not(buildTxtRecordValue(hub.id), buildTxtRecordValue(other.id));
});

test("rejects the record of another hub, in other letters, or of a parent or subdomain", async (context) => {
  const { server, stage: { app }, hub, other, admin } = context;
  const value = buildTxtRecordValue(hub.id);
  server.setAnswer("_wheelwright.fir.school.example", [[buildTxtRecordValue(other.id)], [value.toUpperCase()], [
    ` ${value}`,
  ], [
    "",
  ]]);
  server.setAnswer("_wheelwright.school.example", [[value]]);
  server.setAnswer("_wheelwright.a.fir.school.example", [[value]]);
  server.setAnswer("fir.school.example", [[value]]);
  const error = await rejection(createSpoke(app, admin, hub, ask("fir", "fir.school.example"), null));
  assert.is(error.code, "domain_unproven");
});

test("accepts a record among others and in several strings", async (context) => {
  const { server, stage: { app }, hub, other, admin } = context;
  const value = buildTxtRecordValue(hub.id);
  server.setAnswer("_wheelwright.oak.school.example", [["v=spf1 -all"], [value.slice(0, 20), value.slice(20)]]);
  const input = ask("oak", "oak.school.example");
  assert.is((await previewSpoke(app, admin, hub, input, calm)).spoke.domain, "oak.school.example");
  assert.is((await rejection(createSpoke(app, admin, other, input, null))).code, "domain_unproven");
  assert.is((await createSpoke(app, admin, hub, input, null)).domain, "oak.school.example");
});

test("needs no record below the root domain, nor from an operator", async ({ server, stage, hub, admin }) => {
  const queryCount = server.asked.length;
  await createSpoke(stage.app, admin, hub, { slug: "plain" } as NewSpoke, null);
  await createSpoke(stage.app, admin, hub, ask("named", "given.spokes.example.org"), null);
  await createSpoke(stage.app, stage.operator, hub, ask("free", "free.school.example"), null);
  assert.is(server.asked.length, queryCount);
});

test("requires the record before any check that would reveal other hubs' domains", async ({ stage, hub, other, admin }) => {
  await createSpoke(stage.app, stage.operator, other, ask("held", "held.school.example"), null);
  const error = await rejection(createSpoke(stage.app, admin, hub, ask("nosy", "held.school.example"), null));
  assert.is(error.code, "domain_unproven");
});

test("reports a taken domain below a name of another hub, because no record helps there", async ({ stage, hub, other, admin }) => {
  await createSpoke(stage.app, stage.operator, other, ask("above", "above.school.example"), null);
  for (const domain of ["a.above.school.example", "a.b.above.school.example"]) {
    const creation = createSpoke(stage.app, admin, hub, ask("below", domain), null);
    const { code, message } = await rejection(creation);
    assert.is(code, "domain_taken");
    assert.not.match(message, "TXT");
    assert.is((await rejection(previewSpoke(stage.app, admin, hub, ask("below", domain), calm))).code, "domain_taken");
  }
});

test("does not require the record for a repeated request, but for a new one", async (context) => {
  const { server, stage: { app, db }, hub, admin } = context;
  const key = {
    ...{ userId: admin.userId, method: "POST", path: "/x", key: "k" },
    bodyHash: new Uint8Array(32),
  };
  const record = "_wheelwright.yew.school.example", input = ask("yew", "yew.school.example");
  assert.is((await rejection(createSpoke(app, admin, hub, input, key))).code, "domain_unproven");
  server.setAnswer(record, [[buildTxtRecordValue(hub.id)]]);
  const made = await createSpoke(app, admin, hub, input, key);
  server.setAnswer(record, "no name");
  assert.is((await createSpoke(app, admin, hub, input, key)).id, made.id);
  const changed = { ...key, bodyHash: new Uint8Array(32).fill(1) };
  assert.is((await rejection(createSpoke(app, admin, hub, input, changed))).code, "idempotency_key_reused");
  const another = { ...key, key: "k2" };
  assert.is((await rejection(createSpoke(app, admin, hub, input, another))).code, "domain_unproven");
  await db.shiftClock(25 * HOUR);
  assert.is((await rejection(createSpoke(app, admin, hub, input, key))).code, "domain_unproven");
  await db.shiftClock(0);
});

test("reports unavailable name servers, and holds no connection meanwhile", async (context) => {
  const { server, stage: { app, db }, hub, admin } = context;
  const record = "_wheelwright.mute.school.example";
  server.setAnswer(record, "silence");
  const asking = rejection(createSpoke(app, admin, hub, ask("mute", "mute.school.example"), null, { signal: calm }));
  await until(() => server.asked.includes(record));
  const { open, idle } = db.stats();
  assert.is(idle, open);
  const error = await asking;
  assert.equal([error.code, error.message], [
    "dns_unavailable",
    `The DNS servers did not answer the query for ${record}; try again`,
  ]);
});

test("ends the wait when the request ends", async ({ server, stage, hub, admin }) => {
  const record = "_wheelwright.gone.school.example", stop = new AbortController();
  server.setAnswer(record, "silence");
  const asking = rejection(
    createSpoke(stage.app, admin, hub, ask("gone", "gone.school.example"), null, { signal: stop.signal }),
  );
  await until(() => server.asked.includes(record));
  stop.abort(new Error("over"));
  assert.is(((await asking).cause as Error).message, "over");
});

test("rejects a name that is too long for its record", async ({ stage, hub, admin }) => {
  const long = (most: number) => `${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(most)}`;
  const error = await rejection(createSpoke(stage.app, admin, hub, ask("long", long(49)), null));
  assert.equal([error.code, long(49).length], ["domain_invalid", 241]);
  assert.is((await rejection(createSpoke(stage.app, admin, hub, ask("long", long(48)), null))).code, "domain_unproven");
});

test.run();
