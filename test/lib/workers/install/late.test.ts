/** Tests late calls of a holder that has lost its job. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ClusterProvider } from "#lib/app.ts";
import { parseSiteIdentity } from "#lib/moodle/job-results.ts";
import type { ClusterError, ClusterNamespace, KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import type { SpokeActionName } from "#lib/operations/table.ts";
import { until } from "#test/support/until.ts";
import { openWorkScene, startReplica, type WorkScene } from "#test/lib/workers/scene.ts";

interface Sent {
  readonly applied: KubeObject[];
  readonly created: KubeObject[];
}

const test = suite<{ scene: WorkScene; sent: Sent; id: string }>("a late call");
const call = { signal: new AbortController().signal };

test.before.each(async (context) => {
  const scene = context.scene = await openWorkScene();
  const sent = context.sent = { applied: [], created: [] };
  const clusters = recording(scene.app.clusters, sent);
  const replica = await startReplica({ ...scene.app, clusters });
  context.id = await scene.spoke(await scene.hub("math"), "algebra");
  await scene.becomes(context.id, "active");
  await replica.close();
  await scene.replica();
});
test.after.each(({ scene }) => scene.close());

/** Filters out objects of the hub, which the same replica creates. */
function ofSpoke({ metadata }: KubeObject): boolean {
  return metadata.labels?.["wheelwright.dev/spoke"] !== undefined;
}

function recording(clusters: ClusterProvider, { applied, created }: Sent): ClusterProvider {
  const recorded = (space: ClusterNamespace): ClusterNamespace => ({
    ...space,
    apply: async (objects, at) => {
      applied.push(...objects.filter(ofSpoke));
      return await space.apply(objects, at);
    },
    create: async (object, at) => {
      created.push(...[object].filter(ofSpoke));
      return await space.create(object, at);
    },
    run: async (job, at) => {
      created.push(job);
      return await space.run(job, at);
    },
  });
  return {
    ...clusters,
    open: async (name) => {
      const cluster = await clusters.open(name);
      return { ...cluster, space: (namespace, uid) => recorded(cluster.space(namespace, uid)) };
    },
  };
}

/** Expects that a late apply is refused, because the object's version has changed. */
function refuseLate(error: ClusterError): void {
  assert.is(error.status, 409);
}

async function ask(scene: WorkScene, id: string, action: SpokeActionName, state: string): Promise<void> {
  await scene.db.transact((tx) => checkAndEnqueueAction(scene.app, tx, scene.actor, id, { action, parameters: {} }));
  await scene.becomes(id, state);
}

async function spaceOf(scene: WorkScene, id: string): Promise<ClusterNamespace> {
  const { namespace, namespaceUid: uid, cluster } = await scene.row(id);
  return (await scene.app.clusters.open(cluster)).space(namespace, uid!);
}

/** Returns the lasting objects of the namespace with version, spec and data. */
async function readObjects(scene: WorkScene, id: string): Promise<Record<string, unknown>> {
  const { namespace } = await scene.row(id);
  const kinds = [
    ...["Namespace", "ResourceQuota", "LimitRange", "NetworkPolicy", "Secret", "ConfigMap", "Service", "Ingress"],
    ...["PersistentVolumeClaim", "Deployment", "StatefulSet", "CronJob", "Certificate", "ReplicaSet"],
  ];
  return Object.fromEntries(
    kinds.flatMap((kind) => scene.simulator.objects(kind)).filter(({ metadata }) => metadata.namespace === namespace)
      .map(({ kind, metadata: { name, uid, resourceVersion, generation, annotations }, spec, data }) => {
        // Their status changes with other objects and with each run.
        const version = kind === "ResourceQuota" || kind === "CronJob" ? null : resourceVersion;
        return [`${kind}/${name}`, { uid, version, generation, annotations, spec, data }] as const;
      }),
  );
}

test("changes nothing in a suspended spoke", async ({ scene, sent, id }) => {
  await ask(scene, id, "suspend", "suspended");
  const before = await readObjects(scene, id);
  const space = await spaceOf(scene, id);
  const kinds = new Set(sent.created.map(({ kind }) => kind));
  for (const kind of ["Deployment", "StatefulSet", "CronJob", "ConfigMap", "Secret", "ResourceQuota", "Ingress"]) {
    assert.ok(kinds.has(kind), `the install made a ${kind}`);
  }
  for (let times = 0; times < 2; times++) {
    for (const object of sent.created.filter(({ kind }) => kind !== "Job")) await space.create(object, call);
    for (const object of sent.applied) await space.apply([object], call).catch(refuseLate);
  }
  assert.equal(await readObjects(scene, id), before);
  for (
    const [kind, name, field, value] of [
      ["Deployment", "moodle", "replicas", 0],
      ["StatefulSet", "db", "replicas", 0],
      ["CronJob", "moodle-cron", "suspend", true],
    ] as const
  ) {
    assert.is((before[`${kind}/${name}`] as { spec: Record<string, unknown> }).spec[field], value);
  }
  const { namespace } = await scene.row(id);
  const pods = scene.simulator.objects("Pod").filter((pod) =>
    pod.metadata.namespace === namespace && !["Succeeded", "Failed"].includes(pod["status"]?.phase)
  );
  assert.equal(pods.map(({ metadata }) => metadata.name), []);
});

test("does not change the pods of a restarted spoke", async ({ scene, sent, id }) => {
  await ask(scene, id, "restart", "updating");
  await scene.becomes(id, "active");
  const space = await spaceOf(scene, id);
  const template = async () =>
    (await space.get({ apiVersion: "apps/v1", kind: "Deployment", name: "moodle" }, call))!["spec"].template;
  const before = await template();
  assert.ok(before.metadata.annotations["kubectl.kubernetes.io/restartedAt"]);
  for (const object of sent.created.filter(({ kind }) => kind !== "Job")) await space.create(object, call);
  assert.equal(await template(), before);
});

test("does not replace existing passwords", async ({ scene, sent, id }) => {
  const secrets = sent.created.filter(({ kind }) => kind === "Secret");
  assert.equal(secrets.map(({ metadata }) => metadata.name), ["moodle", "admin", "mail", "seed"]);
  const before = await readObjects(scene, id);
  const space = await spaceOf(scene, id);
  for (const { kind, apiVersion, metadata } of secrets) {
    const other = { apiVersion, kind, metadata, stringData: { DB_PASS: "other", ADMIN_PASSWORD: "other" } };
    await space.create(other as KubeObject, call);
  }
  assert.equal(await readObjects(scene, id), before);
});

/** Returns the recorded Job with another fence. */
function ofFence(job: KubeObject, fence: string): KubeObject {
  const own = job.metadata.labels!["wheelwright.dev/fence"]!;
  return JSON.parse(JSON.stringify(job).replaceAll(`-${own}"`, `-${fence}"`).replaceAll(`:= ${own};`, `:= ${fence};`));
}

test("cannot install or reset an installed site", async ({ scene, sent, id }) => {
  const row = await scene.row(id);
  const install = sent.created.find(({ metadata }) => metadata.name.startsWith("install-"))!;
  const fence = install.metadata.labels!["wheelwright.dev/fence"]!;
  const jobs = [install, scene.app.blueprint.jobObject(row.blueprintInputs, "reset", fence)];
  const space = await spaceOf(scene, id);
  const waiting = { ...call, timeout: 30_000 };
  for (const job of jobs) {
    for (const other of [BigInt(fence) - 1n, BigInt(fence) + 1000n]) {
      const late = ofFence(job, String(other));
      const result = await space.run(late, waiting);
      assert.is(result.succeeded, false, late.metadata.name);
      const why = other < BigInt(fence) ? /attempt wheelwright seed \d+ has begun after this one/ : /rolesactive is 1/;
      assert.match(result.log.join("\n"), why);
      const [pod] = scene.simulator.objects("Pod").filter(({ metadata }) =>
        metadata.labels?.["job-name"] === late.metadata.name
      );
      const [main] = pod!["status"].containerStatuses;
      assert.ok(main.state.waiting, "nothing but the guard has run");
    }
  }
  const verified = await space.run(scene.app.blueprint.jobObject(row.blueprintInputs, "verify", "999999"), waiting);
  const site = parseSiteIdentity(verified.log);
  assert.equal([site.state, site.siteIdentifier], ["installed", row.siteIdentifier]);
});

test("does not revert a resize", async ({ scene, sent, id }) => {
  await scene.db.transact((tx) =>
    checkAndEnqueueAction(scene.app, tx, scene.actor, id, { action: "resize", parameters: { size: "large" } })
  );
  await until(async () => (await scene.row(id)).size === "large");
  const before = await readObjects(scene, id);
  const space = await spaceOf(scene, id);
  for (const object of sent.created.filter(({ kind }) => kind !== "Job")) await space.create(object, call);
  assert.equal(await readObjects(scene, id), before);
});

test("cannot seed a site again", async ({ scene, sent, id }) => {
  const seed = sent.created.find(({ kind, metadata }) => kind === "Job" && metadata.name.startsWith("setup-"))!;
  const fence = BigInt(seed.metadata.labels!["wheelwright.dev/fence"]!);
  const space = await spaceOf(scene, id);
  for (const other of [fence, fence - 1n]) {
    const late = ofFence(seed, String(other));
    const result = await space.run(late, { ...call, timeout: 30_000 });
    assert.is(result.succeeded, false);
    assert.match(result.log.join("\n"), /not seeded: attempt wheelwright seed \d+ has begun after this one/);
    const pod = scene.simulator.objects("Pod").find(({ metadata }) =>
      metadata.labels?.["job-name"] === late.metadata.name
    );
    assert.ok(pod!["status"].containerStatuses[0].state.waiting, "nothing but the guard has run");
  }
});

test("ends an install Job for a suspended spoke immediately", async ({ scene, sent, id }) => {
  await ask(scene, id, "suspend", "suspended");
  const job = sent.created.find(({ metadata }) => metadata.name.startsWith("install-"))!;
  const late = ofFence(job, "1");
  const result = await (await spaceOf(scene, id)).run(late, { ...call, timeout: 30_000 });
  assert.is(result.succeeded, false);
  assert.match(result.log.join("\n"), /could not translate host name|Connection refused/);
  await ask(scene, id, "resume", "active");
});

test("fails in a removed namespace", async ({ scene, sent, id }) => {
  const space = await spaceOf(scene, id);
  const { namespace } = await scene.row(id);
  const gone = await fetch(`${scene.simulator.url}/api/v1/namespaces/${namespace}`, { method: "DELETE" });
  assert.ok(gone.ok);
  await until(() => scene.simulator.objects("Namespace").every(({ metadata }) => metadata.name !== namespace));
  for (const object of [...sent.applied, ...sent.created]) {
    const error = await space.apply([object], call).then(() => null, (reason) => reason);
    assert.ok(error, `${object.kind} ${object.metadata.name}`);
  }
  assert.ok(scene.simulator.objects("Deployment").every(({ metadata }) => metadata.namespace !== namespace));
});

test.run();
