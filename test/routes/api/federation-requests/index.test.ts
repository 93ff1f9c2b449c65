import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createTestSession, createTestUser } from "#test/support/users.ts";
import { nextPage } from "#test/support/next-page.ts";
import { type Caller, openScene, type Scene } from "#test/support/scene.ts";
import { NOW, selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("/api/federation-requests");
test.before(async (context) => {
  context.scene = await openScene();
});
test.after(({ scene }) => scene.close());

const PATH = "/api/federation-requests";

/** Creates a user for this test only. */
async function somebody(scene: Scene, name: string, verified = true): Promise<Pick<Caller, "get" | "post">> {
  const person = await createTestUser(scene.db, name, { verified });
  const cookie = `wheelwright=${(await createTestSession(scene.db, person)).secret}`;
  const json = { cookie, "content-type": "application/json" };
  return {
    get: (path) => scene.send(path, { headers: { cookie } }),
    post: (path, body, headers = {}) =>
      scene.send(path, { method: "POST", headers: { ...json, ...headers }, body: JSON.stringify(body) }),
  };
}

test("POST answers 201 with the request and its location", async ({ scene }) => {
  const values = { slug: "south", name: "The South", region: "eu", mode: "open", tier: "gold", reason: "12 schools\n" };
  const { status, headers, body } = await scene.as("stranger", "cli").post(PATH, values);
  assert.is(status, 201);
  assert.is(headers.get("location"), `${PATH}/${body.id}`);
  const { id, createdAt, ...rest } = body;
  assert.match(id, /^frq_/);
  assert.match(createdAt, /\.\d{3}Z$/);
  const { email } = scene.people.stranger;
  assert.equal(rest, {
    ...values,
    state: "pending",
    requestedBy: { id: scene.people.stranger.id, email },
    decidedBy: null,
    decidedAt: null,
    rejectReason: null,
    federationId: null,
  });
  assert.equal((await scene.as("stranger").get(headers.get("location")!)).body, body);
  const [audit] = await selectRows(scene.db, "audit_events", { objectId: id });
  assert.equal([audit.kind, audit.objectType, audit.federationId, audit.metadata.slug, audit.customerVisible], [
    "federation_requested",
    "federation_request",
    null,
    "south",
    true,
  ]);
});

test("POST requires only a slug, and treats null as absent", async ({ scene }) => {
  const { status, body } = await scene.as("spokeAdmin").post(PATH, { slug: "bare", name: null, reason: null });
  assert.equal([status, body.name, body.reason, body.tier], [201, "bare", null, null]);
});

test("POST is 409 for the slug of a hub or pending request, but not of a closed one", async ({ scene }) => {
  const ada = await somebody(scene, "slug-ada"), bob = await somebody(scene, "slug-bob");
  const taken = await ada.post(PATH, { slug: "north" });
  assert.equal([taken.status, taken.body.error], [409, "Conflict"]);
  assert.match(taken.body.message, "north is taken by another hub");
  const all = await Promise.all([ada, bob, ada, bob].map((who) => who.post(PATH, { slug: "contested" })));
  assert.equal(all.map(({ status }) => status).sort(), [201, 409, 409, 409]);
  assert.match(
    all.find(({ status }) => status === 409)!.body.message,
    "contested is taken by a requested hub",
  );
  const { body: { id } } = all.find(({ status }) => status === 201)!;
  assert.is((await scene.as("operator").post(`${PATH}/${id}/reject`, { reason: "no" })).status, 200);
  assert.is((await bob.post(PATH, { slug: "contested" })).status, 201);
});

test("POST accepts ten pending requests of a user, also simultaneously", async ({ scene }) => {
  const eve = await somebody(scene, "eve");
  const all = await Promise.all(Array.from({ length: 14 }, (_, i) => eve.post(PATH, { slug: `eve-${i}` })));
  assert.equal(all.map(({ status }) => status).sort(), [...Array(10).fill(201), 409, 409, 409, 409]);
  assert.match(all.find(({ status }) => status === 409)!.body.message, "10 pending hub requests");
  const { body: { id } } = all.find(({ status }) => status === 201)!;
  await scene.as("operator").post(`${PATH}/${id}/reject`, { reason: "no" });
  assert.is((await eve.post(PATH, { slug: "eve-again" })).status, 201);
});

test("POST refuses a user with ten withdrawn requests in an hour", async ({ scene }) => {
  const fay = await somebody(scene, "fay");
  const { id } = (await selectRows(scene.db, "users", { email: "fay@example.org" }, { columns: ["id"] }))[0];
  await scene.db.sql(
    `insert into federation_requests (id, slug, name, requested_by, state, decided_by, decided_at, created_at)
     select 'frq_fay' || i, 'fay-' || i, 'fay', $1, 'withdrawn', $1, now(), now() - case when i = 0 then interval '2 hours'
       else interval '1 minute' end from generate_series(0, 9) as i`,
    [id],
  );
  assert.is((await fay.post(PATH, { slug: "fay-next" })).status, 201);
  await scene.db.sql(
    "update federation_requests set state = 'withdrawn', decided_by = $1, decided_at = now() where slug = 'fay-next'",
    [id],
  );
  const refused = await fay.post(PATH, { slug: "fay-more" });
  assert.equal([refused.status, refused.body.message], [
    409,
    "You withdrew 10 hub requests within the last hour; try again later",
  ]);
});

test("POST notifies every operator, and emails them once an hour per requester", async ({ scene }) => {
  const other = await createTestUser(scene.db, "second-operator", { operator: true });
  await createTestUser(scene.db, "former-operator", { operator: true, disabled: true });
  await createTestUser(scene.db, "unverified-operator", { operator: true, verified: false });
  const gil = await somebody(scene, "gil");
  const unread = async () => (await scene.as("operator").get("/api/notifications/unread-count")).body.count;
  const before = await unread();
  const { body: { id } } = await gil.post(PATH, { slug: "gils", name: "Gil's" });
  await gil.post(PATH, { slug: "gils-second" });
  assert.is(await unread(), before + 2);
  const [newest] = (await scene.as("operator").get("/api/notifications?limit=1")).body;
  assert.equal([newest.kind, newest.metadata.slug], ["federation_requested", "gils-second"]);
  assert.is((await gil.get("/api/notifications/unread-count")).body.count, 0);
  const mails = await scene.db.sql(
    "select payload from jobs where lane like 'bulk-mail:%' and payload::text like '%gils%'",
  );
  assert.equal(
    mails.map(({ payload: { letter } }) => [letter.to.email, letter.about]).sort(),
    [
      [scene.people.operator.email, { id, by: "gil@example.org", hub: "Gil's", slug: "gils" }],
      [other.email, { id, by: "gil@example.org", hub: "Gil's", slug: "gils" }],
    ].sort(),
  );
});

test("POST with an Idempotency-Key creates one request", async ({ scene }) => {
  const ida = await somebody(scene, "ida"), headers = { "idempotency-key": "ask" };
  const all = await Promise.all(Array.from({ length: 5 }, () => ida.post(PATH, { slug: "single" }, headers)));
  assert.equal(all.map(({ status }) => status), [201, 201, 201, 201, 201]);
  assert.is(new Set(all.map(({ body }) => JSON.stringify(body))).size, 1);
  assert.is((await ida.post(PATH, { slug: "other" }, headers)).status, 422);
});

test("POST is 403 for an unverified address", async ({ scene }) => {
  const una = await somebody(scene, "una", false);
  const { status, body } = await una.post(PATH, { slug: "unverified" });
  assert.is(status, 403);
  assert.match(body.message, "Verify your email address first");
  assert.equal((await una.get(PATH)).body, []);
});

test("POST is 400 and names an invalid field", async ({ scene }) => {
  const cases: [unknown, RegExp][] = [
    [{}, /slug must be/],
    [{ slug: "Has Spaces" }, /slug must be/],
    [{ slug: "fine", name: "" }, /name must be/],
    [{ slug: "fine", tier: ["gold"] }, /tier must be/],
    [{ slug: "fine", reason: "" }, /reason must be/],
    [{ slug: "fine", reason: "x".repeat(2001) }, /reason must be/],
    [{ slug: "fine", reason: "nul\u0000" }, /reason must be/],
  ];
  for (const [input, message] of cases) {
    const { status, body } = await scene.as("stranger").post(PATH, input);
    assert.is(status, 400, JSON.stringify(input));
    assert.match(body.message, message);
  }
});

test("POST refuses narrower tokens and anonymous callers", async ({ scene }) => {
  assert.is((await scene.as("stranger", "provisioning").post(PATH, { slug: "mine" })).status, 403);
  assert.is((await scene.as("stranger", "readonly").post(PATH, { slug: "mine" })).status, 403);
  assert.is((await scene.as("nobody").post(PATH, { slug: "mine" })).status, 401);
});

test("GET shows users their own requests, and operators all", async ({ scene }) => {
  const ann = await somebody(scene, "list-ann"), ben = await somebody(scene, "list-ben");
  const { body: { id } } = await ann.post(PATH, { slug: "list-ann" });
  await ben.post(PATH, { slug: "list-ben" });
  assert.equal((await ann.get(PATH)).body.map((each: { slug: string }) => each.slug), ["list-ann"]);
  const all = (await scene.as("operator", "readonly").get(`${PATH}?limit=100`)).body;
  assert.ok(["list-ann", "list-ben"].every((slug) => all.some((each: { slug: string }) => each.slug === slug)));
  // Neither hub admins nor other requesters see foreign requests.
  const hidden = await ben.get(`${PATH}/${id}`);
  assert.is(hidden.status, 404);
  assert.equal((await scene.as("hubAdmin").get(`${PATH}/${id}`)).body, hidden.body);
  assert.is((await scene.as("operator").get(`${PATH}/${id}`)).body.slug, "list-ann");
  for (const name of ["frq_", "x".repeat(3000), "__proto__", scene.hub]) {
    assert.is((await scene.as("operator").get(`${PATH}/${name}`)).status, 404, name);
  }
});

test("GET filters by state, and names the valid ones", async ({ scene }) => {
  const flo = await somebody(scene, "flo");
  const ids: string[] = [];
  for (const slug of ["flo-1", "flo-2", "flo-3"]) ids.push((await flo.post(PATH, { slug })).body.id);
  await scene.as("operator").post(`${PATH}/${ids[0]}/reject`, { reason: "no" });
  const slugs = async (query: string) =>
    (await flo.get(PATH + query)).body.map((each: { slug: string }) => each.slug).join();
  assert.is(await slugs("?state=pending"), "flo-3,flo-2");
  assert.is(await slugs("?state=rejected"), "flo-1");
  assert.is(await slugs("?state=approved"), "");
  assert.is(await slugs("?state=pending&limit=1"), "flo-3");
  const { status, body } = await flo.get(`${PATH}?state=open`);
  assert.is(status, 400);
  assert.match(body.message, "state must be one of pending, approved, rejected, withdrawn");
});

test("GET pages through each request once, even if many have the same time", async ({ scene }) => {
  const pat = await createTestUser(scene.db, "pat");
  await scene.db.sql(
    `insert into federation_requests (id, slug, name, requested_by, created_at)
     select 'frq_' || lpad(i::text, 26, '0'), 'pat-' || i, 'pat', $1, '2026-01-01'::timestamptz + (i / 3) * interval '1 ms'
     from generate_series(1, 20) as i`,
    [pat.id],
  );
  const cookie = `wheelwright=${(await createTestSession(scene.db, pat)).secret}`;
  const pagedIds: string[] = [];
  for (let target: string | null = `${PATH}?limit=1`; target !== null;) {
    const { status, body, headers } = await scene.send(target, { headers: { cookie } });
    assert.is(status, 200);
    pagedIds.push(...body.map((each: { slug: string }) => each.slug));
    target = nextPage(headers);
  }
  assert.equal(pagedIds, Array.from({ length: 20 }, (_, i) => `pat-${20 - i}`));
  for (const query of ["limit=0", "limit=101", "before=yesterday"]) {
    assert.is((await scene.as("operator").get(`${PATH}?${query}`)).status, 400, query);
  }
});

test("GET of one request works for its requester after the hub was removed", async ({ scene }) => {
  const gus = await somebody(scene, "gus");
  const { body: { id } } = await gus.post(PATH, { slug: "gone-again" });
  const { body: { federationId } } = await scene.as("operator").post(`${PATH}/${id}/approve`);
  await updateRows(scene.db, "federations", { state: "removed", removedAt: NOW }, { id: federationId });
  assert.equal((await gus.get(`${PATH}/${id}`)).body.federationId, federationId);
  assert.is((await gus.get(`/api/federations/${federationId}`)).status, 404);
  assert.is((await gus.post(PATH, { slug: "gone-again" })).status, 201);
});

test.run();
