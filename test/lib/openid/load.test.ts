import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigError } from "#lib/base/config.ts";
import { loadSignInProviders, parseProviders } from "#lib/openid/load.ts";

const test = suite<{ directory: string }>("loadSignInProviders");

test.before(async (context) => {
  context.directory = await mkdtemp(join(tmpdir(), "wheelwright-test-"));
});
test.after(({ directory }) => rm(directory, { recursive: true, force: true }));

const GOOD = { id: "contoso", label: "Contoso", issuer: "https://login.contoso.example", clientId: "wheelwright" };

const problemsOf = (entries: unknown): readonly string[] => {
  try {
    parseProviders(JSON.stringify(entries));
    return [];
  } catch (error) {
    assert.instance(error, ConfigError);
    return (error as ConfigError).problems;
  }
};

test("reads providers from YAML, with defaults and a secret from a file", async ({ directory }) => {
  const secret = join(directory, "secret"), file = join(directory, "providers.yaml");
  await writeFile(secret, "the secret\n");
  await writeFile(
    file,
    `
- id: contoso
  label: Contoso
  issuer: https://login.contoso.example
  clientId: wheelwright
  clientSecretFile: ${secret}
  emailDomains: [Contoso.example]
  roles:
    wheelwright-operators: operator
    "hub-*": { hubAdmin: "*" }
`,
  );
  assert.equal(await loadSignInProviders(file), [{
    ...GOOD,
    clientSecret: "the secret",
    scopes: ["openid", "email", "profile"],
    emailDomains: ["contoso.example"],
    rolesFrom: "groups",
    roles: { "wheelwright-operators": "operator", "hub-*": { hubAdmin: "*" } },
    signUp: false,
  }]);
  assert.equal(await loadSignInProviders(null), []);
});

test("names each invalid field, never its value", () => {
  const secret = "do not show me";
  const cases: readonly (readonly [object, string])[] = [
    [{ id: "Contoso" }, "0.id must be 1 to 40 lower-case letters, digits or hyphens"],
    [{ issuer: "http://login.contoso.example" }, "0.issuer must be an https URL"],
    [{ issuer: "https://a:b@login.contoso.example" }, "0.issuer must be an https URL"],
    [{ issuer: "https://login.contoso.example?x=1" }, "0.issuer must be an https URL"],
    [{ issuer: "http://127.0.0.1.evil.example" }, "0.issuer must be an https URL"],
    [{ clientId: "" }, "0.clientId must be text of 1 to 500 characters"],
    [{ clientSecret: secret, clientSecretFile: "/x" }, "0.clientSecret and clientSecretFile are both set"],
    [{ clientSecert: secret }, "0.clientSecert is an unknown field"],
    [{ scopes: ["email"] }, "0.scopes must include openid"],
    [{ emailDomains: [] }, "0.emailDomains must not be empty"],
    [{ emailDomains: ["@contoso.example"] }, "0.emailDomains.0 must be a host name"],
    [{ roles: { admins: "admin" } }, "0.roles.admins must be operator or {hubAdmin: SLUG}"],
    [{ roles: { "*-x": "operator" } }, "0.roles.*-x may have an asterisk only at the end"],
    [{ roles: { north: { hubAdmin: "*" } } }, "0.roles may use the slug *"],
    [{ signUp: "yes" }, "0.signUp must be true or false"],
  ];
  for (const [change, problem] of cases) {
    const problems = problemsOf([{ ...GOOD, ...change }]).join("\n");
    assert.ok(problems.startsWith(`SIGN_IN_PROVIDERS: ${problem}`), `${JSON.stringify(change)}: ${problems}`);
    assert.not.match(problems, secret);
  }
  assert.match(problemsOf([GOOD, GOOD]).join("\n"), "has an id twice");
  assert.match(problemsOf([]).join("\n"), "must list a provider");
  assert.match(problemsOf({ providers: [] }).join("\n"), "must be a list of providers");
});

test("allows plain http only for this machine", () => {
  for (const host of ["localhost:3001", "127.0.0.1:3001", "[::1]:3001", "login.localhost"]) {
    assert.equal(problemsOf([{ ...GOOD, issuer: `http://${host}` }]), []);
  }
});

test("reports a missing or empty secret file, and a missing file of providers", async ({ directory }) => {
  const empty = join(directory, "empty"), file = join(directory, "secrets.json");
  await writeFile(empty, "\n");
  for (const [path, problem] of [[empty, "empty file"], [join(directory, "none"), "no such file"]] as const) {
    await writeFile(file, JSON.stringify([{ ...GOOD, clientSecretFile: path }]));
    const error = await loadSignInProviders(file).catch((error) => error);
    assert.instance(error, ConfigError);
    assert.match(error.message, `SIGN_IN_PROVIDERS: 0.clientSecretFile points to a`);
    assert.match(error.message, problem);
  }
  assert.instance(await loadSignInProviders(join(directory, "none")).catch((error) => error), ConfigError);
});

test.run();
