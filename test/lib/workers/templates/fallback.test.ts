/** Tests failures of templates. Before the database is adopted, the install Job is used. Later failures fail the spoke. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createBlueprint } from "#lib/moodle/blueprint.ts";
import type { SimulatorFault } from "#lib/dev/simulator/faults.ts";
import type { Scheduler } from "#lib/scheduler/scheduler.ts";
import { readOperationNotes } from "#lib/jobs/operation.ts";
import { provisionHandler } from "#lib/workers/install/provision.ts";
import { setDatabaseClock } from "#test/support/fake-spokes.ts";
import { siteSecretsOf } from "#test/support/sites.ts";
import { edited } from "#test/lib/moodle/fixtures.ts";
import { createIdleSpoke, runWithKills } from "#test/lib/workers/templates/creation.ts";
import {
  installSpoke,
  listObjectNames,
  listSourceNotes,
  listTemplates,
  openSceneWithTemplate,
  retrySpoke,
  swapSnapshots,
  type TemplateScene,
  waitForTemplate,
} from "#test/lib/workers/templates/scene.ts";
import { startReplica, type WorkScene } from "#test/lib/workers/scene.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

interface Context extends TemplateScene {
  replica: Scheduler;
}

const test = suite<Context>("a failing template");
test.before.each(async (context) => void (context.replica = await openSceneWithTemplate(context)));
test.after.each(({ scene }) => scene.close());

const CREATED_NOTE = "Created from the template for Moodle 4.5.12";

interface TemplateFault {
  /** Matches the error of the storage or the adopting container. */
  readonly message: RegExp;
  readonly damage: (scene: WorkScene) => Promise<unknown>;
  readonly size?: string;
}

const TEMPLATE_FAULTS = {
  "whose snapshots are gone": {
    message: /can not find snapshot for snapshotID gone/,
    damage: ({ db }) => db.sql(`update templates set volumes = jsonb_set(volumes, '{0,handle}', '"gone"')`),
  },
  "whose driver no longer has a class": {
    message: /no VolumeSnapshotClass for gone.example/,
    damage: ({ db }) => db.sql(`update templates set volumes = jsonb_set(volumes, '{1,driver}', '"gone.example"')`),
  },
  "that needs a larger PVC": {
    message: /requested volume size 5368709120 is less than/,
    damage: swapSnapshots,
  },
  "without a database": {
    message: /this volume contains no (?:database|site)/,
    damage: swapSnapshots,
    size: "medium",
  },
} as const satisfies Record<string, TemplateFault>;

function listPvcs({ simulator }: WorkScene, namespace: string) {
  return simulator.objects("PersistentVolumeClaim").filter(({ metadata }) => metadata.namespace === namespace);
}

/** Asserts that the install Job was used, and that nothing from the template remains. */
async function assertInstalledByJob(
  scene: WorkScene,
  id: string,
  notes: readonly string[],
  pattern: RegExp,
): Promise<void> {
  const { namespace, blueprintInputs, siteIdentifier } = await scene.row(id), [sourceNote, ...more] = notes;
  assert.match(sourceNote!, "Not created from a template, because it could not be used: ");
  assert.match(sourceNote!, pattern, sourceNote);
  assert.equal([more, blueprintInputs.origin], [[], undefined]);
  assert.equal(listPvcs(scene, namespace).map(({ spec }) => spec.dataSource), [undefined, undefined]);
  assert.equal(await selectRows(scene.db, "template_uses", { spokeId: id }), []);
  assert.equal(listObjectNames(scene, "VolumeSnapshot", namespace), []); // another template may be in creation
  assert.equal(listObjectNames(scene, "VolumeSnapshotContent").filter((name) => name.includes("origin")), []);
  assert.is(siteSecretsOf(scene.simulator, namespace)["mdl_config siteidentifier"], siteIdentifier);
}

for (const [what, templateFault] of Object.entries<TemplateFault>(TEMPLATE_FAULTS)) {
  test(`${what} is abandoned: the install Job is used, and a new template is created after an hour`, async (context) => {
    const { scene } = context, [before] = await listTemplates(scene);
    await templateFault.damage(scene);
    const id = await installSpoke(context, "second", templateFault.size);
    await assertInstalledByJob(scene, id, await listSourceNotes(scene, id), templateFault.message);
    const [failed] = await listTemplates(scene);
    assert.equal([failed!.state, failed!.failures, failed!.id], ["failed", 1, before!.id]);
    assert.match(failed!.error!, templateFault.message);
    await setDatabaseClock(scene.db, new Date(failed!.nextAttemptAt!.getTime() + 1000));
    await installSpoke(context, "third");
    const retried = await waitForTemplate(scene, "ready");
    assert.is.not(retried.id, before!.id);
    const oldContents = before!.volumes.map(({ content }) => content!),
      contents = listObjectNames(scene, "VolumeSnapshotContent");
    assert.is(contents.length, 2, "the contents of the first template are deleted");
    assert.equal(contents.filter((name) => oldContents.includes(name)), []);
    assert.equal(await listSourceNotes(scene, await installSpoke(context, "fourth")), [CREATED_NOTE]);
  });
}

for (const when of ["before", "after"] as const) {
  test(`or a good one creates one site if the process is killed ${when} each write`, async (context) => {
    const { scene } = context;
    await context.replica.close();
    const id = await createIdleSpoke(context, "second");
    const { kills, notes } = await runWithKills(context, { createHandler: provisionHandler, spokeId: id }, when);
    assert.ok(kills >= 20, `${kills} kills`);
    assert.is((notes as string[])[0], CREATED_NOTE);
    const { namespace, siteIdentifier, blueprintInputs } = await scene.row(id);
    assert.is(scene.simulator.site(namespace).database!.config!.siteidentifier, siteIdentifier);
    assert.ok(
      listPvcs(scene, namespace).every(({ spec }) => spec.dataSource.name.endsWith(blueprintInputs.origin.adoptionId)),
    );
    assert.equal(listObjectNames(scene, "VolumeSnapshotContent").filter((name) => name.includes("origin")), []);
    assert.equal(listObjectNames(scene, "Job", namespace).filter((name) => name.startsWith("install")), []);
  });

  test(`is abandoned once if the process is killed ${when} each write`, async (context) => {
    const { scene } = context, templateFault = TEMPLATE_FAULTS["without a database"];
    await context.replica.close();
    const id = await createIdleSpoke(context, "second", templateFault.size);
    await templateFault.damage(scene);
    const { kills, notes } = await runWithKills(context, { createHandler: provisionHandler, spokeId: id }, when);
    assert.ok(kills >= 25, `${kills} kills`);
    await assertInstalledByJob(
      scene,
      id,
      (notes as string[]).filter((note) => /template|Job/.test(note)),
      templateFault.message,
    );
  });
}

const SITE_FAULTS = {
  database: { type: "crash", name: "db-", log: ["no luck"], exitCode: 1 },
  setup: { type: "failing-job", name: "setup-", log: ["500"], exitCode: 22 },
} as const;

for (const [step, breakage] of Object.entries(SITE_FAULTS)) {
  test(`is not abandoned if the step ${step} fails after the adoption: a retry continues with the data`, async (context) => {
    const { scene } = context, [template] = await listTemplates(scene);
    const fault = scene.simulator.faults.add(breakage);
    const id = await scene.spoke(context.hub, "second"), failed = await scene.becomes(id, "failed", "active");
    const [job] = await scene.operations(id);
    assert.equal([failed.state, job!.failure?.step], ["failed", step], job!.failure?.message);
    const claims = listPvcs(scene, failed.namespace).map(({ metadata }) => metadata.uid);
    scene.simulator.faults.remove(fault);
    const pod = `${scene.simulator.url}/api/v1/namespaces/${failed.namespace}/pods/db-0`;
    await fetch(pod, { method: "DELETE" }); // the back-off is longer than the retry waits
    await retrySpoke(scene, id);
    const row = await scene.becomes(id, "active", "failed");
    assert.equal([row.state, row.stateReason], ["active", null]);
    assert.equal(listPvcs(scene, row.namespace).map(({ metadata }) => metadata.uid), claims);
    assert.equal(row.blueprintInputs.origin, failed.blueprintInputs.origin);
    assert.equal((await listTemplates(scene)).map(({ id, state }) => [id, state]), [[template!.id, "ready"]]);
    assert.equal(listObjectNames(scene, "VolumeSnapshotContent").filter((name) => name.includes("origin")), []);
  });
}

const SPOKE_FAULTS = {
  "a webhook that denies its StatefulSet": {
    ...{ type: "deny", kind: "StatefulSet", name: "db" },
    message: 'admission webhook "policy.example" denied the request: no',
  },
  "a full node": { type: "no-node", name: "db-0", message: "0/1 nodes are available: 1 Insufficient cpu." },
  "a refused write": { type: "answer", status: 403, method: "POST", path: "/statefulsets" },
  "a volume for which the storage has no space": {
    ...{ type: "no-volume", name: "data-db-0" },
    message: "rpc error: code = ResourceExhausted desc = cannot clone the snapshot: no space left",
  },
} as const satisfies Record<string, SimulatorFault>;

for (const [what, breakage] of Object.entries(SPOKE_FAULTS)) {
  test(`stays ready if one spoke has ${what}`, async (context) => {
    const { scene } = context, [before] = await listTemplates(scene);
    const fault = scene.simulator.faults.add(breakage);
    const id = await scene.spoke(context.hub, "second");
    assert.is((await scene.becomes(id, "failed", "active")).state, "failed");
    scene.simulator.faults.remove(fault);
    assert.equal((await listTemplates(scene)).map(({ id, state, failures, error }) => [id, state, failures, error]), [
      [before!.id, "ready", 0, null],
    ]);
    assert.equal(await listSourceNotes(scene, await installSpoke(context, "third")), [CREATED_NOTE]);
  });
}

test("is not blamed if it no longer matches the spoke at a retry: its objects are deleted", async (context) => {
  const { scene } = context;
  const fault = scene.simulator.faults.failJob("setup-", { log: ["500"], exitCode: 22 });
  const id = await scene.spoke(context.hub, "second");
  assert.is((await scene.becomes(id, "failed", "active")).state, "failed");
  scene.simulator.faults.remove(fault);
  await updateRows(scene.db, "templates", { revision: "before" }); // like an upgrade of Wheelwright
  await retrySpoke(scene, id);
  assert.is((await scene.becomes(id, "active", "failed")).state, "active");
  const [retried] = await scene.operations(id);
  await assertInstalledByJob(
    scene,
    id,
    readOperationNotes(retried!).filter((note) => /template|Job/.test(note)),
    /the template was deleted or no longer matches the spoke/,
  );
  const [before] = (await listTemplates(scene)).filter(({ revision }) => revision === "before");
  assert.equal([before!.state, before!.failures], ["ready", 0]);
});

test("is not used by a retry of an installation that the install Job started", async (context) => {
  const { scene } = context;
  await updateRows(scene.db, "templates", { version: "other" });
  const fault = scene.simulator.faults.failJob("setup-", { log: ["500"], exitCode: 22 });
  const id = await scene.spoke(context.hub, "second");
  assert.is((await scene.becomes(id, "failed", "active")).state, "failed");
  scene.simulator.faults.remove(fault);
  await scene.db.sql("delete from templates where version <> 'other'");
  await updateRows(scene.db, "templates", { version: "4.5.12" });
  await retrySpoke(scene, id);
  assert.is((await scene.becomes(id, "active", "failed")).state, "active");
  const [retried] = await scene.operations(id);
  assert.match(
    JSON.stringify(retried!.progress.notes),
    "Not created from a template: an installation had already started",
  );
});

test("is neither used nor requested with a blueprint without an adopting container", async (context) => {
  const { scene, replica } = context;
  await replica.close();
  const blueprint = createBlueprint(edited("database.yaml", 'initContainers: ["${ADOPT_DATABASE}"]', ""));
  const other = await startReplica({ ...scene.app, blueprint });
  try {
    const [sourceNote] = await listSourceNotes(scene, await installSpoke(context, "second"));
    assert.match(
      sourceNote!,
      /Not created from a template: the StatefulSet db of the blueprint lacks the container \$\{ADOPT_DATABASE\}/,
    );
    assert.is((await listTemplates(scene)).length, 1);
  } finally {
    await other.close();
  }
});

test.run();
