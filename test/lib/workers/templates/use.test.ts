/** Tests what sites share with their template, and what they must not share. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  installSpoke,
  listObjectNames,
  listSourceNotes,
  listTemplates,
  openTemplateScene,
  type TemplateScene,
  waitForTemplate,
} from "#test/lib/workers/templates/scene.ts";
import { lookOnce } from "#test/lib/workers/sweep/checks.ts";
import { createSite, createTarget, nextRun, type VolumeScene } from "#test/lib/recovery/volumes/scene.ts";
import { readBackupSnapshots } from "#lib/recovery/volumes/backup-snapshots.ts";
import { siteSecretsOf } from "#test/support/sites.ts";
import { until } from "#test/support/until.ts";
import { RELEASE } from "#test/support/release.ts";
import { selectRows } from "#test/support/rows.ts";

interface Context extends TemplateScene {
  /** The ID of the spoke that requested the template. `second` and `third` were created from the template. */
  first: string;
  second: string;
  third: string;
  /** The secrets of the template, in its running sandbox and in its snapshots. */
  secrets: Record<string, string>;
}

const test = suite<Context>("a site from a template");
test.before(async (context) => {
  await openTemplateScene(context);
  const { scene } = context;
  // Leaves time to read the secrets before the sandbox is stopped.
  const latency = scene.simulator.faults.latency(1500, { method: "PATCH", path: "/statefulsets/db" });
  await scene.replica();
  context.first = await installSpoke(context, "algebra");
  const liveSecrets = await until(() => {
    const [namespace = ""] = listObjectNames(scene, "Namespace", `sandbox-${RELEASE}-template-`);
    const isInstalled = namespace !== "" && scene.simulator.site(namespace).database?.config?.rolesactive === "1";
    return Promise.resolve(isInstalled && siteSecretsOf(scene.simulator, namespace));
  }, 60_000);
  scene.simulator.faults.remove(latency);
  const template = await waitForTemplate(scene, "ready"), source = await scene.row(context.first);
  const site = await createTarget({ scene, source } as VolumeScene, "same");
  await createSite(site, nextRun(), readBackupSnapshots(template, template));
  context.secrets = { ...siteSecretsOf(scene.simulator, site.space.namespace), ...liveSecrets };
  context.second = await installSpoke(context, "geometry");
  context.third = await installSpoke(context, "topology", "medium");
});
test.after(({ scene }) => scene.close());

test("is created without an install Job, and the notes of each operation explain why", async (context) => {
  const { scene, first, second, third } = context;
  const listJobs = async (id: string) =>
    scene.simulator.history().filter((each) => each.kind === "Job" && each.type === "ADDED").filter(await of(id))
      .map(({ name }) => name.replace(/-\d+$/, "")).filter((name) => name !== "moodle-cron");
  async function of(id: string) {
    const { namespace } = await scene.row(id);
    return (each: { readonly namespace: string | null }) => each.namespace === namespace;
  }
  assert.equal(await listJobs(first), ["claim", "install", "setup"]);
  assert.equal(await listJobs(second), ["setup"]);
  assert.equal(await listSourceNotes(scene, first), ["Not created from a template: no template of 4.5.12 exists yet"]);
  for (const id of [second, third]) {
    assert.equal(await listSourceNotes(scene, id), ["Created from the template for Moodle 4.5.12"]);
  }
});

test("shares no secret with the template or another site from the template", async (context) => {
  const { scene: { simulator, ...scene }, first, second, third, secrets } = context;
  const sites = [secrets];
  for (const id of [first, second, third]) sites.push(siteSecretsOf(simulator, (await scene.row(id)).namespace));
  for (const names of sites.map(Object.keys)) {
    const needed = ["mdl_config siteidentifier", "role moodle", "moodledata/secret", "Secret moodle MOODLE_PASSWORD"];
    assert.equal(needed.filter((name) => !names.includes(name)), []);
  }
  const all = sites.flatMap((site) => [...new Set(Object.values(site))]);
  assert.equal(all.filter((value, i) => all.indexOf(value) !== i), []);
  for (const id of [second, third]) {
    const { siteIdentifier, namespace, domain } = await scene.row(id), { database, files } = simulator.site(namespace);
    assert.equal([database!.config!.siteidentifier, files.wwwroot], [siteIdentifier, domain]);
    assert.ok(siteIdentifier!.endsWith(domain), siteIdentifier!);
    assert.is(database!.password, siteSecretsOf(simulator, namespace)["Secret moodle DB_PASS"]);
  }
});

test("has the PVCs of its size, and no drift", async ({ scene, second, third }) => {
  const disks = async (id: string) => {
    const { namespace } = await scene.row(id);
    return scene.simulator.objects("PersistentVolumeClaim").filter(({ metadata }) => metadata.namespace === namespace)
      .map(({ metadata: { name }, status }) => `${name} ${status!.capacity.storage}`).sort();
  };
  assert.equal(await disks(second), ["data-db-0 5Gi", "files 10Gi"]);
  assert.equal(await disks(third), ["data-db-0 10Gi", "files 50Gi"]);
  await lookOnce(scene.app);
  for (const id of [second, third]) {
    const { drift, health, blueprintInputs: { origin } } = await scene.row(id);
    assert.equal([drift, health, origin.identity], [null, "healthy", "new"]);
  }
});

test("leaves no source objects behind, and the template is usable again", async (context) => {
  const { scene, second, third } = context, [template] = await listTemplates(scene);
  assert.equal([template!.state, template!.failures, (await listTemplates(scene)).length], ["ready", 0, 1]);
  assert.ok(template!.lastUsedAt! > template!.readyAt!);
  assert.equal(listObjectNames(scene, "VolumeSnapshotContent"), template!.volumes.map(({ content }) => content).sort());
  assert.equal([listObjectNames(scene, "VolumeSnapshot"), listObjectNames(scene, "Namespace", "sandbox-")], [[], []]);
  const uses = await selectRows(scene.db, "template_uses", {}, {
    columns: ["spokeId", "templateId", "fallbackReason"],
    orderBy: "startedAt",
  });
  assert.equal(uses.map(({ spokeId }) => spokeId), [second, third]);
  assert.equal(
    uses.map(({ templateId, fallbackReason }) => [templateId, fallbackReason]),
    Array(2).fill([template!.id, null]),
  );
});

test.run();
