import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { App } from "#lib/app.ts";
import { record } from "#lib/changes/record.ts";
import { type Cluster, ClusterError, type Space } from "#lib/drivers/cluster/cluster.ts";
import { sealReply } from "#lib/drivers/crypto/seal.ts";
import { Fault } from "#lib/base/errors.ts";
import { acceptAction } from "#lib/domains/spokes/actions.ts";
import { createSignInLink } from "#lib/domains/spokes/sign-in-link.ts";
import { lockLinks } from "#lib/domains/spokes/store.ts";
import { manifest } from "#src/manifest.ts";
import { openServer } from "#src/server.ts";
import { CALL, JOB, openPorch, type Porch } from "#test/lib/domains/spokes/porch.ts";
import { rejection, until } from "#test/support/until.ts";

const test = suite<{ porch: Porch }>("makeSignInLink");
test.before(async (context) => void (context.porch = await openPorch()));
test.after.each(({ porch }) => porch.work.simulator.faults.clear());
test.after(({ porch }) => porch.close());

const named = (porch: Porch) => porch.objects("Job").filter(({ metadata }) => metadata.name === JOB.name);
const gone = (porch: Porch) => until(() => named(porch).length === 0);

/** A Job of another request, with another key. */
async function occupy(porch: Porch): Promise<void> {
  const { blueprintInputs: inputs } = await porch.work.row(porch.id);
  const key = btoa("0123456789abcdef0123456789abcdef");
  await (await porch.space()).create(
    porch.work.app.blueprint.jobObject(inputs, "sign-in-link", "0", { linkKey: key }),
    CALL,
  );
}

async function remove(porch: Porch): Promise<void> {
  for (const { metadata } of named(porch)) await (await porch.space()).delete(JOB, metadata.uid!, CALL);
  await gone(porch);
}

test("finds its own Job where the answer to its creation was lost", async ({ porch }) => {
  porch.work.simulator.faults.add({ type: "cut", method: "POST", path: "/jobs", at: "performed", times: 1 });
  assert.is((await porch.ask()).status, 201);
  await gone(porch);
});

test("leaves no Job behind", async ({ porch }) => {
  assert.is((await porch.ask()).status, 201);
  await gone(porch);
});

test("finds a Job of somebody else, says so, and leaves it alone", async ({ porch }) => {
  porch.work.simulator.faults.add({ type: "hanging-job", name: JOB.name });
  await occupy(porch);
  const [before] = named(porch), written = (await porch.audits()).length;
  const { status, body } = await porch.ask("spokeAdmin");
  assert.equal([status, body.code, body.message], [
    409,
    "link_under_way",
    "A sign-in link for this site is already being created; try again in a minute",
  ]);
  assert.equal([named(porch)[0]?.metadata.uid, (await porch.audits()).length], [before!.metadata.uid, written]);
  await remove(porch);
  porch.work.simulator.faults.clear();
  assert.is((await porch.ask()).status, 201);
});

test("gives one of many who ask at once a link, and at most one Job at a time runs", async ({ porch }) => {
  const made = porch.jobsMade();
  const statuses = (await Promise.all(Array.from({ length: 6 }, () => porch.ask()))).map(({ status }) => status);
  const links = statuses.filter((status) => status === 201).length;
  assert.ok(links >= 1 && statuses.every((status) => status === 201 || status === 409), statuses.join());
  assert.is(porch.jobsMade() - made, links);
  await gone(porch);
});

test("is 503 where the Job fails, with the last words in the log and nothing in a row", async ({ porch }) => {
  const written = (await porch.audits()).length;
  porch.work.simulator.faults.failJob(JOB.name, { log: ["!!! Exception - no luck !!!", "sealed: AAAA"], exitCode: 1 });
  const { status, body } = await porch.ask();
  assert.equal([status, body.code, body.message], [
    503,
    "link_failed",
    "The site could not create a sign-in link; check its health and try again",
  ]);
  assert.match(porch.lines.join(""), /A site could not create a sign-in link.*no luck/);
  assert.not.match(porch.lines.join(""), "AAAA");
  assert.is((await porch.audits()).length, written);
  await gone(porch);
});

test("believes nothing that was not sealed for it", async ({ porch }) => {
  for (
    const lines of [["sealed: AAAA"], [], ["sealed: "], [`sealed: ${"A".repeat(200)}`], ["refused: no such reason"]]
  ) {
    porch.work.simulator.faults.failJob(JOB.name, { log: lines, exitCode: 0 });
    assert.is((await porch.ask()).status, 503, lines.join());
    porch.work.simulator.faults.clear();
    await gone(porch);
  }
});

/** Returns a cluster whose Job prints this, encrypted for the request. */
async function saying({ work: { app } }: Porch, text: string, succeeded = true): Promise<App> {
  const cluster = await app.clusters.open("default");
  const space = (...place: Parameters<Cluster["space"]>): Space => {
    const real = cluster.space(...place);
    let key = "";
    return {
      ...real,
      create(job, call) {
        key = job["spec"].template.spec.containers[0].env[0].value;
        return real.create(job, call);
      },
      follow: async (name, waiting) => ({
        ...await real.follow(name, waiting),
        ...{ succeeded, log: [`sealed: ${sealReply(text, key)}`] },
      }),
    };
  };
  return { ...app, clusters: { ...app.clusters, open: () => Promise.resolve({ ...cluster, space }) } };
}

test("makes no address of what is no token, and no time of what is none, and takes nothing of a Job that failed", async ({ porch }) => {
  const token = "a".repeat(32), expires = 1_800_000_000, good = JSON.stringify({ token, expires });
  const ask = async (app: App) =>
    await createSignInLink(app, porch.work.actor, await porch.work.row(porch.id), CALL.signal);
  assert.match((await ask(await saying(porch, good))).url, `?token=${token}`);
  const wrong: unknown[] = [
    ...["", "a".repeat(31), `${"a".repeat(31)}&`, "../../../../../../../../../../xx", 1, null].map((token) => ({
      token,
      expires,
    })),
    ...[-1, 1.5, 1e15, "soon", null].map((expires) => ({ token, expires })),
    null,
    [],
  ];
  for (const text of ["", "{", ...wrong.map((each) => JSON.stringify(each))]) {
    assert.is((await rejection(ask(await saying(porch, text)))).code, "link_failed", text);
  }
  assert.is((await rejection(ask(await saying(porch, good, false)))).code, "link_failed");
});

test("is over in time where the end of the Job does not show, and has it deleted", async ({ porch }) => {
  const { simulator, app, actor, row } = porch.work, made = porch.jobsMade();
  simulator.faults.add({ type: "hang", method: "GET", path: `/jobs/${JOB.name}`, times: 1 });
  const hurried = { ...app, config: { ...app.config, requestTimeoutMs: 2_000 } }; // long enough to create the Job
  const error = await rejection(createSignInLink(hurried, actor, await row(porch.id), CALL.signal));
  assert.instance(error, Fault);
  assert.is(error.code, "too_slow");
  assert.is(porch.jobsMade(), made + 1);
  await gone(porch);
});

test("is 503 or 504 in a sentence where the cluster does not answer, and frees the name where it can", async ({ porch }) => {
  const { faults } = porch.work.simulator, written = (await porch.audits()).length;
  porch.meanwhile(() => Promise.reject(new ClusterError("unreachable", "It is away", { transient: true })));
  const away = await porch.ask(), sentence = "The cluster cannot create a sign-in link: ";
  assert.equal([away.status, away.body.message], [
    503,
    `${sentence}it does not answer as it should; try again in a moment`,
  ]);
  porch.meanwhile(() => Promise.reject(new ClusterError("unreachable", "It is away", { transient: true })));
  assert.is((await porch.ask("operator")).body.message, `${sentence}It is away`);
  faults.hang({ path: "/jobs" });
  const { app, as } = porch.scene, path = `http://localhost:3000/api/spokes/${porch.id}/sign-in-link`;
  const hurried = openServer({ ...app, config: { ...app.config, requestTimeoutMs: 500 } }, manifest);
  const headers = await as("hubAdmin").credentials();
  const hung = await hurried.request(new Request(path, { method: "POST", headers }));
  assert.is(hung.status, 504);
  assert.match((await hung.json()).message, /took longer than the limit of 0\.5 s/);
  faults.clear();
  faults.answer(403, { method: "POST", path: "/jobs" });
  assert.is((await porch.ask()).status, 503);
  faults.clear();
  assert.is((await porch.audits()).length, written);
  await gone(porch);
});

test("shows no link of a site that was asked to go away meanwhile, and says what has begun", async ({ porch }) => {
  const written = (await porch.audits()).length, { db, app, actor } = porch.work;
  const suspend = () =>
    db.transact((tx) => acceptAction(app, tx, actor, porch.id, { action: "suspend", parameters: {} }));
  const settle = () =>
    db.sql("update jobs set state = 'cancelled', finished_at = wheelwright_now() where finished_at is null");
  for (const fails of [false, true]) { // the Job is cut off by the suspension, or fails
    if (fails) porch.work.simulator.faults.failJob(JOB.name);
    porch.meanwhile(suspend);
    const { status, body } = await porch.ask();
    assert.equal([status, body.message], [
      409,
      "Cannot create a sign-in link for a spoke that is suspending; wait until its suspend has ended",
    ]);
    await settle();
    await db.sql("update spokes set state = 'active' where id = $1", [porch.id]);
  }
  for (const fails of [true, false]) {
    if (!fails) porch.work.simulator.faults.clear();
    porch.meanwhile(() =>
      db.sql("update spokes set state = 'removed', removed_at = wheelwright_now() where id = $1", [porch.id])
    );
    assert.is((await porch.ask("operator")).status, 404);
    await db.sql("update spokes set state = 'active', removed_at = null where id = $1", [porch.id]);
  }
  assert.is((await porch.audits()).length, written);
});

test("shows none to whom it was taken from meanwhile, and none that is one too many by then", async ({ porch }) => {
  const { db } = porch.work, { spokeAdmin } = porch.scene.people, written = (await porch.audits()).length;
  porch.meanwhile(() => db.sql("delete from spoke_members where user_id = $1", [spokeAdmin.id]));
  assert.is((await porch.ask("spokeAdmin")).status, 403);
  await db.sql("insert into spoke_members (spoke_id, user_id) values ($1, $2)", [porch.id, spokeAdmin.id]);
  assert.is((await porch.audits()).length, written);
  const asker = { userId: spokeAdmin.id, email: spokeAdmin.email, ip: "", userAgent: "", tokenPrefix: null };
  const audit = Array.from({ length: 10 }, () => ({
    kind: "spoke_sign_in_link_created" as const,
    objectType: "spoke" as const,
    objectId: porch.id,
  }));
  porch.meanwhile(() => db.transact((tx) => record(tx, asker, { audit })));
  assert.is((await porch.ask("spokeAdmin")).status, 429);
  assert.is((await porch.audits()).length, written + 10);
});

test("of one person is counted one at a time, over all spokes", async ({ porch }) => {
  const { db } = porch.work, { stranger } = porch.scene.people;
  await db.sql("insert into spoke_members (spoke_id, user_id) values ($1, $2)", [porch.id, stranger.id]);
  const held = Promise.withResolvers<void>();
  const holding = db.transact(async (tx) => {
    await lockLinks(tx, stranger.id);
    await held.promise;
  });
  const waiting = "select 1 from pg_locks where locktype = 'advisory' and not granted and database = " +
    "(select oid from pg_database where datname = current_database())";
  const asked = porch.ask("stranger");
  await until(async () => (await db.sql(waiting)).length > 0);
  held.resolve();
  await holding;
  assert.is((await asked).status, 201);
});

test.run();
