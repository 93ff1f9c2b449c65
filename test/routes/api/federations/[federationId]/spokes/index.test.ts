import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildTxtRecordValue } from "#lib/domains/spokes/domain-verification.ts";
import { fieldsWith } from "#lib/model/field.ts";
import { spokeFields } from "#lib/model/spoke.ts";
import { type NameServer, openNameServer } from "#test/support/dns.ts";
import { openScene, type Scene } from "#test/support/scene.ts";

const test = suite<{ scene: Scene; names: NameServer }>("/api/federations/{id}/spokes");
test.before(async (context) => {
  const names = context.names = await openNameServer(), DNS_SERVERS = names.address;
  const env = { PUBLIC_URL: "https://hubs.example.org", ROOT_DOMAIN: "example.org", DNS_SERVERS };
  context.scene = await openScene({ env });
  for (const domain of ["elm.school.org", "far.example.com"]) {
    names.setAnswer(`_wheelwright.${domain}`, [[buildTxtRecordValue(context.scene.hub)]]);
  }
});
test.after(async ({ scene, names }) => {
  await scene.close();
  await names.close();
});

const FIELDS = [
  ...fieldsWith(spokeFields, "shown"),
  ...["formerDomains", "url", "moodleVersion", "from", "status", "operation", "createdAt", "updatedAt", "readyAt"],
  ...["observedAt", "lastFailedAt", "drift"],
];

test("POST answers 201 with the provisioning spoke, all fields and its location", async ({ scene }) => {
  const { status, headers, body } = await scene.as("hubAdmin", "provisioning").post("/api/federations/north/spokes", {
    federationId: "north",
    slug: "elm",
    displayName: "Élm – “the” school\n😀",
    domain: "Elm.School.ORG",
    size: "small",
    identity: true,
    content: true,
    contentMode: "copy",
    brand: "ocean",
    adminEmail: "Head@School.org",
    region: "eu",
    lmsVersion: "4.5.10",
    moodleVersion: "4.5.10",
    seed: "demo",
  });
  assert.is(status, 201);
  assert.is(headers.get("location"), `/api/spokes/${body.id}`);
  assert.equal(Object.keys(body), FIELDS);
  assert.equal([body.domain, body.adminEmail, body.lmsVersion, body.moodleVersion, body.displayName, body.identity], [
    "elm.school.org",
    "head@school.org",
    "4.5.10",
    "4.5.10",
    "Élm – “the” school\n😀",
    true,
  ]);
  assert.equal([body.state, body.status, body.readyAt, body.drift], ["provisioning", "provisioning", null, null]);
  assert.equal([body.operation.kind, body.operation.state, body.operation.step], ["provision", "queued", 0]);
  assert.ok(body.operation.of > 5);
  const read = await scene.as("hubAdmin", "cli").get(headers.get("location")!);
  assert.equal(read.body, body);
});

test("POST treats null as absent, and uses the caller's address for the administrator", async ({ scene }) => {
  const nothing = Object.fromEntries(
    ["federationId", "displayName", "domain", "size", "identity", "content", "contentMode", "brand", "adminEmail"]
      .concat(["region", "lmsVersion", "moodleVersion", "seed"]).map((field) => [field, null]),
  );
  const input = { slug: "nulls", ...nothing };
  const { status, body } = await scene.as("hubAdmin", "cli").post(`/api/federations/${scene.hub}/spokes`, input);
  assert.equal([status, body.displayName, body.domain, body.size, body.adminEmail, body.identity], [
    201,
    "nulls",
    "nulls.example.org",
    "medium",
    scene.people.hubAdmin.email,
    false,
  ]);
});

test("POST is 400 and names an invalid field", async ({ scene }) => {
  const cases: [Record<string, unknown>, RegExp][] = [
    [{ slug: undefined }, /slug must be/],
    [{ slug: "UPPER" }, /slug must be/],
    [{ slug: "-a" }, /slug must be/],
    [{ slug: "a\u0000" }, /slug must be/],
    [{ federationId: "south" }, /federationId must be the id or slug of the hub/],
    [{ displayName: "" }, /displayName must be/],
    [{ displayName: "\ud800" }, /displayName must be/],
    [{ displayName: "bell\u0007" }, /displayName must be/],
    [{ domain: "no_host.example" }, /domain must be/],
    [{ domain: "single" }, /domain must be/],
    [{ domain: "10.0.0.1" }, /domain must be/],
    [{ domain: "a".repeat(64) + ".org" }, /domain must be/],
    [{ domain: "example.org" }, /domain cannot be used for a spoke/],
    [{ domain: "HUBS.example.org" }, /domain cannot be used for a spoke/],
    [{ size: "huge" }, /size must be one of small, medium, large/],
    [{ size: "__proto__" }, /size must be one of small, medium, large/],
    [{ identity: "yes" }, /identity must be true or false/],
    [{ content: 1 }, /content must be true or false/],
    [{ contentMode: "" }, /contentMode must be/],
    [{ brand: "x".repeat(101) }, /brand must be/],
    [{ adminEmail: "nobody" }, /adminEmail must be an email address/],
    [{ lmsVersion: "latest" }, /lmsVersion must be a version/],
    [{ lmsVersion: "4.5;reboot" }, /lmsVersion must be a version/],
    [{ moodleVersion: 4.5 }, /moodleVersion must be a version/],
    [{ lmsVersion: "4.5.12", moodleVersion: "5.2.2" }, /lmsVersion and moodleVersion/],
    [{ seed: {} }, /seed must be/],
  ];
  for (const [input, message] of cases) {
    const request = { slug: "fine", ...input };
    const { status, body } = await scene.as("operator", "cli").post("/api/federations/north/spokes", request);
    assert.is(status, 400, JSON.stringify(input));
    assert.match(body.message, message);
  }
  const { body } = await scene.as("operator", "cli").post("/api/federations/north/spokes", { slug: 1, size: 2 });
  assert.match(body.message, /slug must be.*size must be/);
});

test("POST derives no reserved default domain", async ({ scene }) => {
  const { status, body } = await scene.as("operator", "cli").post("/api/federations/north/spokes", { slug: "hubs" });
  assert.equal([status, body.domain], [201, "hubs-north.example.org"]);
});

test("POST is 409 for a slug or domain that is taken", async ({ scene }) => {
  const admin = scene.as("hubAdmin", "cli");
  assert.is((await admin.post("/api/federations/north/spokes", { slug: "oak" })).status, 409);
  const { body: hub } = await scene.as("operator", "cli").post("/api/federations", { slug: "private" });
  const far = { slug: "far", domain: "far.example.com" };
  assert.is((await scene.as("operator", "cli").post("/api/federations/private/spokes", far)).status, 201);
  const { status, body } = await admin.post("/api/federations/north/spokes", {
    slug: "near",
    domain: "far.example.com",
  });
  assert.equal([status, body.error], [409, "Conflict"]);
  assert.match(body.message, "is in use");
  assert.not.match(body.message, "private");
  assert.not.match(body.message, hub.id);
});

test("POST is 409 for an unverified domain, also with dryRun, and names the record", async ({ scene }) => {
  for (const query of ["", "?dryRun=true"]) {
    const input = { slug: "unverified", domain: "ash.school.example" };
    const { status, body } = await scene.as("hubAdmin", "cli").post(`/api/federations/north/spokes${query}`, input);
    assert.is(status, 409);
    assert.match(body.message, `_wheelwright.ash.school.example to ${buildTxtRecordValue(scene.hub)}`);
  }
});

test("POST is 403 for a spoke admin and a readonly token, 404 for users who cannot see the hub", async ({ scene }) => {
  const path = "/api/federations/north/spokes";
  assert.is((await scene.as("spokeAdmin", "cli").post(path, { slug: "mine" })).status, 403);
  assert.is((await scene.as("hubAdmin", "readonly").post(path, { slug: "mine" })).status, 403);
  assert.is((await scene.as("stranger", "cli").post(path, { slug: "mine" })).status, 404);
  assert.is((await scene.as("hubAdmin", "cli").post("/api/federations/private/spokes", { slug: "mine" })).status, 404);
});

test("POST with an Idempotency-Key creates one spoke", async ({ scene }) => {
  const headers = { "idempotency-key": "one-spoke" };
  const send = () => scene.as("hubAdmin", "cli").post("/api/federations/north/spokes", { slug: "sole" }, headers);
  const all = await Promise.all([send(), send(), send(), send()]);
  assert.equal(all.map(({ status }) => status), [201, 201, 201, 201]);
  assert.is(new Set(all.map(({ body }) => JSON.stringify(body))).size, 1);
});

test("POST with dryRun returns a preview and writes nothing", async ({ scene }) => {
  const count = async () =>
    (await scene.db.sql(
      `select (select count(*) from spokes) + (select count(*) from jobs) + (select count(*) from audit_events)
        + (select count(*) from stream_events) + (select count(*) from idempotency_keys) as rows`,
    ))[0].rows;
  const before = await count();
  const { status, headers, body } = await scene.as("hubAdmin", "provisioning").post(
    "/api/federations/north/spokes?dryRun=true",
    { slug: "dry", size: "small" },
    { "idempotency-key": "dry" },
  );
  assert.equal([status, headers.get("location"), body.dryRun], [200, null, true]);
  assert.equal([body.spoke.slug, body.spoke.domain, body.spoke.size], ["dry", "dry.example.org", "small"]);
  const kinds = new Set(body.objects.map((object: { kind: string }) => object.kind));
  for (const kind of ["Namespace", "ResourceQuota", "Deployment", "StatefulSet", "Ingress"]) {
    assert.ok(kinds.has(kind), kind);
  }
  assert.not.match(JSON.stringify(body.objects), 'PASSWORD":');
  assert.equal([body.quota.over, body.price], [[], { available: false }]);
  assert.ok(body.quota.demand.limits.memory);
  assert.is(await count(), before);
});

test("POST with dryRun refuses what a creation refuses", async ({ scene }) => {
  const path = "/api/federations/north/spokes?dryRun=true";
  assert.is((await scene.as("hubAdmin", "cli").post(path, { slug: "oak" })).status, 409);
  assert.is((await scene.as("hubAdmin", "cli").post(path, { slug: "dry", domain: "far.example.com" })).status, 409);
  assert.is((await scene.as("hubAdmin", "cli").post(path, { slug: "dry", size: "huge" })).status, 400);
  assert.is((await scene.as("spokeAdmin", "cli").post(path, { slug: "dry" })).status, 403);
  assert.is(
    (await scene.as("hubAdmin", "cli").post("/api/federations/north/spokes?dryRun=perhaps", { slug: "dry" })).status,
    400,
  );
});

test("GET lists the hub's spokes that the caller can see, newest first", async ({ scene }) => {
  const list = async (who: "operator" | "hubAdmin" | "spokeAdmin", query = "") =>
    (await scene.as(who, "readonly").get(`/api/federations/north/spokes${query}`)).body;
  const all = await list("hubAdmin");
  assert.equal(all.map((spoke: { slug: string }) => spoke.slug), ["sole", "hubs", "nulls", "elm", "oak"]);
  assert.equal(await list("operator"), all);
  assert.equal((await list("spokeAdmin")).map((spoke: { id: string }) => spoke.id), [scene.spoke]);
  assert.equal((await list("hubAdmin", "?limit=2")).map((spoke: { slug: string }) => spoke.slug), ["sole", "hubs"]);
  const rest = await list("hubAdmin", `?before=${Date.parse(all[1].createdAt)}`);
  assert.equal(rest.map((spoke: { slug: string }) => spoke.slug), ["nulls", "elm", "oak"]);
  assert.is((await scene.as("stranger", "cli").get("/api/federations/north/spokes")).status, 404);
});

test("GET filters within the hub", async ({ scene }) => {
  const find = async (query: string) => {
    const { status, body } = await scene.as("hubAdmin", "cli").get(`/api/federations/north/spokes?${query}`);
    return [status, ...body.map((spoke: { slug: string }) => spoke.slug)];
  };
  assert.equal(await find("q=LM&state=provisioning"), [200, "elm"]);
  assert.equal(await find("slug=oak&health=unknown"), [200, "oak"]);
  assert.equal(await find("slug=oak&state=suspended"), [200]);
});

test("GET shows the queue position of each spoke", async ({ scene }) => {
  const { body } = await scene.as("hubAdmin", "cli").get("/api/federations/north/spokes");
  const positions = body.filter((spoke: { operation: unknown }) => spoke.operation)
    .map((spoke: { operation: { position: number } }) => spoke.operation.position);
  assert.equal(positions, [4, 3, 2, 1]);
});

test.run();
