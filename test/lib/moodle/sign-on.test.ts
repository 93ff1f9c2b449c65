/** Runs sign-on.php with a real PHP, stand-ins for Moodle's classes, and a real OpenID Connect provider. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type IdentityProvider, openIdentityProvider } from "#test/support/identity-provider.ts";
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
  `sign-on.php${missingPhpReason === null ? "" : `: skipped, ${missingPhpReason}`}`,
);
const inPhp = missingPhpReason === null ? test : test.skip;

test.before(async (context) => {
  context.provider = await openIdentityProvider();
  context.other = await openIdentityProvider("https://login.example");
  scripts = await openSignOnScripts();
});
test.after(async ({ provider, other }) => {
  await provider.close();
  await other.close();
  await scripts.close();
});

let scripts: SignOnScripts;
const SECRET = "the client secret";
const call: SignOnScripts["call"] = (...words) => scripts.call(...words);

const share = (tables: Tables, values: object, formerName: string | null = null, secret: string | null = SECRET) =>
  call(tables, "seed_shared_sign_in", [values, SPOKE, secret, null, formerName]);

inPhp(
  "sets up the service with the provider's own endpoints, and changes nothing when it runs again",
  async ({ provider }) => {
    const values = {
      issuer: provider.issuer,
      clientId: "moodle",
      label: "School",
      domains: ["school.test", "*.school.test"],
    };
    const site = await share(EMPTY, values);
    assert.equal(site.lines, ["single sign-on set"]);
    const [issuer] = rowsOf(site, "oauth2_issuer");
    assert.equal([issuer!["name"], issuer!["clientsecret"], issuer!["enabled"]], ["School", SECRET, 1]);
    assert.is(issuer!["alloweddomains"], "school.test, *.school.test");
    assert.equal(rowsOf(site, "oauth2_endpoint").map(({ name, url }) => [name, url]).sort(), [
      ["authorization_endpoint", `${provider.issuer}/auth`],
      ["token_endpoint", `${provider.issuer}/token`],
      ["userinfo_endpoint", `${provider.issuer}/me`],
    ]);
    const mappings = rowsOf(site, "oauth2_user_field_mapping");
    assert.is(mappings.find(({ internalfield }) => internalfield === "username")!["externalfield"], "sub");
    assert.is(site.tables["config"]!["auth"] as unknown, "oauth2");
    const again = await share(site.tables, values);
    assert.equal([again.writes, again.tables], [0, site.tables]);
  },
);

inPhp("leads from the login page to the provider, and leaves other values of that setting", async ({ provider }) => {
  const values = { issuer: provider.issuer, clientId: "moodle" }, others = "<meta name=a><script>b</script>";
  const head = (site: PhpSite) => site.tables["config"]!["additionalhtmlhead"] as unknown as string | undefined;
  const redirect = { ...values, loginPage: "redirect" };
  const site = await share({ config: { additionalhtmlhead: others as never } }, redirect);
  assert.ok(head(site)!.startsWith(`${others}<script id="wheelwright-login-page">`));
  assert.match(head(site)!, "get('id') === '1'");
  const again = await share(site.tables, redirect);
  assert.equal([again.writes, head(again)], [0, head(site)]);
  const edited = {
    ...site.tables,
    config: { ...site.tables["config"], additionalhtmlhead: `${head(site)}<p>` as never },
  };
  assert.is(head(await share(edited, values)), `${others}<p>`, "the button again");
  assert.is(head(await share(edited, { ...redirect, loginPage: "button" })), `${others}<p>`);
  assert.is(head(await share(site.tables, {})), others, "removed");
  const unreachable = await share(site.tables, { ...values, issuer: "https://localhost:1" });
  assert.is(head(unreachable), head(site), "the site keeps what it has");
});

inPhp("finds a renamed service by its ID, so that there is one button", async ({ provider }) => {
  const values = { issuer: provider.issuer, clientId: "moodle", label: "School" };
  const site = await share(EMPTY, values);
  const renamed = await share(site.tables, { ...values, label: "Staff", clientId: "another" });
  assert.equal(rowsOf(renamed, "oauth2_issuer").map(({ id, name, clientid }) => [id, name, clientid]), [
    [1, "Staff", "another"],
  ]);
});

inPhp("takes over the service that the hub's ConfigMap named", async ({ provider }) => {
  const before = await call(EMPTY, "seed_sign_on", ["Single sign-on"], {
    SEED_ISSUER_URL: provider.issuer,
    SEED_ISSUER_CLIENT_ID: "old",
    SEED_ISSUER_CLIENT_SECRET: "old secret",
  });
  assert.equal(before.lines, ["single sign-on set"]);
  const site = await share(
    before.tables,
    { issuer: provider.issuer, clientId: "new", label: "School" },
    "Single sign-on",
  );
  assert.equal(rowsOf(site, "oauth2_issuer").map(({ id, name, clientid }) => [id, name, clientid]), [[
    1,
    "School",
    "new",
  ]]);
});

inPhp("takes over a renamed service of the same client", async ({ provider }) => {
  const site = await share(EMPTY, { issuer: provider.issuer, clientId: "moodle" });
  const { config: _, ...tables } = site.tables;
  const after = await share({ ...tables, config: {} }, {
    issuer: provider.issuer,
    clientId: "moodle",
    label: "School",
  });
  assert.equal(rowsOf(after, "oauth2_issuer").map(({ id, name }) => [id, name]), [[1, "School"]]);
});

inPhp("renews the endpoints when the provider moves", async ({ provider }) => {
  const values = { issuer: provider.issuer, clientId: "moodle" }, site = await share(EMPTY, values);
  const moved = await openIdentityProvider();
  try {
    const after = await share(site.tables, { ...values, issuer: moved.issuer });
    assert.ok(rowsOf(after, "oauth2_endpoint").every(({ url }) => String(url).startsWith(moved.issuer)));
    assert.is(rowsOf(after, "oauth2_issuer").length, 1);
  } finally {
    await moved.close();
  }
});

inPhp("refuses a provider that it cannot use, and leaves the site as it is", async ({ provider, other }) => {
  const good = await share(EMPTY, { issuer: provider.issuer, clientId: "moodle" });
  const cases: [object, string | null, RegExp][] = [
    [
      { issuer: other.issuer, clientId: "moodle" },
      SECRET,
      /the provider has another issuer: "https:\/\/login.example"/,
    ],
    [{ issuer: "https://localhost:1", clientId: "moodle" }, SECRET, /cannot read https:\/\/localhost:1\/.well-known/],
    [{ issuer: provider.issuer, clientId: "moodle" }, null, /the client secret is missing/],
  ];
  for (const [values, secret, message] of cases) {
    const site = await share(good.tables, values, null, secret);
    assert.match(site.lines[0]!, /^left out: single sign-on: /);
    assert.match(site.lines[0]!, message);
    assert.equal(site.tables, good.tables);
  }
});

inPhp(
  "keeps every account usable when it is removed, and returns accounts to the provider afterwards",
  async ({ provider }) => {
    const values = { issuer: provider.issuer, clientId: "moodle" }, site = await share(EMPTY, values);
    const person = (auth: string, password: string, deleted = 0) => ({ auth, password, deleted });
    const tables = {
      ...site.tables,
      user: {
        2: person("oauth2", ""),
        3: person("manual", "a hash"),
        4: person("oauth2", "not cached"), // of another service
        5: person("oauth2", "not cached", 1),
      },
      auth_oauth2_linked_login: Object.fromEntries(
        [[2, 1], [3, 1], [4, 9], [5, 1]].map((
          [userid, issuerid],
          id,
        ) => [id, { userid: userid!, issuerid: issuerid! }]),
      ),
    };
    const removed = await share(tables, {});
    assert.equal(removed.lines, ["single sign-on removed"]);
    assert.is(rowsOf(removed, "oauth2_issuer")[0]!["enabled"], 0);
    const auths = (of: PhpSite) => rowsOf(of, "user").map(({ auth }) => auth);
    assert.equal(auths(removed), ["manual", "manual", "oauth2", "oauth2"]);
    const back = await share(removed.tables, values);
    assert.equal(auths(back), ["oauth2", "manual", "oauth2", "oauth2"]);
    assert.is(rowsOf(back, "oauth2_issuer")[0]!["enabled"], 1);
    const withPassword = { ...removed.tables, user: { ...removed.tables["user"], 2: person("manual", "a new hash") } };
    assert.equal(auths(await share(withPassword, values))[0], "manual", "the person has chosen a password");
  },
);

inPhp("checks a provider, and says why a site cannot use it", async ({ provider, other }) => {
  const check = async (issuer: string) => (await call(EMPTY, "check_provider", [issuer, true])).result;
  assert.is(await check(provider.issuer), null);
  assert.match((await check(other.issuer))!, "the provider has another issuer");
  assert.match((await check("https://localhost:1"))!, "openid-configuration: no connection");
  const site = await call(EMPTY, "check_keys_problem", [{ jwks_uri: "http://login.example/keys" }]);
  assert.is(site.result, "the provider publishes no https address as its jwks_uri");
  const noKeys = { jwks_uri: `${provider.issuer}/.well-known/openid-configuration` };
  assert.match((await call(EMPTY, "check_keys_problem", [noKeys])).result!, "contains no key");
});

test.run();
