import { suite } from "uvu";
import * as assert from "uvu/assert";
import { cloneDocument, findBreaks, type Json, loadCurrentDocument } from "#test/support/contract.ts";

const test = suite("compareCredentials, on the current document");

const PATH = "/api/version", USERS = "/api/users";
/** Two endpoints of the current document. Trying so many changes on all of them takes too long. */
const present = loadCurrentDocument().then(({ paths, ...others }) => ({
  ...others,
  paths: { [PATH]: paths[PATH], [USERS]: paths[USERS] },
}));

const SCOPES = ["public", "flow", "readonly", "provisioning", "cli", "session"];
const securityOf = (scope: string) =>
  scope === "public" || scope === "flow" ? [] : [...scope === "session" ? [] : [{ bearer: [scope] }], { session: [] }];

/** Returns the findings for an endpoint whose scope changes. */
async function between(scope: string, other: string): Promise<string> {
  const set = (to: string) => ({ paths }: Json) =>
    Object.assign(paths[PATH].get, { "x-scope": to, security: securityOf(to) });
  const found = findBreaks(cloneDocument(await present, set(scope)), set(other));
  assert.ok(found.every(({ kind, where }) => kind === "validation_tightened" && where === "credentials"));
  return found.map(({ message: messages }) => messages.replace("It can no longer be called with ", "")).join();
}

test("finds each scope that accepts fewer credentials than before", async () => {
  const found: string[] = [];
  for (const scope of SCOPES) {
    for (const other of SCOPES) {
      const gone = await between(scope, other);
      if (gone) found.push(`${scope}, ${other}: ${gone}`);
    }
  }
  const none = "no credential",
    [readonly, provisioning, cli] = ["readonly", "provisioning", "cli"].map((it) => `a ${it} token`);
  assert.equal(found, [
    `public, flow: ${readonly} or ${provisioning} or ${cli}`,
    `public, readonly: ${none}`,
    `public, provisioning: ${none} or ${readonly}`,
    `public, cli: ${none} or ${readonly} or ${provisioning}`,
    `public, session: ${none} or ${readonly} or ${provisioning} or ${cli}`,
    `flow, readonly: ${none}`,
    `flow, provisioning: ${none}`,
    `flow, cli: ${none}`,
    `flow, session: ${none}`,
    `readonly, flow: ${readonly} or ${provisioning} or ${cli}`,
    `readonly, provisioning: ${readonly}`,
    `readonly, cli: ${readonly} or ${provisioning}`,
    `readonly, session: ${readonly} or ${provisioning} or ${cli}`,
    `provisioning, flow: ${provisioning} or ${cli}`,
    `provisioning, cli: ${provisioning}`,
    `provisioning, session: ${provisioning} or ${cli}`,
    `cli, flow: ${cli}`,
    `cli, session: ${cli}`,
  ]);
});

/** Returns the findings for GET /api/users, which requires readonly. */
async function findings(change: (get: Json, document: Json) => void): Promise<readonly string[]> {
  return findBreaks(await present, (copy) => change(copy.paths[USERS].get, copy))
    .filter(({ operation }) => operation === "GET /api/users").map(({ message: messages }) => messages);
}

test("requires both parts of an announcement in the document", async () => {
  const tokens = "a readonly token or a provisioning token or a cli token";
  assert.equal(await findings((get) => get.security.pop()), ["It can no longer be called with a session"]);
  assert.equal(await findings((get) => get.security.shift()), [`It can no longer be called with ${tokens}`]);
  assert.equal(await findings((get) => get["x-scope"] = "session"), [`It can no longer be called with ${tokens}`]);
  assert.equal(await findings((get) => get.security[0].bearer = ["admin"]), [
    `It can no longer be called with ${tokens}`,
  ]);
  assert.equal(await findings((get) => get.security.push({})), []);
});

test("finds a credential that is sent differently", async () => {
  const messages = (name: string) => [`The credential \`${name}\` is now sent differently`];
  const change = (edit: (schemes: Json) => void) => findings((_, { components }) => edit(components.securitySchemes));
  assert.equal(await change(({ session }) => session.name = "other"), messages("session"));
  assert.equal(await change(({ bearer }) => bearer.scheme = "basic"), messages("bearer"));
  assert.equal(await change((schemes) => delete schemes.bearer), messages("bearer"));
  assert.equal(await change(({ bearer }) => bearer.description = "Other words"), []);
});

test("finds a narrower access rule where the order is known", async () => {
  const between = async (access: string, other: string) => {
    const set = (to: string) => ({ paths }: Json) => paths[PATH].get["x-access"] = to;
    return findBreaks(cloneDocument(await present, set(access)), set(other)).map(({ message: messages }) => messages)
      .join();
  };
  for (
    const [access, other] of [["anyone", "signed in"], ["signed in", "spoke: see"], ["spoke: see", "operator"]] as const
  ) {
    assert.is(await between(access, other), `Fewer may call it: the access was "${access}", is "${other}" now`);
    assert.is(await between(other, access), "");
  }
  assert.is(await between("federation: change", "federation: remove").then(Boolean), true);
  assert.is(await between("spoke: see", "spoke: act"), "");
});

test.run();
