import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Actor } from "#lib/domains/auth/access.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { createSpoke } from "#lib/domains/spokes/create.ts";
import { verificationValue } from "#lib/domains/spokes/domain-verification.ts";
import { previewSpoke } from "#lib/domains/spokes/preview.ts";
import type { NewSpoke } from "#lib/domains/spokes/views.ts";
import { HOUR } from "#lib/base/time.ts";
import { openStage, type Stage } from "#test/lib/domains/spokes/stage.ts";
import { type NameServer, openNameServer } from "#test/support/dns.ts";
import { rejection, until } from "#test/support/until.ts";

interface Context {
  server: NameServer;
  stage: Stage;
  hub: FederationRow;
  other: FederationRow;
  /** The admin of both hubs. */
  admin: Actor;
}

const test = suite<Context>("the proof of a domain");
test.before(async (context) => {
  context.server = await openNameServer();
  context.stage = await openStage(undefined, { DNS_SERVERS: context.server.address });
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

test("is asked for of a hub's admin, by the record's name and value, and nothing is made", async (context) => {
  const { stage: { app, db }, hub, admin } = context;
  const input = ask("elm", "elm.school.example");
  const real = await rejection(createSpoke(app, admin, hub, input, null));
  assert.is(real.code, "domain_unproven");
  assert.match(
    real.message,
    `set the TXT record _wheelwright.elm.school.example to ${verificationValue(hub.id)}, wait`,
  );
  const tried = await rejection(previewSpoke(app, admin, hub, input, calm));
  assert.equal([tried.code, tried.message], [real.code, real.message]);
  assert.equal(await db.sql("select id from spokes where slug = 'elm'"), []);
});

test("is another for each hub, always the same, and does not tell the hub's id", ({ hub, other }) => {
  assert.match(verificationValue(hub.id), /^wheelwright=[0-9a-f]{40}$/);
  assert.is(verificationValue(hub.id), verificationValue(hub.id));
  assert.is.not(verificationValue(hub.id), verificationValue(other.id));
});

test("of another hub, in other letters, or for a name above or below, is none", async (context) => {
  const { server, stage: { app }, hub, other, admin } = context;
  const value = verificationValue(hub.id);
  server.setAnswer("_wheelwright.fir.school.example", [[verificationValue(other.id)], [value.toUpperCase()], [
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

test("may stand among others and in pieces, and lets the hub have the domain", async (context) => {
  const { server, stage: { app }, hub, other, admin } = context;
  const value = verificationValue(hub.id);
  server.setAnswer("_wheelwright.oak.school.example", [["v=spf1 -all"], [value.slice(0, 20), value.slice(20)]]);
  const input = ask("oak", "oak.school.example");
  assert.is((await previewSpoke(app, admin, hub, input, calm)).spoke.domain, "oak.school.example");
  assert.is((await rejection(createSpoke(app, admin, other, input, null))).code, "domain_unproven");
  assert.is((await createSpoke(app, admin, hub, input, null)).domain, "oak.school.example");
});

test("is not asked for below the root, nor of an operator", async ({ server, stage, hub, admin }) => {
  const asked = server.asked.length;
  await createSpoke(stage.app, admin, hub, { slug: "plain" } as NewSpoke, null);
  await createSpoke(stage.app, admin, hub, ask("named", "given.spokes.example.org"), null);
  await createSpoke(stage.app, stage.operator, hub, ask("free", "free.school.example"), null);
  assert.is(server.asked.length, asked);
});

test("is asked for before all that would tell what others have", async ({ stage, hub, other, admin }) => {
  await createSpoke(stage.app, stage.operator, other, ask("held", "held.school.example"), null);
  const error = await rejection(createSpoke(stage.app, admin, hub, ask("nosy", "held.school.example"), null));
  assert.is(error.code, "domain_unproven");
});

test("is not what is missing below a name of another hub: that can never be given", async ({ stage, hub, other, admin }) => {
  await createSpoke(stage.app, stage.operator, other, ask("above", "above.school.example"), null);
  for (const domain of ["a.above.school.example", "a.b.above.school.example"]) {
    const asked = createSpoke(stage.app, admin, hub, ask("below", domain), null);
    const { code, message } = await rejection(asked);
    assert.is(code, "domain_taken");
    assert.not.match(message, "TXT");
    assert.is((await rejection(previewSpoke(stage.app, admin, hub, ask("below", domain), calm))).code, "domain_taken");
  }
});

test("is not asked for again by who repeats a request, and is by who makes another", async (context) => {
  const { server, stage: { app, db }, hub, admin } = context;
  const key = {
    ...{ userId: admin.userId, method: "POST", path: "/x", key: "k" },
    bodyHash: new Uint8Array(32),
  };
  const record = "_wheelwright.yew.school.example", input = ask("yew", "yew.school.example");
  assert.is((await rejection(createSpoke(app, admin, hub, input, key))).code, "domain_unproven");
  server.setAnswer(record, [[verificationValue(hub.id)]]);
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

test("is unknown, and not missing, where name servers do not answer; meanwhile no connection waits", async (context) => {
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
    `The name servers do not answer for ${record}; try again`,
  ]);
});

test("is not waited for by a request that is over", async ({ server, stage, hub, admin }) => {
  const record = "_wheelwright.gone.school.example", stop = new AbortController();
  server.setAnswer(record, "silence");
  const asking = rejection(
    createSpoke(stage.app, admin, hub, ask("gone", "gone.school.example"), null, { signal: stop.signal }),
  );
  await until(() => server.asked.includes(record));
  stop.abort(new Error("over"));
  assert.is(((await asking).cause as Error).message, "over");
});

test("cannot be had for a name that leaves no room for its record", async ({ stage, hub, admin }) => {
  const long = (most: number) => `${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(most)}`;
  const error = await rejection(createSpoke(stage.app, admin, hub, ask("long", long(49)), null));
  assert.equal([error.code, long(49).length], ["domain_invalid", 241]);
  assert.is((await rejection(createSpoke(stage.app, admin, hub, ask("long", long(48)), null))).code, "domain_unproven");
});

test.run();
