/** Tests that calls from pages return the API's responses and faults. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { Fault } from "#lib/base/errors.ts";
import { publicAccess, signedInAccess } from "#lib/domains/auth/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { markup } from "#lib/http/page.ts";
import { okReply } from "#lib/http/reply.ts";
import { type CallApi, resultIfVisible } from "#lib/portal/page/call-api.ts";
import { portalPage } from "#lib/portal/page/page.ts";
import { POST as createHub } from "#routes/api/federations/index.ts";
import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as getSpokes, POST as createSpoke } from "#routes/api/federations/[federationId]/spokes/index.ts";
import { GET as getUsers } from "#routes/api/users/index.ts";
import { manifest } from "#src/manifest.ts";
import { createId } from "#lib/base/ids.ts";
import { openScene, type Scene, type SceneRole } from "#test/support/scene.ts";
import { selectRows } from "#test/support/rows.ts";

interface Context {
  scene: Scene;
  /** Returns the result of a page's call. */
  asked<T>(who: SceneRole, question: (callApi: CallApi) => Promise<T>): Promise<T>;
  /** Returns code and message of the fault. */
  refused(who: SceneRole, question: (callApi: CallApi) => Promise<unknown>): Promise<readonly [string, string]>;
}

const test = suite<Context>("callApi");

test.before(async (context) => {
  let question: (callApi: CallApi) => Promise<unknown>, outcome: PromiseSettledResult<unknown>;
  const GET = portalPage({
    summary: "A page that asks",
    async show({ callApi }) {
      [outcome] = await Promise.allSettled([question(callApi)]) as [PromiseSettledResult<unknown>];
      return { title: "Asked", section: "hubs", body: markup`` };
    },
  });
  const scene = context.scene = await openScene({ manifest: [...manifest, ["/asks/:federationId", { GET }]] });
  const settled = async (who: SceneRole, createApiCaller: typeof question) => {
    question = createApiCaller;
    await scene.as(who).get(`/asks/${scene.hub}`);
    return outcome;
  };
  context.asked = async <T>(who: SceneRole, createApiCaller: (callApi: CallApi) => Promise<T>): Promise<T> => {
    const result = await settled(who, createApiCaller);
    if (result.status === "rejected") throw result.reason;
    return result.value as T;
  };
  context.refused = async (who, createApiCaller) => {
    const result = await settled(who, createApiCaller);
    assert.ok(result.status === "rejected" && result.reason instanceof Fault, "it is refused");
    return [result.reason.code, result.reason.message];
  };
});
test.after(({ scene }) => scene.close());

test("uses the page's path parameters by default", async ({ scene, asked, refused }) => {
  assert.is((await asked("hubAdmin", (callApi) => callApi(getHub))).slug, "north");
  const [code] = await refused("hubAdmin", (callApi) => callApi(getHub, { params: { federationId: createId("fed") } }));
  assert.is(code, "federation_missing");
  const one = await asked("hubAdmin", (callApi) => callApi(getSpokes, { query: { q: undefined, limit: "1" } }));
  assert.equal(one.items.map(({ id }) => id), [scene.spoke], "what is undefined is left out");
});

test("returns only the fields of the API's response", async ({ scene, asked }) => {
  const { body } = await scene.as("hubAdmin").get(`/api/federations/${scene.hub}/spokes`);
  const result = await asked("hubAdmin", (callApi) => callApi(getSpokes));
  assert.equal(JSON.parse(JSON.stringify(result.items)), body);
  const leaking = endpoint({
    summary: "An endpoint that loads more than it returns",
    access: signedInAccess,
    scope: "readonly",
    reply: okReply(v.object({ id: v.string(), list: v.array(v.object({ name: v.string() })) })),
    handle: () => ({ id: "1", secret: "x", list: [{ name: "a", hash: "y" }] }),
  });
  assert.equal(await asked("operator", (callApi) => callApi(leaking)), { id: "1", list: [{ name: "a" }] });
});

test("throws the API's fault", async ({ scene, refused }) => {
  const { get, post } = scene.as("spokeAdmin"), { hub: id } = scene, gone = createId("fed");
  const bad = { slug: "Not A Slug" }, strange = { slug: "ash", nobody: 1 };
  const asOperator = scene.as("operator"), path = `/api/federations/${id}/spokes`;
  const same = [
    [await get("/api/users"), await refused("spokeAdmin", (callApi) => callApi(getUsers))],
    [
      await get(`/api/federations/${gone}`),
      await refused("spokeAdmin", (callApi) => callApi(getHub, { params: { federationId: gone } })),
    ],
    [
      await post(path, { slug: "ash" }),
      await refused("spokeAdmin", (callApi) => callApi(createSpoke, { body: { slug: "ash" } })),
    ],
    [await asOperator.post(path, bad), await refused("operator", (callApi) => callApi(createSpoke, { body: bad }))],
    [
      await asOperator.post(path, strange),
      await refused("operator", (callApi) => callApi(createSpoke, { body: strange })),
    ],
    [
      await asOperator.get(`${path}?limit=x`),
      await refused("operator", (callApi) => callApi(getSpokes, { query: { limit: "x" } })),
    ],
    [
      await asOperator.get(`${path}?nobody=x`),
      await refused("operator", (callApi) => callApi(getSpokes, { query: { nobody: "x" } })),
    ],
  ] as const;
  for (const [{ body, status }, [code, message]] of same) {
    assert.ok(status >= 400, JSON.stringify(body));
    assert.equal([code, message], [body.code, body.message]);
  }
  assert.equal(await selectRows(scene.db, "spokes", { slug: "ash" }, { columns: ["id"] }), []);
});

test("creates once per idempotency key", async ({ scene, asked, refused }) => {
  const make = (slug: string, key?: string) => (callApi: CallApi) =>
    callApi(createHub, { params: {}, body: { slug, name: slug }, ...(key && { key }) });
  const first = await asked("operator", make("once", "key-1")), second = await asked("operator", make("once", "key-1"));
  assert.is(first.id, second.id);
  const [code] = await refused("operator", make("other", "key-1"));
  assert.is(code, "idempotency_key_reused");
  assert.equal((await refused("operator", make("once", "key-2")))[0], "slug_taken");
  assert.equal((await refused("operator", make("once")))[0], "slug_taken", "without a key each is another");
  assert.is((await selectRows(scene.db, "federations", { slug: ["once", "other"] })).length, 1);
});

test("rejects control characters in parameters and keys", async ({ refused }) => {
  for (const federationId of ["\u0000", "a\nb", "\u007f"]) {
    assert.is((await refused("operator", (callApi) => callApi(getHub, { params: { federationId } })))[0], "bad_path");
  }
  for (const key of ["a b", "\u0000", "é", "k".repeat(256)]) {
    const question = { params: {}, body: { slug: "keyed", name: "x" }, key };
    assert.is((await refused("operator", (callApi) => callApi(createHub, question)))[0], "bad_idempotency_key");
  }
});

test("returns null only for what the caller may not see", async ({ asked, refused }) => {
  const nowhere = { params: { federationId: createId("fed") } };
  assert.is(await asked("spokeAdmin", (callApi) => resultIfVisible(callApi(getUsers))), null);
  assert.is(await asked("spokeAdmin", (callApi) => resultIfVisible(callApi(getHub, nowhere))), null);
  assert.is((await asked("spokeAdmin", (callApi) => resultIfVisible(callApi(getHub))))!.slug, "north");
  assert.is(
    (await refused("operator", (callApi) => resultIfVisible(callApi(getUsers, { query: { limit: "x" } }))))[0],
    "invalid_input",
  );
});

test("calls public endpoints without an actor", async ({ asked }) => {
  const who = endpoint({
    summary: "Who calls",
    access: publicAccess,
    scope: "public",
    reply: okReply(v.object({ email: v.nullable(v.string()) })),
    handle: ({ actor }) => ({ email: actor?.email ?? null }),
  });
  assert.equal(await asked("operator", (callApi) => callApi(who)), { email: null });
  assert.equal(await asked("operator", (callApi) => callApi({ ...who, scope: "flow" })), {
    email: "operator@example.org",
  });
});

test("records the signed-in user in the audit log, as the API does", async ({ scene, asked }) => {
  const { body } = await scene.as("hubAdmin").post(`/api/federations/${scene.hub}/spokes`, { slug: "by-api" });
  const result = await asked("hubAdmin", (callApi) => callApi(createSpoke, { body: { slug: "by-page" } }));
  const event = `select kind, actor_email, ip, user_agent, federation_id from audit_events where object_id = $1`;
  const [one, other] = [
    await scene.db.sql(event, [body.id]),
    await scene.db.sql(event, ["usual" in result && result.usual.id]),
  ];
  assert.is(one.length, 1);
  assert.equal(other, one);
});

test.run();
