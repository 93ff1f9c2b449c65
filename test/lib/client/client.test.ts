import { inspect } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { connect, WheelwrightError } from "#lib/client/client.ts";
import { ENDPOINTS } from "#lib/client/endpoints.ts";
import { buildOpenApiDocument } from "#lib/reference/openapi.ts";
import { withoutPortal } from "#lib/http/endpoint.ts";
import { manifest } from "#src/manifest.ts";
import { readProgramRelease } from "#src/release.ts";
import { answer, openPuppet, openStage, refused, type Stage } from "#test/lib/client/stage.ts";
import { PASSWORD } from "#test/support/users.ts";

const test = suite<{ stage: Stage }>("connect");

test.before(async (context) => void (context.stage = await openStage()));
test.after(({ stage }) => stage.close());

test("has a function for every endpoint, except pages, named as in the reference", () => {
  const { paths } = buildOpenApiDocument(withoutPortal(manifest), readProgramRelease()) as unknown as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const others = [
    ...["goToReference", "showReference", "receiveBillingEvent"],
    ...["getProviderStart", "getProviderCallback", "getProviderEnd"],
  ];
  const named = Object.entries(paths).filter(([path]) => path.startsWith("/api"))
    .flatMap(([, methods]) => Object.values(methods).map(({ operationId }) => operationId));
  assert.equal(Object.keys(ENDPOINTS).sort(), named.filter((name) => !others.includes(name)).sort());
  const client = connect({ url: "http://localhost:1" });
  assert.equal(Object.keys(ENDPOINTS).filter((name) => !(name in client)), []);
});

test("creates, reads, changes and deletes", async ({ stage }) => {
  const client = await stage.as("hubAdmin");
  const made = await client.createFederationSpoke({ federationId: "north" }, { slug: "ash", size: "small" });
  assert.equal([made.slug, made.state, made.operation?.kind], ["ash", "provisioning", "provision"]);
  const spoke = await client.getSpoke({ spokeId: made.domain });
  assert.is(spoke.id, made.id);
  const preview = await client.createFederationSpoke({ federationId: "north", dryRun: true }, { slug: "birch" });
  assert.is(preview.dryRun, true);
  assert.is((await client.updateFederation({ federationId: "north" }, { name: "North" })).name, "North");
  assert.is((await client.deleteSpoke({ spokeId: made.id })).state, "removing");
  assert.match(await client.getChangelogFeed(), "<feed");
  assert.is((await client.getVersion()).api, "v0");
});

test("resolves with undefined for an empty response", async ({ stage }) => {
  const client = await stage.as("stranger"), [token] = await client.listTokens();
  assert.is(await client.deleteToken({ tokenId: token!.id }), undefined);
  assert.is((await refused(client.getMe())).statusCode, 401);
});

test("keeps the session of login if there is no token", async ({ stage }) => {
  const client = stage.stranger();
  assert.is((await refused(client.getMe())).code, "sign_in_required");
  await client.login({ email: stage.scene.people.operator.email, password: PASSWORD });
  const { token } = await client.createToken({ name: "laptop", scope: "readonly" });
  assert.is((await stage.stranger({ token }).getMe()).user.role, "operator");
  await client.logout({ maxAttempts: 1 });
  assert.is((await refused(client.getMe())).statusCode, 401);
});

test("rejects with status, code, message and request ID", async ({ stage }) => {
  const client = await stage.as("hubAdmin");
  const error = await refused(client.createFederationSpoke({ federationId: "north" }, { slug: "North!" }));
  assert.ok(error instanceof WheelwrightError);
  assert.equal([error.name, error.statusCode, error.code], ["WheelwrightError", 400, "invalid_input"]);
  assert.match(error.message, /slug must be/);
  assert.match(error.requestId!, /^req_/);
  assert.is(error.retryAfter, null);
});

test("never includes the token in an error", async ({ stage }) => {
  const token = "ww_cli_verysecret", client = stage.stranger({ token, maxAttempts: 1 });
  const away = connect({ url: "http://127.0.0.1:1", token, maxAttempts: 1 });
  const bad = () => connect({ url: stage.proxy.url, token: `${token}\nsecond line` });
  assert.throws(bad, (error: WheelwrightError) => error.code === "invalid_call" && !inspect(error).includes(token));
  for (const error of [await refused(client.getMe()), await refused(away.getMe())]) {
    assert.not.ok(inspect(error, { depth: 9 }).includes("verysecret"), inspect(error));
  }
  assert.not.ok(inspect(client, { depth: 9, showHidden: true }).includes("verysecret"));
});

test("refuses an invalid URL and one with a password, without quoting it", () => {
  for (const url of ["wheelwright.example", "ftp://example.org", "https://ada:secret@example.org"]) {
    assert.throws(() => connect({ url }), (error: Error) => !error.message.includes("secret"));
  }
  assert.is(connect({ url: "https://example.org/" }).url, "https://example.org");
  assert.is(connect({ url: "https://example.org/wheel/api/" }).url, "https://example.org/wheel");
});

test("rejects parameters that would change the path", async ({ stage }) => {
  const client = await stage.as("operator");
  for (const spokeId of ["", ".", ".."]) {
    assert.is((await refused(client.getSpoke({ spokeId }))).code, "invalid_call");
  }
  assert.is((await refused(client.getSpoke({ spokeId: "x/../../users" }))).code, "spoke_missing");
});

test("keeps unknown fields of a newer server", async () => {
  const puppet = await openPuppet([answer("200 OK", '{"api": "v0", "commit": "x", "mood": "good"}')]);
  const version = await connect({ url: puppet.url }).getVersion();
  assert.equal(version, { api: "v0", commit: "x", mood: "good" } as object);
  await puppet.close();
});

test("names the endpoint that an older server lacks, and the server's version", async () => {
  const stage = await openStage(manifest.filter(([pattern]) => pattern !== "/api/overview"));
  const error = await refused((await stage.as("operator")).getOverview());
  assert.equal([error.statusCode, error.code], [404, "no_route"]);
  assert.match(
    error.message,
    /^The server at http:\/\/127\.0\.0\.1:\d+ \(API v0, commit \w+\) does not support GET \/api\/overview$/,
  );
  await stage.close();
});

test("calls endpoints that it does not know", async ({ stage }) => {
  const client = await stage.as("operator");
  const found = await client.request({ method: "GET", path: "/api/federations", query: { slug: "north" } });
  assert.is((found as { slug: string }[])[0]!.slug, "north");
  const request = { method: "POST", path: "/api/federations", body: { slug: "south" } };
  const [one, other] = [
    await client.request(request, { idempotencyKey: "k" }),
    await client.request(request, {
      idempotencyKey: "k",
    }),
  ];
  assert.equal(one, other);
});

test("rejects a response that is not from Wheelwright", async () => {
  const page = "<html>Welcome to the hotel</html>";
  const puppet = await openPuppet([
    answer("200 OK", page),
    answer("404 Not Found", page),
    answer("302 Found", "", ["location: https://other.example/"]),
  ]);
  const client = connect({ url: puppet.url, token: "ww_cli_x" });
  assert.equal([await refused(client.getMe())].map(({ code, statusCode }) => [code, statusCode]), [[
    "unexpected_answer",
    200,
  ]]);
  assert.is((await refused(client.getMe())).code, "unexpected_answer");
  const moved = await refused(client.getMe());
  assert.is(moved.code, "redirected");
  assert.match(moved.message, "https://other.example/");
  await puppet.close();
});

test.run();
