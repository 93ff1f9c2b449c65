/** Whether Secrets are there is asked by name, of as many as the look may: a list of them would show what is in them. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import { lookOnce } from "./checks.ts";
import { alter, closeSweep, type Context, keep, openSweep } from "./scene.ts";

const test = suite<Context>("a look at Secrets");
test.before(async (context) => {
  await openSweep(context);
  await keep(context, 16);
});
test.after(closeSweep);

test("finds one that is missing, and keeps what it told of those that it does not come to.", async (context) => {
  const { app, scene } = context, id = context.standing.ids[8]!;
  const repair = await alter(context, id, ["v1", "Secret", "admin"], null);
  const told = async () => (await scene.row(id)).drift?.objects.map(({ object }: Json) => object) ?? [];
  await lookOnce(app, { maxComparisons: 0 });
  assert.equal(await told(), []);
  await lookOnce(app);
  assert.equal(await told(), ["Secret/admin"]);
  await lookOnce(app, { maxComparisons: 0 });
  assert.equal(await told(), ["Secret/admin"]);
  repair();
  await lookOnce(app);
  assert.equal(await told(), []);
});

test.run();
