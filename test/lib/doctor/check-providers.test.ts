import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkSignInProviders } from "#lib/doctor/check-providers.ts";
import { createReadWithTimeout } from "#lib/doctor/timed-read.ts";
import type { ProviderSettings } from "#lib/openid/load.ts";
import { openTestSignInProvider, type TestSignInProvider } from "#test/support/sign-in-provider.ts";

const test = suite<{ provider: TestSignInProvider; settings: ProviderSettings }>("checkSignInProviders");
const timedRead = createReadWithTimeout(new AbortController().signal);

test.before(async (context) => {
  const provider = context.provider = await openTestSignInProvider({ redirectUris: [] });
  const { issuer, clientId } = provider, more = { scopes: ["openid"], rolesFrom: "groups", roles: {}, signUp: false };
  const secret = { clientSecret: "do not show me", emailDomains: undefined };
  context.settings = { id: "contoso", label: "Contoso", issuer, clientId, ...secret, ...more };
});
test.after(({ provider }) => provider.close());

test("returns nothing without a provider", async () => {
  assert.equal(await checkSignInProviders([], timedRead), []);
});

test("reports a provider that answers, and warns about one that does not", async ({ provider, settings }) => {
  const down = { ...settings, id: "down", issuer: "http://127.0.0.1:9" };
  const [up, warned] = await checkSignInProviders([settings, down], timedRead);
  assert.equal(up, { check: "sign-in contoso", level: "ok", message: `${provider.issuer} answers` });
  assert.equal([warned!.check, warned!.level], ["sign-in down", "warning"]);
  assert.match(warned!.hint!, "SIGN_IN_PROVIDERS");
});

test("warns about another issuer, without the secret", async ({ provider, settings }) => {
  provider.rewrite = (_, body) => JSON.stringify({ ...JSON.parse(body), issuer: "https://evil.example" });
  const [finding] = await checkSignInProviders([settings], timedRead);
  assert.is(finding!.level, "warning");
  assert.not.match(JSON.stringify(finding), "do not show me");
});

test.run();
