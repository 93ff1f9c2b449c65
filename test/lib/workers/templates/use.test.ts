/** Sites from a template: what they have of it, and what they must not have. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  installed,
  openTemplates,
  standing,
  templateIs,
  templates,
  type TemplateScene,
  ways,
} from "#test/lib/workers/templates/scene.ts";
import { lookOnce } from "#test/lib/workers/sweep/checks.ts";
import { make, nextRun, place, type VolumeScene } from "#test/lib/workers/volumes/scene.ts";
import { readBackupSnapshots } from "#lib/workers/volumes/backup-snapshots.ts";
import { siteSecretsOf } from "#test/support/sites.ts";
import { until } from "#test/support/until.ts";
import { RELEASE } from "#test/support/release.ts";

interface Context extends TemplateScene {
  /** Ids of spokes: the one that wished for the template, and two that were made from it. */
  first: string;
  second: string;
  third: string;
  /** Of the template: as its database was left, and as its snapshots have it. */
  secrets: Record<string, string>;
}

const test = suite<Context>("a site from a template");
test.before(async (context) => {
  await openTemplates(context);
  const { scene } = context;
  // So that there is time to look at it before it is stopped.
  const slow = scene.simulator.faults.latency(1500, { method: "PATCH", path: "/statefulsets/db" });
  await scene.replica();
  context.first = await installed(context, "algebra");
  const live = await until(() => {
    const [namespace = ""] = standing(scene, "Namespace", `sandbox-${RELEASE}-template-`);
    const whole = namespace !== "" && scene.simulator.site(namespace).database?.config?.rolesactive === "1";
    return Promise.resolve(whole && siteSecretsOf(scene.simulator, namespace));
  }, 60_000);
  scene.simulator.faults.remove(slow);
  const template = await templateIs(scene, "ready"), source = await scene.row(context.first);
  const site = await place({ scene, source } as VolumeScene, "same");
  await make(site, nextRun(), readBackupSnapshots(template, template));
  context.secrets = { ...siteSecretsOf(scene.simulator, site.space.namespace), ...live };
  context.second = await installed(context, "geometry");
  context.third = await installed(context, "topology", "medium");
});
test.after(({ scene }) => scene.close());

test("is made without an install Job, and its operation says so, as that of the first one says why it had one", async (context) => {
  const { scene, first, second, third } = context;
  const jobs = async (id: string) =>
    scene.simulator.history().filter((each) => each.kind === "Job" && each.type === "ADDED").filter(await of(id))
      .map(({ name }) => name.replace(/-\d+$/, "")).filter((name) => name !== "moodle-cron");
  async function of(id: string) {
    const { namespace } = await scene.row(id);
    return (each: { readonly namespace: string | null }) => each.namespace === namespace;
  }
  assert.equal(await jobs(first), ["claim", "install", "setup"]);
  assert.equal(await jobs(second), ["setup"]);
  assert.equal(await ways(scene, first), ["Not created from a template: no template of 4.5.12 exists yet"]);
  for (const id of [second, third]) {
    assert.equal(await ways(scene, id), ["Created from the template of Moodle 4.5.12"]);
  }
});

test("shares no secret with the template, nor with another one that was made from it", async (context) => {
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

test("has the disks of its size, and is as the blueprint has it", async ({ scene, second, third }) => {
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

test("leaves nothing behind of what it was made by, and the template to the next", async (context) => {
  const { scene, second, third } = context, [template] = await templates(scene);
  assert.equal([template!.state, template!.failures, (await templates(scene)).length], ["ready", 0, 1]);
  assert.ok(template!.lastUsedAt! > template!.readyAt!);
  assert.equal(standing(scene, "VolumeSnapshotContent"), template!.volumes.map(({ content }) => content).sort());
  assert.equal([standing(scene, "VolumeSnapshot"), standing(scene, "Namespace", "sandbox-")], [[], []]);
  const uses = await scene.db.sql(
    "select spoke_id, template_id, fallback_reason from template_uses order by started_at",
  );
  assert.equal(uses.map(({ spokeId }) => spokeId), [second, third]);
  assert.equal(
    uses.map(({ templateId, fallbackReason }) => [templateId, fallbackReason]),
    Array(2).fill([template!.id, null]),
  );
});

test.run();
