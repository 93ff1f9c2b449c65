import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  adaptManifestToExistingObject,
  copyObservedRevision,
  formatObjectTitle,
  listExpectedObjects,
  mapKindsToSteps,
} from "#lib/moodle/expected-objects.ts";
import { loadBlueprint } from "#lib/moodle/blueprint.ts";
import { BLUEPRINT_REVISION_ANNOTATION } from "#lib/moodle/names.ts";
import { buildSampleSpokeInputs } from "#lib/moodle/releases.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { blueprint as builtIn } from "#src/blueprints.ts";

const test = suite("listExpectedObjects");

async function open(maintenance = false) {
  const blueprint = await loadBlueprint(builtIn);
  const site = { inputs: buildSampleSpokeInputs(blueprint, "small", blueprint.sizes.sizes["small"]!), maintenance };
  const find = (title: string) =>
    listExpectedObjects(blueprint, site).find(({ object }) => formatObjectTitle(object) === title)!;
  return { blueprint, site, find };
}

test("lists all objects of an installation, and the PVC of the StatefulSet's template", async () => {
  const { blueprint, site } = await open();
  const all = listExpectedObjects(blueprint, site), titles = all.map(({ object }) => formatObjectTitle(object));
  assert.is(all.length, 30);
  assert.is(new Set(titles).size, 30);
  const presence = all.filter(({ comparison: judged }) => judged === "presence").map(({ object }) =>
    formatObjectTitle(object)
  ).sort();
  assert.equal(presence, [
    ...["ConfigMap/seed", "ConfigMap/seed-script", "PersistentVolumeClaim/data-db-0", "Secret/admin", "Secret/mail"],
    ...["Secret/moodle", "Secret/seed"],
  ]);
});

test("expects running workloads, and an active CronJob unless the site is in maintenance mode", async () => {
  const open1 = await open(), closed = await open(true);
  for (const title of ["Deployment/moodle", "StatefulSet/db"]) {
    assert.is(open1.find(title).object["spec"].replicas, 1);
  }
  assert.is(open1.find("CronJob/moodle-cron").object["spec"].suspend, false);
  assert.is(closed.find("CronJob/moodle-cron").object["spec"].suspend, true);
});

test("lists each object in the steps that stepsByKind returns for its kind", async () => {
  const { blueprint, site } = await open();
  for (const [kind, steps] of mapKindsToSteps(blueprint, site)) {
    const of = (some?: typeof steps) =>
      listExpectedObjects(blueprint, site, some).map(({ object }) => formatObjectTitle(object)).filter((title) =>
        title.startsWith(`${kind}/`)
      );
    assert.equal(of(steps), of());
  }
});

const fitting = suite("fitToObserved");

fitting("never shrinks a disk, and enlarges one that is too small", async () => {
  const { object } = (await open()).find("PersistentVolumeClaim/files");
  const pvcOfSize = (storage: string): KubeObject => ({ ...object, spec: { resources: { requests: { storage } } } });
  const storageFor = (there: string) =>
    adaptManifestToExistingObject(object, pvcOfSize(there))["spec"].resources.requests.storage;
  assert.equal([storageFor("999Gi"), storageFor("1Gi")], ["999Gi", object["spec"].resources.requests.storage]);
});

fitting("keeps the existing PVC templates if they differ", async () => {
  const { object } = (await open()).find("StatefulSet/db");
  assert.is(adaptManifestToExistingObject(object, object), object);
  const observed = structuredClone(object);
  observed["spec"].volumeClaimTemplates[0].spec.resources.requests.storage = "1Gi";
  observed["spec"].template.spec.containers[0].image = "another";
  const { spec } = adaptManifestToExistingObject(object, observed);
  assert.equal(spec.volumeClaimTemplates, observed["spec"].volumeClaimTemplates);
  assert.equal(spec.template, object["spec"].template);
});

fitting(
  "ignores another blueprint revision, which a reapply updates",
  async () => {
    const { object } = (await open()).find("Service/db");
    const observed = {
      ...object,
      metadata: { ...object.metadata, annotations: { [BLUEPRINT_REVISION_ANNOTATION]: "before" } },
    };
    assert.is(copyObservedRevision(object, observed).metadata.annotations![BLUEPRINT_REVISION_ANNOTATION], "before");
    assert.is.not(
      adaptManifestToExistingObject(object, observed).metadata.annotations![BLUEPRINT_REVISION_ANNOTATION],
      "before",
    );
  },
);

test.run();
fitting.run();
