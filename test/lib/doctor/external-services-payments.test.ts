/** Tests what doctor reports about the payment provider. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createTimedRead } from "#lib/doctor/timed-read.ts";
import { checkPayments } from "#lib/doctor/external-services.ts";
import { openProvider, type Provider } from "#test/support/provider/provider.ts";

const test = suite<{ provider: Provider }>("lookAtPayments");
const look = createTimedRead(new AbortController().signal);

test.before(async (scene) => {
  scene.provider = await openProvider();
});
test.after(({ provider }) => provider.close());

const configOf = ({ key, webhookSecret, url }: Provider) => ({ secretKey: key, webhookSecret, apiBase: url });

test("is silent where none is configured", async () => {
  assert.equal(await checkPayments(null, look), []);
});

test("says that the key is taken, and leaves nothing at the provider", async ({ provider }) => {
  const [found] = await checkPayments(configOf(provider), look);
  assert.equal([found!.level, found!.message], [
    "ok",
    "the payment provider accepts STRIPE_SECRET_KEY (a test key)",
  ]);
  assert.ok(provider.calls.length > 0 && provider.calls.every(({ method }) => method === "GET"));
});

test("warns of a key that is refused, without telling it", async ({ provider }) => {
  const [found] = await checkPayments({ ...configOf(provider), secretKey: "sk_test_wrong1234567890" }, look);
  assert.is(found!.level, "warning");
  assert.match(found!.hint!, /STRIPE_SECRET_KEY/);
  assert.not.match(JSON.stringify(found), /wrong1234567890/);
});

test("warns of one that is away", async ({ provider }) => {
  const mend = provider.break({ what: "down" });
  const [found] = await checkPayments(configOf(provider), look);
  mend();
  assert.is(found!.level, "warning");
  assert.match(found!.message, /\/v1\/prices/);
});

test.run();
