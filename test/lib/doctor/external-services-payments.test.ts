/** Tests what doctor reports about the payment provider. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createReadWithTimeout } from "#lib/doctor/timed-read.ts";
import { checkPayments } from "#lib/doctor/external-services.ts";
import { openProvider, type Provider } from "#test/support/provider/provider.ts";

const test = suite<{ provider: Provider }>("checkPayments");
const timedRead = createReadWithTimeout(new AbortController().signal);

test.before(async (scene) => {
  scene.provider = await openProvider();
});
test.after(({ provider }) => provider.close());

const configOf = ({ key, webhookSecret, url }: Provider) => ({ secretKey: key, webhookSecret, apiBase: url });

test("returns nothing without a payment provider", async () => {
  assert.equal(await checkPayments(null, timedRead), []);
});

test("accepts a valid key and changes nothing at the provider", async ({ provider }) => {
  const [finding] = await checkPayments(configOf(provider), timedRead);
  assert.equal([finding!.level, finding!.message], [
    "ok",
    "the payment provider accepts STRIPE_SECRET_KEY (a test key)",
  ]);
  assert.ok(provider.calls.length > 0 && provider.calls.every(({ method }) => method === "GET"));
});

test("warns about a rejected key without showing it", async ({ provider }) => {
  const [finding] = await checkPayments({ ...configOf(provider), secretKey: "sk_test_wrong1234567890" }, timedRead);
  assert.is(finding!.level, "warning");
  assert.match(finding!.hint!, /STRIPE_SECRET_KEY/);
  assert.not.match(JSON.stringify(finding), /wrong1234567890/);
});

test("warns if the provider is unavailable", async ({ provider }) => {
  const restore = provider.break({ what: "down" });
  const [finding] = await checkPayments(configOf(provider), timedRead);
  restore();
  assert.is(finding!.level, "warning");
  assert.match(finding!.message, /\/v1\/prices/);
});

test.run();
