/** Runs client.php with a real PHP, and a real OpenID Connect provider that registers clients (RFC 7591 and 7592). */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type IdentityProvider, INITIAL_ACCESS_TOKEN, openIdentityProvider } from "#test/support/identity-provider.ts";
import { missingPhpReason } from "#test/support/php.ts";
import {
  EMPTY,
  openSignOnScripts,
  type PhpSite,
  rowsOf,
  type SignOnScripts,
  SPOKE,
  type Tables,
} from "#test/lib/moodle/sign-on-scene.ts";

const test = suite<{ provider: IdentityProvider; other: IdentityProvider }>(
  `client.php${missingPhpReason === null ? "" : `: skipped, ${missingPhpReason}`}`,
);
const inPhp = missingPhpReason === null ? test : test.skip;
let scripts: SignOnScripts;

test.before(async () => {
  scripts = await openSignOnScripts();
});
test.before.each(async (context) => {
  context.provider = await openIdentityProvider();
  context.other = await openIdentityProvider();
});
test.after.each(async ({ provider, other }) => {
  await provider.close();
  await other.close();
});
test.after(() => scripts.close());

interface Options {
  readonly token?: string | null;
  readonly secret?: string | null;
  readonly spoke?: typeof SPOKE;
}

const argumentsOf = (
  values: object,
  { token = INITIAL_ACCESS_TOKEN, secret = null, spoke = SPOKE }: Options = {},
): unknown[] => [values, spoke, secret, token, null];

const share = (tables: Tables, values: object, options?: Options): Promise<PhpSite> =>
  scripts.call(tables, "seed_shared_sign_in", argumentsOf(values, options));

const MOVED = "https://oak.school.example/admin/oauth2callback.php";

/** Returns the ID and secret of the client that the site uses. */
function clientOf(site: Pick<PhpSite, "tables">): unknown[] {
  const [issuer] = rowsOf(site, "oauth2_issuer");
  return [issuer!["clientid"], issuer!["clientsecret"]];
}

inPhp("registers the site once, with its own secret and address", async ({ provider }) => {
  const site = await share(EMPTY, { issuer: provider.issuer });
  assert.equal(site.lines, ["single sign-on set"]);
  const [client, ...others] = await provider.registered();
  assert.equal(others, []);
  assert.equal(clientOf(site), [client!.clientId, client!.clientSecret]);
  assert.equal([client!.clientName, client!.redirectUris], ["ash.school.example", SPOKE.redirectUris]);
  const again = await share(site.tables, { issuer: provider.issuer });
  assert.equal([again.writes, again.tables], [0, site.tables]);
  assert.is((await provider.registered()).length, 1);
});

inPhp("changes the redirect addresses of the same client when the site moves", async ({ provider }) => {
  let site = await share(EMPTY, { issuer: provider.issuer });
  const before = clientOf(site);
  for (const redirectUris of [[MOVED, ...SPOKE.redirectUris], [MOVED]]) { // the provider renews the token each time
    site = await share(site.tables, { issuer: provider.issuer }, { spoke: { ...SPOKE, redirectUris } });
    assert.equal(site.lines, ["single sign-on set"]);
    assert.equal((await provider.registered()).map((client) => client.redirectUris), [redirectUris]);
  }
  assert.equal(clientOf(site), before);
});

inPhp("deletes the client when the sign-in is removed, and tries again if the provider fails", async ({ provider }) => {
  const site = await share(EMPTY, { issuer: provider.issuer });
  provider.beforeResponse = () => "fail";
  const failed = await share(site.tables, {});
  assert.is(failed.lines[0], "single sign-on removed");
  assert.match(
    failed.lines[1]!,
    /^left out: single sign-on: the provider has not deleted the client .+: it answers 503/,
  );
  provider.beforeResponse = () => "send";
  const removed = await share(failed.tables, {});
  assert.is(removed.lines.length, 2);
  assert.equal(await provider.registered(), []);
  const again = await share(removed.tables, {});
  assert.equal([again.lines, again.writes], [["single sign-on removed"], 0]);
  await share(again.tables, { issuer: provider.issuer });
  assert.is((await provider.registered()).length, 1);
});

inPhp("registers again when the provider no longer knows the client", async ({ provider }) => {
  const site = await share(EMPTY, { issuer: provider.issuer });
  await provider.forget(String(clientOf(site)[0]));
  const after = await share(site.tables, { issuer: provider.issuer });
  const [client] = await provider.registered();
  assert.equal(clientOf(after), [client!.clientId, client!.clientSecret]);
  assert.is.not(client!.clientId, clientOf(site)[0]);
});

inPhp("gives a copy its own client, and leaves the client of the original", async ({ provider }) => {
  const site = await share(EMPTY, { issuer: provider.issuer }), spoke = { id: "spo_2", redirectUris: [MOVED] };
  const unused = await share(site.tables, {}, { spoke });
  assert.equal(unused.lines, ["single sign-on removed"]);
  const copy = await share(site.tables, { issuer: provider.issuer }, { spoke });
  assert.is.not(clientOf(copy)[0], clientOf(site)[0]);
  assert.equal((await provider.registered()).map((client) => [client.clientId, client.redirectUris]), [
    [clientOf(site)[0], SPOKE.redirectUris],
    [clientOf(copy)[0], [MOVED]],
  ]);
});

inPhp("registers no second client after kill -9 at any write", async ({ provider }) => {
  const args = argumentsOf({ issuer: provider.issuer });
  let writes = 0;
  for (;; writes++) {
    const before = (await provider.registered()).length;
    const tables = await scripts.kill(EMPTY, "seed_shared_sign_in", args, writes + 1);
    if (tables === "not killed") break;
    const after = await share(tables, { issuer: provider.issuer });
    const clients = await provider.registered();
    assert.is(clients.length, before + 1, `killed after write ${writes + 1}`);
    assert.equal(clientOf(after), [clients.at(-1)!.clientId, clients.at(-1)!.clientSecret]);
  }
  assert.ok(writes > 5, `${writes}`);
});

inPhp("says that an unused client may exist if the provider's answer was lost", async ({ provider }) => {
  provider.beforeResponse = ({ method }) => method === "POST" ? "drop" : "send";
  const lost = await share(EMPTY, { issuer: provider.issuer });
  assert.match(lost.lines[0]!, "left out: single sign-on: the provider has not registered the site: no connection");
  assert.equal(rowsOf(lost, "oauth2_issuer"), []);
  provider.beforeResponse = () => "send";
  const site = await share(lost.tables, { issuer: provider.issuer });
  assert.match(site.lines[0]!, "the provider may have an unused client ash.school.example");
  assert.is((await provider.registered()).length, 2);
  assert.equal((await share(site.tables, { issuer: provider.issuer })).lines, ["single sign-on set"]);
});

inPhp("registers at a new provider, and deletes the client at the old one as soon as that answers", async (context) => {
  const { provider, other } = context, site = await share(EMPTY, { issuer: provider.issuer });
  provider.beforeResponse = () => "drop";
  const moved = await share(site.tables, { issuer: other.issuer });
  assert.is(moved.lines[0], "single sign-on set");
  assert.match(moved.lines[1]!, "left out: single sign-on: the provider has not deleted the client");
  assert.is((await other.registered())[0]!.clientId, clientOf(moved)[0]);
  provider.beforeResponse = () => "send";
  await share(moved.tables, { issuer: other.issuer });
  assert.equal([(await provider.registered()).length, (await other.registered()).length], [0, 1]);
});

inPhp("returns to the hub's client without a registration token", async ({ provider }) => {
  const site = await share(EMPTY, { issuer: provider.issuer });
  const options = { token: null, secret: "the client secret" };
  const shared = await share(site.tables, { issuer: provider.issuer, clientId: "moodle" }, options);
  assert.equal(clientOf(shared), ["moodle", "the client secret"]);
  assert.equal(await provider.registered(), []);
});

inPhp("leaves the site as it is if the provider refuses", async ({ provider }) => {
  const site = await share(EMPTY, { issuer: provider.issuer });
  const closed = await openIdentityProvider(undefined, false);
  const cases: [string, Options, RegExp][] = [
    [closed.issuer, {}, /the provider does not offer that sites register/],
    [
      provider.issuer,
      { spoke: { ...SPOKE, redirectUris: ["no address"] } },
      /not updated the site's client: it answers 400/,
    ],
  ];
  try {
    for (const [issuer, options, message] of cases) {
      const refused = await share(site.tables, { issuer }, options);
      assert.match(refused.lines[0]!, message);
      assert.equal(refused.tables, site.tables);
    }
    const wrong = await share(EMPTY, { issuer: provider.issuer }, { token: "another-token" });
    assert.match(wrong.lines[0]!, "the provider has not registered the site: it answers 401 invalid_token");
    assert.equal(rowsOf(wrong, "oauth2_issuer"), []);
    const check = async (registers: boolean) =>
      (await scripts.call(EMPTY, "check_provider", [closed.issuer, registers])).result;
    assert.is(await check(false), null);
    assert.match((await check(true))!, "registration_endpoint");
  } finally {
    await closed.close();
  }
});

test.run();
