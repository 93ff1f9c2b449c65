/** Spokes taken back to their backups in their place, and back from there. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listKept } from "#lib/domains/backups/kept.ts";
import { notesOf } from "#lib/records/jobs/operation.ts";
import { openWorkScene, type WorkScene } from "#test/lib/work/scene.ts";
import { lookOnce } from "#test/lib/work/sweep/looks.ts";
import { backUp, claims, mark, marks, restoreTo, usedBy } from "./scene.ts";

const test = suite<{ scene: WorkScene; id: string }>("a restore");
test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  await scene.replica();
  context.id = await scene.spoke(await scene.hub("math"), "algebra");
  await scene.becomes(context.id, "active");
});
test.after(({ scene }) => scene.close());

test("takes the site back to its newest backup, as the very site that it was", async ({ scene, id }) => {
  await mark(scene, id, "as it was");
  const backup = await backUp(scene, id), before = await scene.row(id);
  await mark(scene, id, "broken");
  const job = await restoreTo(scene, id);
  assert.equal([job.state, job.failure?.message], ["succeeded", undefined]);
  assert.equal(await marks(scene, id), ["as it was", "as it was"]);
  const after = await scene.row(id);
  assert.equal([after.state, after.health, after.siteIdentifier], ["active", "healthy", before.siteIdentifier]);
  assert.match(notesOf(job).join("\n"), `It goes back to backup ${backup} of `);
  const used = usedBy(after), kept = await listKept(scene.db.rows, id);
  assert.equal(kept.map(({ claim }) => claim), ["data-db-0", "files"]);
  assert.equal(claims(scene, after), [...used, "data-db-0", "files"].sort());
  await lookOnce(scene.app);
  assert.is((await scene.row(id)).drift, null);
});

test.run();
