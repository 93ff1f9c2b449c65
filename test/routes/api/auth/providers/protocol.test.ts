/** Tests what the program accepts from a real OpenID Connect provider: issuer, keys, times, nonce and availability. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { HOUR, MINUTE, SECOND } from "#lib/base/time.ts";
import { openProviderScene, type ProviderScene } from "#test/support/provider-sign-in.ts";
import { openTestSignInProvider } from "#test/support/sign-in-provider.ts";

const test = suite<ProviderScene>("the protocol of GET /api/auth/providers/{providerId}/callback");

test.before.each(async (context) => {
  // The entry `other` is the same provider with another issuer in its settings, so that answers can be mixed up.
  const more = () => [{ id: "other", label: "Other", issuer: "http://127.0.0.1:9", clientId: "wheelwright" }];
  Object.assign(context, await openProviderScene({ more }));
});
test.after.each(({ close }) => close());

const PERSON = { sub: "1234", email: "hub-admin@example.org", email_verified: true };

/** Changes claims of the ID token without signing it again, or the algorithm in its header. */
function forge(body: string, claims: object, header?: object): string {
  const answer = JSON.parse(body), [head, payload, signature] = answer.id_token.split(".");
  const edit = (part: string, changes: object) =>
    Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(part, "base64url").toString()), ...changes })).toString(
      "base64url",
    );
  const id_token = [header ? edit(head, header) : head, edit(payload, claims), signature].join(".");
  return JSON.stringify({ ...answer, id_token });
}

test("accepts new keys as soon as the provider signs with them", async ({ provider, signIn }) => {
  assert.is((await signIn(PERSON)).status, 303);
  await provider.rotateKeys();
  assert.is((await signIn(PERSON)).status, 303);
  const reads = provider.requests.filter((path) => path === "/jwks").length;
  assert.is((await signIn(PERSON)).status, 303);
  assert.is(provider.requests.filter((path) => path === "/jwks").length, reads, "the keys are not read each time");
});

test("refuses a token that was changed, or signed with a key that is not the provider's", async (context) => {
  const { provider, signIn, listReasons } = context;
  const forgeries: ((path: string, body: string) => string)[] = [
    (path, body) => path === "/token" ? forge(body, { sub: "somebody else" }) : body,
    (path, body) => path === "/token" ? forge(body, {}, { alg: "none" }) : body,
    (path, body) => path === "/token" ? forge(body, {}, { alg: "HS256" }) : body,
    (path, body) => path === "/jwks" ? JSON.stringify({ keys: [] }) : body,
  ];
  const rotate = [false, false, false, true];
  for (const [i, rewrite] of forgeries.entries()) {
    provider.rewrite = rewrite;
    if (rotate[i]) await provider.rotateKeys();
    const refused = await signIn(PERSON);
    assert.equal([refused.status, refused.body.code], [403, "sign_in_refused"]);
  }
  assert.equal(await listReasons(), Array(4).fill("provider_token"));
});

test("refuses a token for another client, of another issuer, or with another nonce", async (context) => {
  const { provider, signIn, listReasons } = context;
  for (const claims of [{ aud: "another" }, { iss: "https://evil.example" }, { nonce: "x" }, { nonce: undefined }]) {
    provider.rewrite = (path, body) => path === "/token" ? forge(body, claims) : body;
    assert.is((await signIn(PERSON)).status, 403);
  }
  assert.equal(new Set(await listReasons()), new Set(["provider_token", "provider_issuer"]));
});

test("refuses the userinfo of another person", async ({ provider, signIn }) => {
  provider.rewrite = (path, body) => path === "/me" ? JSON.stringify({ ...JSON.parse(body), sub: "admin" }) : body;
  assert.is((await signIn(PERSON)).status, 403);
});

test("accepts clocks that differ by half a minute, and refuses ten minutes", async (context) => {
  const { scene, signIn, listReasons } = context;
  // The token is valid for an hour. A negative shift means that it was issued in the future.
  for (const [shift, status] of [[-30 * SECOND, 303], [HOUR + 30 * SECOND, 303]] as const) {
    await scene.db.shiftClock(shift);
    assert.is((await signIn(PERSON)).status, status, `${shift}`);
  }
  for (const shift of [-10 * MINUTE, HOUR + 10 * MINUTE]) {
    await scene.db.shiftClock(shift);
    assert.is((await signIn(PERSON)).status, 403, `${shift}`);
  }
  assert.equal(await listReasons(), ["provider_token", "provider_token"]);
});

test("refuses an answer that names another issuer, or none", async ({ provider, openBrowser, listReasons }) => {
  provider.person = PERSON;
  for (const iss of ["https://evil.example", null]) {
    const browser = openBrowser(), url = new URL(await browser.reachCallback(), "http://localhost:3000");
    if (iss) url.searchParams.set("iss", iss);
    else url.searchParams.delete("iss");
    const refused = await browser.get(url.pathname + url.search);
    assert.equal([refused.status, refused.body.code], [403, "sign_in_refused"]);
  }
  assert.is(provider.requests.includes("/token"), false, "the code was sent");
  assert.equal(await listReasons(), ["provider_issuer", "provider_issuer"]);
});

test("refuses an answer of one provider as that of another", async ({ provider, openBrowser, listReasons }) => {
  provider.person = PERSON;
  const browser = openBrowser(), path = await browser.reachCallback();
  const mixed = await browser.get(path.replace("/contoso/", "/other/"));
  assert.equal([mixed.status, mixed.body.code], [401, "sign_in_expired"]);
  assert.equal(await listReasons(), ["other_provider"]);
  assert.is((await browser.get(path)).status, 401);
});

test("refuses a code that the provider has given for another sign-in", async ({ provider, openBrowser, listReasons }) => {
  provider.person = PERSON;
  const attacker = openBrowser(), victim = openBrowser();
  const stolen = new URL(await victim.reachCallback(), "http://localhost:3000").searchParams.get("code")!;
  const url = new URL(await attacker.reachCallback(), "http://localhost:3000");
  url.searchParams.set("code", stolen);
  const refused = await attacker.get(url.pathname + url.search);
  assert.equal([refused.status, refused.body.code], [403, "sign_in_refused"]);
  assert.equal(await listReasons(), ["provider_code"], "PKCE binds the code to the browser");
});

test("says that a provider is unavailable, and works as soon as it answers again", async (context) => {
  const { scene, provider, signIn } = context;
  const start = () => scene.send("/api/auth/providers/contoso/start");
  provider.down = true;
  const refused = await start();
  assert.equal([refused.status, refused.body.code], [503, "provider_unavailable"]);
  assert.match(refused.body.message, /^Contoso does not answer right now/);
  provider.down = false;
  assert.is((await signIn(PERSON)).status, 303);
});

test("refuses metadata of another issuer, and endpoints that are not https", async ({ scene, provider }) => {
  for (
    const changed of [
      { issuer: "https://evil.example" },
      { authorization_endpoint: "javascript:alert(1)" },
      { authorization_endpoint: "http://evil.example/" },
    ]
  ) {
    provider.rewrite = (_, body) => JSON.stringify({ ...JSON.parse(body), ...changed });
    assert.is((await scene.send("/api/auth/providers/contoso/start")).status, 503, JSON.stringify(changed));
  }
});

test("refuses an answer that is too large", async ({ scene, provider }) => {
  provider.rewrite = (_, body) => JSON.stringify({ ...JSON.parse(body), padding: "x".repeat(600_000) });
  assert.is((await scene.send("/api/auth/providers/contoso/start")).status, 503);
});

test("lets another replica finish the sign-in", async ({ openReplica, provider, openBrowser }) => {
  provider.person = PERSON;
  const replica = await openReplica();
  const browser = openBrowser(), path = await browser.reachCallback();
  assert.is((await browser.get(path, replica)).status, 303);
});

test("serves a provider whose announced issuer differs only to refuse it", async () => {
  const provider = await openTestSignInProvider({ redirectUris: [], announcedIssuer: "https://evil.example" });
  const { scene, close } = await openProviderScene({ settings: { issuer: provider.issuer } });
  assert.is((await scene.send("/api/auth/providers/contoso/start")).status, 503);
  await close();
  await provider.close();
});

test.run();
