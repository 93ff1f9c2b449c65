import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { App } from "#lib/app.ts";
import { recordChange } from "#lib/changes/record.ts";
import { type Cluster, ClusterError, type ClusterNamespace } from "#lib/drivers/cluster/cluster.ts";
import { encryptReply } from "#lib/drivers/crypto/sealed-reply.ts";
import { Fault } from "#lib/base/errors.ts";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import { createSignInLink, lockSignInLinks } from "#lib/domains/spokes/sign-in-link.ts";
import { manifest } from "#src/manifest.ts";
import { openServer } from "#src/server.ts";
import { NO_ABORT, openSignInScene, SIGN_IN_JOB, type SignInScene } from "#test/lib/domains/spokes/sign-in-scene.ts";
import { rejection, until } from "#test/support/until.ts";
import { deleteRows, insertRow, NOW, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: SignInScene }>("createSignInLink");
test.before(async (context) => void (context.scene = await openSignInScene()));
test.after.each(({ scene }) => scene.work.simulator.faults.clear());
test.after(({ scene }) => scene.close());

const named = (scene: SignInScene) => scene.objects("Job").filter(({ metadata }) => metadata.name === SIGN_IN_JOB.name);
const gone = (scene: SignInScene) => until(() => named(scene).length === 0);

/** A Job of another request, with another key. */
async function occupy(scene: SignInScene): Promise<void> {
  const { blueprintInputs: inputs } = await scene.work.row(scene.id);
  const key = btoa("0123456789abcdef0123456789abcdef");
  await (await scene.space()).create(
    scene.work.app.blueprint.jobObject(inputs, "sign-in-link", "0", { linkKey: key }),
    NO_ABORT,
  );
}

async function remove(scene: SignInScene): Promise<void> {
  for (const { metadata } of named(scene)) await (await scene.space()).delete(SIGN_IN_JOB, metadata.uid!, NO_ABORT);
  await gone(scene);
}

test("finds its own Job if the response to its creation was lost", async ({ scene }) => {
  scene.work.simulator.faults.add({ type: "cut", method: "POST", path: "/jobs", at: "performed", times: 1 });
  assert.is((await scene.requestLink()).status, 201);
  await gone(scene);
});

test("deletes its Job", async ({ scene }) => {
  assert.is((await scene.requestLink()).status, 201);
  await gone(scene);
});

test("reports another request's Job and leaves it alone", async ({ scene }) => {
  scene.work.simulator.faults.add({ type: "hanging-job", name: SIGN_IN_JOB.name });
  await occupy(scene);
  const [before] = named(scene), written = (await scene.listAuditEvents()).length;
  const { status, body } = await scene.requestLink("spokeAdmin");
  assert.equal([status, body.code, body.message], [
    409,
    "link_in_progress",
    "A sign-in link for this site is already being created; try again in a minute",
  ]);
  assert.equal([named(scene)[0]?.metadata.uid, (await scene.listAuditEvents()).length], [
    before!.metadata.uid,
    written,
  ]);
  await remove(scene);
  scene.work.simulator.faults.clear();
  assert.is((await scene.requestLink()).status, 201);
});

test("gives one of many parallel callers a link, and runs at most one Job at a time", async ({ scene }) => {
  const made = scene.countCreatedJobs();
  const statuses = (await Promise.all(Array.from({ length: 6 }, () => scene.requestLink()))).map(({ status }) =>
    status
  );
  const links = statuses.filter((status) => status === 201).length;
  assert.ok(links >= 1 && statuses.every((status) => status === 201 || status === 409), statuses.join());
  assert.is(scene.countCreatedJobs() - made, links);
  await gone(scene);
});

test("returns 503 if the Job fails, logs its last output, and writes no row", async ({ scene }) => {
  const written = (await scene.listAuditEvents()).length;
  scene.work.simulator.faults.failJob(SIGN_IN_JOB.name, {
    log: ["!!! Exception - no luck !!!", "sealed: AAAA"],
    exitCode: 1,
  });
  const { status, body } = await scene.requestLink();
  assert.equal([status, body.code, body.message], [
    503,
    "link_failed",
    "The site could not create a sign-in link; check its health and try again",
  ]);
  assert.match(scene.logLines.join(""), /A site could not create a sign-in link.*no luck/);
  assert.not.match(scene.logLines.join(""), "AAAA");
  assert.is((await scene.listAuditEvents()).length, written);
  await gone(scene);
});

test("accepts only output that was encrypted for this request", async ({ scene }) => {
  for (
    const lines of [["sealed: AAAA"], [], ["sealed: "], [`sealed: ${"A".repeat(200)}`], ["refused: no such reason"]]
  ) {
    scene.work.simulator.faults.failJob(SIGN_IN_JOB.name, { log: lines, exitCode: 0 });
    assert.is((await scene.requestLink()).status, 503, lines.join());
    scene.work.simulator.faults.clear();
    await gone(scene);
  }
});

/** Returns a cluster whose Job prints this, encrypted for the request. */
async function saying({ work: { app } }: SignInScene, text: string, succeeded = true): Promise<App> {
  const cluster = await app.clusters.open("default");
  const space = (...place: Parameters<Cluster["space"]>): ClusterNamespace => {
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
        ...{ succeeded, log: [`sealed: ${encryptReply(text, key)}`] },
      }),
    };
  };
  return { ...app, clusters: { ...app.clusters, open: () => Promise.resolve({ ...cluster, space }) } };
}

test("rejects an invalid token or expiry, and the output of a failed Job", async ({ scene }) => {
  const token = "a".repeat(32), expires = 1_800_000_000, good = JSON.stringify({ token, expires });
  const ask = async (app: App) =>
    await createSignInLink(app, scene.work.actor, await scene.work.row(scene.id), NO_ABORT.signal);
  assert.match((await ask(await saying(scene, good))).url, `?token=${token}`);
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
    assert.is((await rejection(ask(await saying(scene, text)))).code, "link_failed", text);
  }
  assert.is((await rejection(ask(await saying(scene, good, false)))).code, "link_failed");
});

test("ends in time if the Job's end is not reported, and deletes the Job", async ({ scene }) => {
  const { simulator, app, actor, row } = scene.work, made = scene.countCreatedJobs();
  simulator.faults.add({ type: "hang", method: "GET", path: `/jobs/${SIGN_IN_JOB.name}`, times: 1 });
  const hurried = { ...app, config: { ...app.config, requestTimeoutMs: 2_000 } }; // long enough to create the Job
  const error = await rejection(createSignInLink(hurried, actor, await row(scene.id), NO_ABORT.signal));
  assert.instance(error, Fault);
  assert.is(error.code, "too_slow");
  assert.is(scene.countCreatedJobs(), made + 1);
  await gone(scene);
});

test("returns 503 or 504 with a message if the cluster does not respond, and deletes the Job if it can", async ({ scene }) => {
  const { faults } = scene.work.simulator, written = (await scene.listAuditEvents()).length;
  scene.beforeClusterCall(() => Promise.reject(new ClusterError("unreachable", "It is away", { transient: true })));
  const away = await scene.requestLink(), sentence = "The cluster cannot create a sign-in link: ";
  assert.equal([away.status, away.body.message], [
    503,
    `${sentence}the cluster does not respond correctly; try again in a moment`,
  ]);
  scene.beforeClusterCall(() => Promise.reject(new ClusterError("unreachable", "It is away", { transient: true })));
  assert.is((await scene.requestLink("operator")).body.message, `${sentence}It is away`);
  faults.hang({ path: "/jobs" });
  const { app, as } = scene.scene, path = `http://localhost:3000/api/spokes/${scene.id}/sign-in-link`;
  const hurried = openServer({ ...app, config: { ...app.config, requestTimeoutMs: 500 } }, manifest);
  const headers = await as("hubAdmin").credentials();
  const hung = await hurried.request(new Request(path, { method: "POST", headers }));
  assert.is(hung.status, 504);
  assert.match((await hung.json()).message, /took longer than the limit of 0\.5 s/);
  faults.clear();
  faults.answer(403, { method: "POST", path: "/jobs" });
  assert.is((await scene.requestLink()).status, 503);
  faults.clear();
  assert.is((await scene.listAuditEvents()).length, written);
  await gone(scene);
});

test("shows no link if an operation has started meanwhile, and names the operation", async ({ scene }) => {
  const written = (await scene.listAuditEvents()).length, { db, app, actor } = scene.work;
  const suspend = () =>
    db.transact((tx) => checkAndEnqueueAction(app, tx, actor, scene.id, { action: "suspend", parameters: {} }));
  const settle = () => updateRows(db, "jobs", { state: "cancelled", finishedAt: NOW }, { finishedAt: null });
  for (const fails of [false, true]) { // the Job is cut off by the suspension, or fails
    if (fails) scene.work.simulator.faults.failJob(SIGN_IN_JOB.name);
    scene.beforeClusterCall(suspend);
    const { status, body } = await scene.requestLink();
    assert.equal([status, body.message], [
      409,
      "Cannot create a sign-in link for a spoke that is suspending; wait until its suspend has ended",
    ]);
    await settle();
    await updateRows(db, "spokes", { state: "active" }, { id: scene.id });
  }
  for (const fails of [true, false]) {
    if (!fails) scene.work.simulator.faults.clear();
    scene.beforeClusterCall(() => updateRows(db, "spokes", { state: "removed", removedAt: NOW }, { id: scene.id }));
    assert.is((await scene.requestLink("operator")).status, 404);
    await updateRows(db, "spokes", { state: "active", removedAt: null }, { id: scene.id });
  }
  assert.is((await scene.listAuditEvents()).length, written);
});

test("shows no link if the permission was revoked meanwhile, or above the hourly limit", async ({ scene }) => {
  const { db } = scene.work, { spokeAdmin } = scene.scene.people, written = (await scene.listAuditEvents()).length;
  scene.beforeClusterCall(() => deleteRows(db, "spoke_members", { userId: spokeAdmin.id }));
  assert.is((await scene.requestLink("spokeAdmin")).status, 403);
  await insertRow(db, "spoke_members", { spokeId: scene.id, userId: spokeAdmin.id });
  assert.is((await scene.listAuditEvents()).length, written);
  const requester = { userId: spokeAdmin.id, email: spokeAdmin.email, ip: "", userAgent: "", tokenPrefix: null };
  const audit = Array.from({ length: 10 }, () => ({
    kind: "spoke_sign_in_link_created" as const,
    objectType: "spoke" as const,
    objectId: scene.id,
  }));
  scene.beforeClusterCall(() => db.transact((tx) => recordChange(tx, requester, { audit })));
  assert.is((await scene.requestLink("spokeAdmin")).status, 429);
  assert.is((await scene.listAuditEvents()).length, written + 10);
});

test("counts a user's links one at a time, over all spokes", async ({ scene }) => {
  const { db } = scene.work, { stranger } = scene.scene.people;
  await insertRow(db, "spoke_members", { spokeId: scene.id, userId: stranger.id });
  const held = Promise.withResolvers<void>();
  const holding = db.transact(async (tx) => {
    await lockSignInLinks(tx, stranger.id);
    await held.promise;
  });
  const waiting = "select 1 from pg_locks where locktype = 'advisory' and not granted and database = " +
    "(select oid from pg_database where datname = current_database())";
  const firstRequest = scene.requestLink("stranger");
  await until(async () => (await db.sql(waiting)).length > 0);
  held.resolve();
  await holding;
  assert.is((await firstRequest).status, 201);
});

test.run();
