/** Tests that what a hub shares, and the spokes' own values, survive the loss of the database. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { patchPolicy } from "#lib/domains/policy/patch.ts";
import { rollBackPolicy } from "#lib/domains/policy/roll-back.ts";
import { showPolicy, showSpokePolicy } from "#lib/domains/policy/show.ts";
import { patchSpokePolicy } from "#lib/domains/policy/spoke.ts";
import { listPolicyVersions } from "#lib/domains/policy/store.ts";
import { requestCoursePublication } from "#lib/domains/courses/publish.ts";
import { listHubCourses } from "#lib/domains/courses/show.ts";
import { type FederationRow, findFederation } from "#lib/domains/federations/store.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { waitForRollout } from "#test/lib/workers/rollouts/scene.ts";
import { listReconcileFindings, saveDatabase, writeSiteRecords } from "./restored-database.ts";
import { updateRows } from "#test/support/rows.ts";

const test = suite("what a hub shares, after the database is lost");

/** Shares values in the hub, lets the spoke override one, and excludes it from the brand. */
async function share(scene: WorkScene, hub: FederationRow, id: string): Promise<void> {
  const { app, actor } = scene;
  const ready = await scene.hubBecomes(hub.id, "active");
  const { rollout } = await patchPolicy(app, actor, ready, {
    signIn: { issuer: "https://login.school.example", clientId: "moodle", clientSecret: "a secret text" },
    settings: { language: "de", timeZone: "Europe/Berlin" },
    brand: { color: "#aa0044" },
    overridable: { settings: ["language"] },
  });
  await waitForRollout(scene, rollout!, "completed");
  await shareCourse(scene, hub, id);
  await patchSpokePolicy(app, actor, await scene.row(id), { settings: { language: "fr" }, excluded: ["brand"] });
  await scene.ended(id, "configure");
}

/** Publishes a course of the spoke, which then gets it from the hub. */
async function shareCourse(scene: WorkScene, { id: hubId }: FederationRow, id: string): Promise<void> {
  const { app, actor, db } = scene;
  await updateRows(db, "federations", { mode: "content" }, { id: hubId });
  await updateRows(db, "spokes", { content: true }, { id });
  const site = scene.simulator.site((await scene.row(id)).namespace);
  site.changeDatabase((database) => ({ ...database, courses: ["BIO-D"] }));
  const hub = (await findFederation(db.rows, hubId, "shown"))!;
  await requestCoursePublication(app, actor, hub, { spokeId: id, course: "BIO-D" } as never, null);
  await scene.ended(id, "publish-course");
  await waitForRollout(scene, (await showPolicy(db.rows, hubId)).rollout!, "completed");
}

const readAll = async ({ db, actor }: WorkScene, hub: FederationRow, id: string) => ({
  ...await showPolicy(db.rows, hub.id),
  hubCourses: await listHubCourses(db.rows, (await findFederation(db.rows, hub.id, "shown"))!, actor),
  rollout: null, // rollouts are not in the records
  spoke: await showSpokePolicy(db.rows, id),
});

test("comes back from the records of hubs and spokes, of which one was in the backup", async () => {
  const scene = await openWorkScene(), { db } = scene;
  try {
    await updateRows(db, "users", { operator: true, emailVerifiedAt: new Date() }, { id: scene.actor.userId });
    let replica = await scene.replica();
    const north = await scene.hub("north"), ash = await scene.spoke(north, "ash");
    await scene.becomes(ash, "active");
    await replica.close();
    await writeSiteRecords(scene.app);
    const goBack = await saveDatabase(db);
    replica = await scene.replica();
    const west = await scene.hub("west"), oak = await scene.spoke(west, "oak");
    await scene.becomes(oak, "active");
    await share(scene, north, ash);
    await share(scene, west, oak);
    await replica.close();
    await writeSiteRecords(scene.app);
    const before = [await readAll(scene, north, ash), await readAll(scene, west, oak)];
    assert.is(before[0]!.spoke.settings.values["language"], "fr");
    assert.equal([before[0]!.hubCourses.length, before[0]!.spoke.courses.state], [1, "in_sync"]);
    await goBack();
    assert.is((await showPolicy(db.rows, north.id)).settings.version, 0, "the backup is from before");
    await listReconcileFindings(scene.app, { apply: true });
    assert.equal([await readAll(scene, north, ash), await readAll(scene, west, oak)], before);
    for (const hub of [north, west]) {
      const versions = await listPolicyVersions(db.rows, hub.id);
      assert.equal(versions.map(({ section, version }) => `${section} ${version}`).sort(), [
        "brand 1",
        "courses 1",
        "settings 1",
        "signIn 1",
      ]);
    }
    await scene.replica();
    const { settings } = await patchPolicy(scene.app, scene.actor, north, { settings: { language: "it" } });
    assert.is(settings.version, 2);
    const back = await rollBackPolicy(scene.app, scene.actor, north, { section: "settings", version: 1 });
    assert.equal([back.settings.version, back.settings.values["language"]], [3, "de"]);
    await waitForRollout(scene, back.rollout!, "completed");
  } finally {
    await scene.close();
  }
});

test.run();
