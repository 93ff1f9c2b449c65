/** What fails of a template before the database was adopted is no failure of the spoke's; what fails after that is one. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createBlueprint } from "#lib/moodle/blueprint.ts";
import type { SimulatorFault } from "#lib/dev/simulator/faults.ts";
import type { Scheduler } from "#lib/scheduler/scheduler.ts";
import { notesOf } from "#lib/jobs/operation.ts";
import { provision } from "#lib/workers/install/provision.ts";
import { setDatabaseClock } from "#test/support/fake-spokes.ts";
import { siteSecretsOf } from "#test/support/sites.ts";
import { edited } from "#test/lib/moodle/fixtures.ts";
import { idle, runDying } from "#test/lib/workers/templates/creation.ts";
import {
  installed,
  openReady,
  retry,
  standing,
  swapSnapshots,
  templateIs,
  templates,
  type TemplateScene,
  ways,
} from "#test/lib/workers/templates/scene.ts";
import { startReplica, type WorkScene } from "#test/lib/workers/scene.ts";

interface Context extends TemplateScene {
  replica: Scheduler;
}

const test = suite<Context>("a template that fails");
test.before.each(async (context) => void (context.replica = await openReady(context)));
test.after.each(({ scene }) => scene.close());

const MADE = "Created from the template of Moodle 4.5.12";

interface Broken {
  /** How its storage, or what is to adopt its data, says what is wrong. */
  readonly words: RegExp;
  readonly spoil: (scene: WorkScene) => Promise<unknown>;
  readonly size?: string;
}

const BROKEN = {
  "whose snapshots are gone": {
    words: /can not find snapshot for snapshotID gone/,
    spoil: ({ db }) => db.sql(`update templates set volumes = jsonb_set(volumes, '{0,handle}', '"gone"')`),
  },
  "whose driver has no class any more": {
    words: /no VolumeSnapshotClass for gone.example/,
    spoil: ({ db }) => db.sql(`update templates set volumes = jsonb_set(volumes, '{1,driver}', '"gone.example"')`),
  },
  "that needs a larger disk after all": {
    words: /requested volume size 5368709120 is less than/,
    spoil: swapSnapshots,
  },
  "in which there is no database": {
    words: /no (?:database|site) on this volume/,
    spoil: swapSnapshots,
    size: "medium",
  },
} as const satisfies Record<string, Broken>;

function claimsOf({ simulator }: WorkScene, namespace: string) {
  return simulator.objects("PersistentVolumeClaim").filter(({ metadata }) => metadata.namespace === namespace);
}

/** The spoke was installed by its Job, and nothing of the template is there. */
async function isByJob(scene: WorkScene, id: string, notes: readonly string[], words: RegExp): Promise<void> {
  const { namespace, blueprintInputs, siteIdentifier } = await scene.row(id), [way, ...more] = notes;
  assert.match(way!, "Not created from a template: the template could not be used: ");
  assert.match(way!, words, way);
  assert.equal([more, blueprintInputs.origin], [[], undefined]);
  assert.equal(claimsOf(scene, namespace).map(({ spec }) => spec.dataSource), [undefined, undefined]);
  assert.equal(await scene.db.sql("select * from template_uses where spoke_id = $1", [id]), []);
  assert.equal(standing(scene, "VolumeSnapshot", namespace), []); // another template may be in the making
  assert.equal(standing(scene, "VolumeSnapshotContent").filter((name) => name.includes("origin")), []);
  assert.is(siteSecretsOf(scene.simulator, namespace)["mdl_config siteidentifier"], siteIdentifier);
}

for (const [what, broken] of Object.entries<Broken>(BROKEN)) {
  test(`is given up where it is one ${what}: the Job installs, and another one is made in an hour`, async (context) => {
    const { scene } = context, [before] = await templates(scene);
    await broken.spoil(scene);
    const id = await installed(context, "second", broken.size);
    await isByJob(scene, id, await ways(scene, id), broken.words);
    const [failed] = await templates(scene);
    assert.equal([failed!.state, failed!.failures, failed!.id], ["failed", 1, before!.id]);
    assert.match(failed!.error!, broken.words);
    await setDatabaseClock(scene.db, new Date(failed!.nextAttemptAt!.getTime() + 1000));
    await installed(context, "third");
    const again = await templateIs(scene, "ready");
    assert.is.not(again.id, before!.id);
    const kept = before!.volumes.map(({ content }) => content!), left = standing(scene, "VolumeSnapshotContent");
    assert.is(left.length, 2, "and what was kept of the first is gone");
    assert.equal(left.filter((name) => kept.includes(name)), []);
    assert.equal(await ways(scene, await installed(context, "fourth")), [MADE]);
  });
}

for (const when of ["before", "after"] as const) {
  test(`or serves makes one site, whose maker dies ${when} each of its writes`, async (context) => {
    const { scene } = context;
    await context.replica.close();
    const id = await idle(context, "second");
    const { deaths, notes } = await runDying(context, { make: provision, spokeId: id }, when);
    assert.ok(deaths >= 20, `it died ${deaths} times`);
    assert.is((notes as string[])[0], MADE);
    const { namespace, siteIdentifier, blueprintInputs } = await scene.row(id);
    assert.is(scene.simulator.site(namespace).database!.config!.siteidentifier, siteIdentifier);
    assert.ok(
      claimsOf(scene, namespace).every(({ spec }) => spec.dataSource.name.endsWith(blueprintInputs.origin.turn)),
    );
    assert.equal(standing(scene, "VolumeSnapshotContent").filter((name) => name.includes("origin")), []);
    assert.equal(standing(scene, "Job", namespace).filter((name) => name.startsWith("install")), []);
  });

  test(`is given up once for all who come after, where each dies ${when} one of its writes`, async (context) => {
    const { scene } = context, broken = BROKEN["in which there is no database"];
    await context.replica.close();
    const id = await idle(context, "second", broken.size);
    await broken.spoil(scene);
    const { deaths, notes } = await runDying(context, { make: provision, spokeId: id }, when);
    assert.ok(deaths >= 25, `it died ${deaths} times`);
    await isByJob(scene, id, (notes as string[]).filter((note) => /template|Job/.test(note)), broken.words);
  });
}

const OWN = {
  database: { type: "crash", name: "db-", log: ["no luck"], exitCode: 1 },
  setup: { type: "failing-job", name: "setup-", log: ["500"], exitCode: 22 },
} as const;

for (const [step, breakage] of Object.entries(OWN)) {
  test(`does not make up for the ${step} that fails once its data is the site's own: a retry goes on with that`, async (context) => {
    const { scene } = context, [template] = await templates(scene);
    const fault = scene.simulator.faults.add(breakage);
    const id = await scene.spoke(context.hub, "second"), failed = await scene.becomes(id, "failed", "active");
    const [job] = await scene.operations(id);
    assert.equal([failed.state, job!.failure?.step], ["failed", step], job!.failure?.message);
    const claims = claimsOf(scene, failed.namespace).map(({ metadata }) => metadata.uid);
    scene.simulator.faults.remove(fault);
    const pod = `${scene.simulator.url}/api/v1/namespaces/${failed.namespace}/pods/db-0`;
    await fetch(pod, { method: "DELETE" }); // its back-off is longer than a retry looks on
    await retry(scene, id);
    const row = await scene.becomes(id, "active", "failed");
    assert.equal([row.state, row.stateReason], ["active", null]);
    assert.equal(claimsOf(scene, row.namespace).map(({ metadata }) => metadata.uid), claims);
    assert.equal(row.blueprintInputs.origin, failed.blueprintInputs.origin);
    assert.equal((await templates(scene)).map(({ id, state }) => [id, state]), [[template!.id, "ready"]]);
    assert.equal(standing(scene, "VolumeSnapshotContent").filter((name) => name.includes("origin")), []);
  });
}

const SPOKES_OWN = {
  "a webhook that denies its StatefulSet": {
    ...{ type: "deny", kind: "StatefulSet", name: "db" },
    message: 'admission webhook "policy.example" denied the request: no',
  },
  "a full node": { type: "no-node", name: "db-0", message: "0/1 nodes are available: 1 Insufficient cpu." },
  "a write that is refused": { type: "answer", status: 403, method: "POST", path: "/statefulsets" },
  "a volume for which its storage has no room": {
    ...{ type: "no-volume", name: "data-db-0" },
    message: "rpc error: code = ResourceExhausted desc = cannot clone the snapshot: no space left",
  },
} as const satisfies Record<string, SimulatorFault>;

for (const [what, breakage] of Object.entries(SPOKES_OWN)) {
  test(`is left to the others where one spoke has ${what}`, async (context) => {
    const { scene } = context, [before] = await templates(scene);
    const fault = scene.simulator.faults.add(breakage);
    const id = await scene.spoke(context.hub, "second");
    assert.is((await scene.becomes(id, "failed", "active")).state, "failed");
    scene.simulator.faults.remove(fault);
    assert.equal((await templates(scene)).map(({ id, state, failures, error }) => [id, state, failures, error]), [
      [before!.id, "ready", 0, null],
    ]);
    assert.equal(await ways(scene, await installed(context, "third")), [MADE]);
  });
}

test("is no fault of its own where a retry makes the spoke otherwise: what was begun of it goes", async (context) => {
  const { scene } = context;
  const fault = scene.simulator.faults.failJob("setup-", { log: ["500"], exitCode: 22 });
  const id = await scene.spoke(context.hub, "second");
  assert.is((await scene.becomes(id, "failed", "active")).state, "failed");
  scene.simulator.faults.remove(fault);
  await scene.db.sql("update templates set revision = 'before'"); // as after an upgrade of Wheelwright
  await retry(scene, id);
  assert.is((await scene.becomes(id, "active", "failed")).state, "active");
  const [again] = await scene.operations(id);
  await isByJob(
    scene,
    id,
    notesOf(again!).filter((note) => /template|Job/.test(note)),
    /it was deleted, or no longer matches the spoke/,
  );
  const [before] = (await templates(scene)).filter(({ revision }) => revision === "before");
  assert.equal([before!.state, before!.failures], ["ready", 0]);
});

test("is left out by a retry of what its own Job had begun", async (context) => {
  const { scene } = context;
  await scene.db.sql("update templates set version = 'other'");
  const fault = scene.simulator.faults.failJob("setup-", { log: ["500"], exitCode: 22 });
  const id = await scene.spoke(context.hub, "second");
  assert.is((await scene.becomes(id, "failed", "active")).state, "failed");
  scene.simulator.faults.remove(fault);
  await scene.db.sql("delete from templates where version <> 'other'");
  await scene.db.sql("update templates set version = '4.5.12'");
  await retry(scene, id);
  assert.is((await scene.becomes(id, "active", "failed")).state, "active");
  const [again] = await scene.operations(id);
  assert.match(
    JSON.stringify(again!.progress.notes),
    "Not created from a template: an installation had already started",
  );
});

test("is neither used nor wished for with a blueprint that cannot make its data a site's own", async (context) => {
  const { scene, replica } = context;
  await replica.close();
  const blueprint = createBlueprint(edited("database.yaml", 'initContainers: ["${ADOPT_DATABASE}"]', ""));
  const other = await startReplica({ ...scene.app, blueprint });
  try {
    const [way] = await ways(scene, await installed(context, "second"));
    assert.match(
      way!,
      /Not created from a template: the StatefulSet db of the blueprint lacks the container \$\{ADOPT_DATABASE\}/,
    );
    assert.is((await templates(scene)).length, 1);
  } finally {
    await other.close();
  }
});

test.run();
