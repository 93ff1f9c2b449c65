import { suite } from "uvu";
import * as assert from "uvu/assert";
import { requestHubAction } from "#lib/domains/federations/patch.ts";
import { findFederation } from "#lib/domains/federations/store.ts";
import { readOperationNotes } from "#lib/jobs/operation.ts";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import { until } from "#test/support/until.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { selectRows } from "#test/support/rows.ts";

const test = suite<{ scene: WorkScene }>("provisionHandler");
test.before.each(async (context) => void (context.scene = await openWorkScene()));
test.after.each(({ scene }) => scene.close());

const call = { signal: new AbortController().signal };

async function retry(scene: WorkScene, id: string): Promise<void> {
  await scene.db.transact((tx) =>
    checkAndEnqueueAction(scene.app, tx, scene.actor, id, { action: "retry", parameters: {} })
  );
}

test("installs a hub's spokes one after another, and two hubs in parallel", async ({ scene }) => {
  const [math, art] = [await scene.hub("math"), await scene.hub("art")];
  const ids: string[] = [];
  for (const slug of ["a", "b", "c", "d", "e"]) ids.push(await scene.spoke(math, slug));
  const other = await scene.spoke(art, "z");
  await Promise.all([scene.replica(), scene.replica()]);
  for (const id of [...ids, other]) assert.is((await scene.becomes(id, "active", "failed")).state, "active");
  const runs = await Promise.all(ids.map(async (id) => (await scene.operations(id))[0]!));
  for (const [i, run] of runs.entries()) {
    if (i > 0) assert.ok(run.startedAt! >= runs[i - 1]!.finishedAt!, `${i} began before ${i - 1} had ended`);
  }
  const [beside] = await scene.operations(other);
  assert.ok(beside!.startedAt! < runs.at(-1)!.finishedAt!, "the other hub waited for this one");
});

test("records the requester, the site identifier and the inputs", async ({ scene }) => {
  const hub = await scene.hub("math");
  const id = await scene.spoke(hub, "algebra");
  await scene.replica();
  const row = await scene.becomes(id, "active", "failed");
  assert.equal([row.state, row.stateReason, row.health], ["active", null, "healthy"]);
  assert.equal(row.blueprintRevision, scene.app.blueprint.revision);
  assert.match(row.siteIdentifier!, /\w{8,}/);
  assert.ok(row.readyAt);
  const [audit] = await selectRows(scene.db, "audit_events", { kind: "spoke_provisioned" }, {
    columns: ["actorEmail", "ip", "objectId", "metadata", "federationId"],
  });
  const { operationId, ...metadata } = audit.metadata;
  assert.equal([audit.actorEmail, audit.ip, audit.objectId, audit.federationId], [
    "ann@example.org",
    "192.0.2.7",
    id,
    hub.id,
  ]);
  assert.equal(metadata, { size: "small", domain: row.domain, slug: "algebra", lmsVersion: row.lmsVersion });
  assert.is(operationId, (await scene.operations(id))[0]!.id);
  const [namespace] = scene.simulator.objects("Namespace").filter(({ metadata }) => metadata.name === row.namespace);
  assert.is(row.namespaceUid, namespace!.metadata.uid);
});

test("deletes all finished Jobs except the install Job", async ({ scene }) => {
  const id = await scene.spoke(await scene.hub("math"), "algebra");
  await scene.replica();
  assert.is((await scene.becomes(id, "active", "failed")).state, "active");
  const names = scene.simulator.objects("Job").map(({ metadata }) => metadata.name.split("-")[0]);
  assert.equal(names.filter((name) => name !== "moodle"), ["install"]); // moodle-cron-… is the CronJob's own
});

test("reports a missing image, continues the lane, and succeeds when retried", async ({ scene }) => {
  const hub = await scene.hub("math");
  const [bad, good] = [await scene.spoke(hub, "bad"), await scene.spoke(hub, "good")];
  await scene.db.sql(
    `update spokes set blueprint_inputs = jsonb_set(blueprint_inputs, '{images,moodle}', '"registry.example/erseco/alpine-moodle:v4.5.12"')
     where id = $1`,
    [bad],
  );
  const fault = scene.simulator.faults.missingImage("registry.example/erseco");
  await scene.replica();
  assert.is((await scene.becomes(good, "active", "failed")).state, "active");
  const failed = await scene.becomes(bad, "active", "failed");
  assert.is(failed.state, "failed");
  assert.match(failed.stateReason!, "registry.example/erseco");
  const [job] = await scene.operations(bad);
  assert.equal([job!.state, job!.failure!.step], ["failed", "install"]);
  assert.match(job!.failure!.code, /^(ErrImagePull|ImagePullBackOff)$/);
  assert.ok(job!.failure!.events.length > 0);
  const [event] = await selectRows(scene.db, "stream_events", { type: "SpokeUpdateFailed" }, { columns: ["data"] });
  assert.is(event.data.error, failed.stateReason);
  const audits = await selectRows(scene.db, "audit_events", { kind: "spoke_provision_failed" });
  assert.is(audits.length, 1);

  scene.simulator.faults.remove(fault);
  await retry(scene, bad);
  assert.is((await scene.becomes(bad, "active", "failed")).state, "active");
});

test("adds a note if the ingress class is missing", async ({ scene }) => {
  const address = `${scene.simulator.url}/apis/networking.k8s.io/v1/ingressclasses/nginx`;
  assert.is((await fetch(address, { method: "DELETE" })).status, 200);
  const id = await scene.spoke(await scene.hub("math"), "algebra");
  await scene.replica();
  assert.is((await scene.becomes(id, "active", "failed")).state, "active");
  const [job] = await scene.operations(id);
  assert.match(readOperationNotes(job!).join(), /no ingress class nginx/);
});

test("uses the current catalog and blueprint in a retry", async ({ scene }) => {
  const hub = await scene.hub("math");
  const id = await scene.spoke(hub, "algebra");
  const image = "registry.invalid/erseco/alpine-moodle:v4.5.12";
  await scene.db.sql(
    `update spokes set blueprint_inputs = jsonb_set(blueprint_inputs, '{images,moodle}', to_jsonb($1::text))`,
    [image],
  );
  await scene.replica();
  assert.is((await scene.becomes(id, "active", "failed")).state, "failed");
  await retry(scene, id);
  const row = await scene.becomes(id, "active", "failed");
  assert.is(row.state, "active");
  assert.is.not(row.blueprintInputs.images.moodle, image);
});

test("reports a quota that is too small", async ({ scene }) => {
  const hub = await scene.hub("math");
  const id = await scene.spoke(hub, "tight");
  await scene.db.sql(
    `update spokes set blueprint_inputs = jsonb_set(blueprint_inputs, '{resources,quota,limits,memory}', '"600Mi"')`,
  );
  await scene.replica();
  const row = await scene.becomes(id, "active", "failed");
  assert.is(row.state, "failed");
  assert.match(row.stateReason!, "exceeded quota");
});

test("keeps the log of a failed installation, and resets its data before the next", async ({ scene }) => {
  const hub = await scene.hub("math");
  const id = await scene.spoke(hub, "algebra");
  const fault = scene.simulator.faults.failJob("install-", { log: ["Installing", "no luck today"], exitCode: 1 });
  await scene.replica();
  assert.is((await scene.becomes(id, "active", "failed")).state, "failed");
  const [job] = await scene.operations(id);
  assert.equal(job!.failure!.log.slice(-1), ["no luck today"]);
  assert.is(job!.failure!.code, "BackoffLimitExceeded");
  assert.is(job!.attempt, 1);

  scene.simulator.faults.remove(fault);
  await retry(scene, id);
  assert.is((await scene.becomes(id, "active", "failed")).state, "active");
  const names = scene.simulator.objects("Job").map(({ metadata }) => metadata.name).filter((name) =>
    /^(install|reset)-/.test(name)
  );
  assert.equal(names.map((name) => name.split("-")[0]).sort(), ["install", "install", "reset"]);
});

test("adopts the namespace that it created before a crash", async ({ scene }) => {
  const hub = await scene.hub("math");
  const id = await scene.spoke(hub, "algebra");
  const { blueprintInputs: inputs, cluster } = await scene.row(id);
  const [manifest] = scene.app.blueprint.spokeObjects(inputs, "namespace");
  const { uid } = await (await scene.app.clusters.open(cluster)).createNamespace(manifest!, call);
  await scene.replica();
  const row = await scene.becomes(id, "active", "failed");
  assert.equal([row.state, row.namespaceUid], ["active", uid]);
});

test("does not touch a foreign namespace", async ({ scene }) => {
  const hub = await scene.hub("math");
  const id = await scene.spoke(hub, "algebra");
  const { blueprintInputs: inputs, cluster } = await scene.row(id);
  const [manifest] = scene.app.blueprint.spokeObjects({ ...inputs, spokeId: "spk_other" }, "namespace");
  await (await scene.app.clusters.open(cluster)).createNamespace(manifest!, call);
  await scene.replica();
  const row = await scene.becomes(id, "active", "failed");
  assert.equal([row.state, row.namespaceUid], ["failed", null]);
  assert.is((await scene.operations(id))[0]!.failure!.code, "ForeignNamespace");
});

test("survives intermittent errors of the cluster", async ({ scene }) => {
  const hub = await scene.hub("math");
  const id = await scene.spoke(hub, "algebra");
  scene.simulator.faults.answer(500, { method: "PATCH", times: 3 });
  scene.simulator.faults.answer(429, { method: "POST", times: 2, retryAfter: 0 });
  scene.simulator.faults.cut({ method: "GET", times: 3 });
  await scene.replica();
  assert.is((await scene.becomes(id, "active", "failed")).state, "active");
});

test("makes spokes wait for a failed hub until it is provisioned", async ({ scene }) => {
  const hub = await scene.hub("math");
  const id = await scene.spoke(hub, "algebra");
  const fault = scene.simulator.faults.answer(403, { method: "POST", path: "/namespaces" });
  await scene.replica();
  assert.is((await scene.hubBecomes(hub.id, "failed")).stateReason !== null, true);
  assert.is((await scene.operations(id))[0]!.state, "queued");
  scene.simulator.faults.remove(fault);
  await requestHubAction(scene.app, scene.actor, await scene.hubBecomes(hub.id, "failed"), { action: "retry" });
  await scene.hubBecomes(hub.id, "active");
  assert.is((await scene.becomes(id, "active", "failed")).state, "active");
  const kinds = await selectRows(scene.db, "audit_events", { objectType: "federation" }, {
    columns: ["kind"],
    orderBy: "at",
  });
  assert.equal(kinds.map(({ kind }) => kind), [
    "federation_created",
    "federation_provision_failed",
    "federation_updated",
    "federation_provisioned",
  ]);
});

test("notes missing settings of the hub, and continues", async ({ scene }) => {
  const hub = await scene.hub("math");
  const id = await scene.spoke(hub, "algebra");
  await scene.db.sql(
    'update spokes set blueprint_inputs = blueprint_inputs || \'{"identity": true, "content": true}\'',
  );
  await scene.replica();
  assert.is((await scene.becomes(id, "active", "failed")).state, "active");
  const [job] = await scene.operations(id);
  assert.match(job!.progress.notes!.join("\n"), "no identity settings");
  assert.match(job!.progress.notes!.at(-1)!, `a sign-in link: POST /api/spokes/${id}/sign-in-link`);
});

test("continues without the hub's settings if the hub's namespace is missing", async ({ scene }) => {
  const hub = await scene.hub("math");
  await scene.replica();
  await scene.hubBecomes(hub.id, "active");
  const { namespace } = (await findFederation(scene.db.rows, hub.id, "shown"))!;
  await fetch(`${scene.simulator.url}/api/v1/namespaces/${namespace}`, { method: "DELETE" });
  await until(() => scene.simulator.objects("Namespace").every(({ metadata }) => metadata.name !== namespace));
  const id = await scene.spoke(hub, "algebra");
  await scene.becomes(id, "active");
  const [job] = await scene.operations(id);
  assert.match(String(job!.progress.notes), new RegExp(`The hub's namespace ${namespace} is missing`));
});

test.run();
