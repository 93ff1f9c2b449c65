/** Tests that dangerous endpoints refuse sessions without a recent sign-in. A stolen session has none for long. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { HTTP_METHODS, type RouteModule, withoutPortal } from "#lib/http/endpoint.ts";
import { manifest as whole } from "#src/manifest.ts";
import { type ListedEndpoint, listEndpoints } from "#test/support/probes/endpoints.ts";
import { pathOf, sampleParams } from "#test/support/probes/samples.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { ageSession, createTestSession } from "#test/support/users.ts";

/** The endpoints that dangerous actions use. A new dangerous endpoint belongs in this list. */
const DANGEROUS = [
  "DELETE /api/auth/factors/:factorId",
  "DELETE /api/auth/identities/:identityId",
  "DELETE /api/federations/:federationId",
  "DELETE /api/federations/:federationId/members/:userId",
  "DELETE /api/spokes/:spokeId",
  "DELETE /api/spokes/:spokeId/members/:userId",
  "DELETE /api/users/:userId/factors",
  "DELETE /api/users/:userId/identities/:identityId",
  "PATCH /api/federations/:federationId/webhooks/:webhookId",
  "PATCH /api/users/:userId",
  "PATCH /api/webhooks/:webhookId",
  "POST /api/auth/device-sign-ins/decide",
  "POST /api/auth/factors",
  "POST /api/auth/factors/:factorId/activate",
  "POST /api/auth/recovery-codes",
  "POST /api/auth/terminal-codes",
  "POST /api/auth/tokens",
  "POST /api/federations/:federationId/members",
  "POST /api/federations/:federationId/webhooks",
  "POST /api/federations/:federationId/webhooks/:webhookId/rotate-secret",
  "POST /api/spokes/:spokeId/delegate",
  "POST /api/spokes/:spokeId/restore-requests",
  "POST /api/spokes/actions",
  "POST /api/users/:userId/reset-password",
  "POST /api/webhooks",
  "POST /api/webhooks/:webhookId/rotate-secret",
];

const manifest = withoutPortal(whole).map(([pattern, module]) => [pattern, withoutInput(module)] as const);
const test = suite<{ scene: Scene }>("a recent sign-in");

test.before(async (context) => void (context.scene = await openScene({ manifest })));
test.after(({ scene }) => scene.close());

/** Replaces what the endpoints do and removes the schemas of their input, so that any request reaches them. */
function withoutInput(module: RouteModule): RouteModule {
  return Object.fromEntries(HTTP_METHODS.flatMap((method) => {
    const { body: _body, query: _query, ...endpoint } = module[method] ?? {};
    return module[method] ? [[method, { ...endpoint, handle: () => Promise.reject(new Error("Reached")) }]] : [];
  })) as RouteModule;
}

const listed = (): ListedEndpoint[] => listEndpoints(manifest).filter(({ endpoint }) => endpoint.recentSignIn);

test("is required by all dangerous endpoints", () => {
  assert.equal(listed().map(({ name }) => name).sort(), DANGEROUS);
});

test("is required of old sessions, and not of new sessions and tokens", async ({ scene }) => {
  const samples = await sampleParams(scene);
  const old = await createTestSession(scene.db, scene.people.operator);
  await ageSession(scene.db, old);
  const oldCookie = { cookie: `wheelwright=${old.secret}` }, newCookie = await scene.as("operator").credentials();
  const token = await scene.as("operator", "cli").credentials();
  for (const { name, method, pattern, endpoint } of listed()) {
    if (endpoint.recentSignIn !== true) continue; // test/routes/api/spokes/actions.test.ts, test/routes/api/webhooks.test.ts
    const send = (headers: Record<string, string>) => scene.send(pathOf(pattern, samples), { method, headers });
    const refused = await send(oldCookie);
    assert.equal([refused.status, refused.body.code], [403, "recent_sign_in_required"], name);
    assert.is((await send(newCookie)).status, 500, `${name} was not reached by a new session`);
    if (endpoint.scope !== "session") assert.is((await send({ ...token })).status, 500, name);
  }
});

test.run();
