/** Tests a size that the storage cannot provide, with a payment provider. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openScheduler } from "#lib/scheduler/scheduler.ts";
import { resizeHandler } from "#lib/workers/resize/resize.ts";
import { openResizeScene } from "#test/lib/workers/resize/scene.ts";

const test = suite("a resize that is billed");

test("changes nothing if a disk cannot grow, and keeps the billed size", async () => {
  const scene = await openResizeScene({ replica: "stopped" });
  const app = { ...scene.app, payments: {} as never };
  const scheduler = await openScheduler(app, { handlers: [resizeHandler(app)], lanes: 1 });
  const before = scene.sizes(), { size } = await scene.row(scene.id);
  const body = JSON.stringify({ allowVolumeExpansion: false });
  const url = `${scene.simulator.url}/apis/storage.k8s.io/v1/storageclasses/standard`;
  const headers = { "content-type": "application/merge-patch+json" };
  assert.is((await fetch(url, { method: "PATCH", headers, body })).status, 200);
  const job = await scene.resize("large");
  assert.equal([job.state, job.failure!.code], ["failed", "DiskCannotGrow"]);
  assert.match(job.failure!.message, "The site and its price were not changed");
  assert.equal(scene.sizes(), before);
  assert.is((await scene.row(scene.id)).size, size);
  await scheduler.close();
  await scene.close();
});

test.run();
