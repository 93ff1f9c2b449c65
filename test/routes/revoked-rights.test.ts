/**
 * Tests that no endpoint acts with a right that was revoked after its access check. The `handle` of every mounted route
 * is replaced by one that waits for the revocation and then writes.
 */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import type { Actor } from "#lib/domains/auth/access.ts";
import { SECOND, sleep } from "#lib/base/time.ts";
import { type AnyEndpoint, HTTP_METHODS, type RouteModule } from "#lib/http/endpoint.ts";
import { noContentReply } from "#lib/http/reply.ts";
import { manifest } from "#src/manifest.ts";
import { addHubAdmin, addSpokeAdmin } from "#test/support/users.ts";
import { listEndpoints } from "#test/support/probes/endpoints.ts";
import { pathOf, sampleParams } from "#test/support/probes/samples.ts";
import { type CredentialType, openScene, type Scene, type SceneRole } from "#test/support/scene.ts";
import { updateRows } from "#test/support/rows.ts";

type Taken = (actor: Actor) => Promise<unknown>;

interface Stage {
  scene: Scene;
  /** Runs between the access check and the write. */
  meanwhile: Taken;
  /** The number of transactions that ran. */
  deeds: number;
}

const test = suite<Stage>("a revoked right");

test.before(async (stage) => {
  const replaced = ([pattern, module]: (typeof manifest)[number]) => [pattern, replace(stage, module)] as const;
  stage.scene = await openScene({ manifest: manifest.map(replaced) });
});
test.before.each((stage) => {
  stage.meanwhile = () => Promise.resolve();
  stage.deeds = 0;
});
test.after(({ scene }) => scene.close());

test("is enforced on writes of every endpoint: revoked tokens and ended sessions", async (stage) => {
  const { scene } = stage, samples = await sampleParams(scene);
  const held = listEndpoints(manifest).filter(({ endpoint }) => !["public", "flow"].includes(endpoint.scope));
  assert.ok(held.length > 40);
  for (const { name, method, pattern, endpoint } of held) {
    const headers = await scene.as("operator", endpoint.scope === "session" ? "session" : "cli").credentials();
    const path = pathOf(pattern, samples);
    const ask = async () => (await scene.send(path, { method, headers })).status;
    stage.deeds = 0;
    assert.is(await ask(), 204, name);
    assert.is(stage.deeds, 1, name);
    stage.meanwhile = (actor) => switchCredential(scene, actor);
    assert.is(await ask(), 401, name);
    assert.is(stage.deeds, 1, name);
    stage.meanwhile = () => Promise.resolve();
    await updateRows(scene.db, "api_tokens", { revokedAt: null });
    await updateRows(scene.db, "sessions", { endedAt: null });
  }
});

const LOSSES: readonly (readonly [what: string, who: SceneRole, status: number, take: string, give: string])[] = [
  [
    "a user who was disabled",
    "hubAdmin",
    401,
    "update users set disabled_at = now() where id = $1",
    "disabled_at = null",
  ],
  [
    "an operator who was demoted",
    "operator",
    403,
    "update users set operator = false where id = $1",
    "operator = true",
  ],
  [
    "an unverified address",
    "operator",
    403,
    "update users set email_verified_at = null where id = $1",
    "email_verified_at = now()",
  ],
  ["a former admin of the hub", "hubAdmin", 403, "delete from federation_members where user_id = $1", ""],
  ["a former admin of the spoke", "spokeAdmin", 403, "delete from spoke_members where user_id = $1", ""],
];

for (const [what, who, status, take, give] of LOSSES) {
  test(`is enforced on writes: ${what}`, async (stage) => {
    const { scene } = stage, { db, people } = scene, path = `/api/spokes/${scene.spoke}/actions`;
    for (const credential of ["session", "cli"] satisfies CredentialType[]) {
      const ask = async () => (await scene.as(who, credential).post(path, { action: "restart" })).status;
      stage.meanwhile = () => Promise.resolve();
      assert.is(await ask(), 204);
      stage.deeds = 0;
      stage.meanwhile = ({ userId }) => db.sql(take, [userId]);
      assert.is(await ask(), status);
      assert.is(stage.deeds, 0);
      if (give) await db.sql(`update users set ${give} where id = $1`, [people[who].id]);
      else {await (who === "hubAdmin"
          ? addHubAdmin(db, people.hubAdmin, scene.hub)
          : addSpokeAdmin(db, people.spokeAdmin, scene.spoke));}
    }
  });
}

test("ignores rights that were granted during the request", async (stage) => {
  const { scene } = stage;
  stage.meanwhile = ({ userId }) => updateRows(scene.db, "users", { operator: true }, { id: userId });
  assert.is((await scene.as("spokeAdmin", "cli").post(`/api/spokes/${scene.spoke}/actions`, {})).status, 204);
  await updateRows(scene.db, "users", { operator: false }, { id: scene.people.spokeAdmin.id });
});

test("stops a slow response", async (stage) => {
  const { scene } = stage;
  stage.meanwhile = async (actor) => {
    await switchCredential(scene, actor);
    await sleep(SECOND + 50);
  };
  const { status, body } = await scene.as("hubAdmin", "readonly").get(`/api/spokes/${scene.spoke}`, {
    "x-only": "reads",
  });
  assert.is(status, 401);
  assert.is(body.message, "The Authorization header does not contain a valid token");
});

test.run();

async function switchCredential({ db }: Scene, { credential: { kind, id } }: Actor): Promise<void> {
  if (kind === "token") await updateRows(db, "api_tokens", { revokedAt: new Date() }, { id });
  else await updateRows(db, "sessions", { endedAt: new Date() }, { id });
}

/** Keeps the declarations, but accepts any body and removes the bucket, so that only access rules can refuse. */
function replace(stage: Stage, module: RouteModule): RouteModule {
  const handle: AnyEndpoint["handle"] = async ({ app, actor, request }) => {
    await stage.meanwhile(actor);
    if (request.headers.get("x-only") === "reads") return;
    await app.db.transact(() => Promise.resolve(stage.deeds++));
  };
  const endpoints = HTTP_METHODS.flatMap((method) => {
    const { rateLimitMessage: _bucket, form: _form, query: _query, params: _params, ...endpoint } = module[method] ??
      {};
    return module[method] ? [[method, { ...endpoint, body: v.any(), reply: noContentReply, handle }]] : [];
  });
  return Object.fromEntries(endpoints);
}
