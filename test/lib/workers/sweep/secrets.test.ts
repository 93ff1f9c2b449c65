/** Tests the check of Secrets. It reads a limited number by name, because a list would contain their data. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { lookOnce } from "./checks.ts";
import { alter, closeSweep, type Context, keep, openSweep } from "./scene.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";

const test = suite<Context>("a check of Secrets");
test.before(async (context) => {
  await openSweep(context);
  await keep(context, 16);
});
test.after(closeSweep);

test("finds a missing Secret, and keeps the earlier result of unchecked ones.", async (context) => {
  const { app, scene } = context, id = context.standing.ids[8]!;
  const repair = await alter(context, id, ["v1", "Secret", "admin"], null);
  const driftTitles = async () => (await scene.row(id)).drift?.objects.map(({ object }: Json) => object) ?? [];
  await lookOnce(app, { maxComparisons: 0 });
  assert.equal(await driftTitles(), []);
  await lookOnce(app);
  assert.equal(await driftTitles(), ["Secret/admin"]);
  await lookOnce(app, { maxComparisons: 0 });
  assert.equal(await driftTitles(), ["Secret/admin"]);
  repair();
  await lookOnce(app);
  assert.equal(await driftTitles(), []);
});

test.run();
