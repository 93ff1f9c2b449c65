/** Tests that a token that is limited to a hub reads and changes nothing of other hubs, on any endpoint. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { withoutPortal } from "#lib/http/endpoint.ts";
import { manifest as whole } from "#src/manifest.ts";
import { isStreamEndpoint, type ListedEndpoint, listEndpoints } from "#test/support/probes/endpoints.ts";
import { pathOf, sampleParams, type Samples } from "#test/support/probes/samples.ts";
import type { ClientResponse } from "#test/support/client.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { addHubAdmin, addSpokeAdmin, createLimitedTestToken } from "#test/support/users.ts";
import { NOW, updateRows } from "#test/support/rows.ts";

const PEOPLE = ["operator", "hubAdmin", "spokeAdmin"] as const;
type Person = (typeof PEOPLE)[number];

interface Stage {
  scene: Scene;
  samples: Samples;
  /** Sends a request with the person's token, which is limited to the hub north. */
  send(person: Person, method: string, path: string, body?: unknown): Promise<ClientResponse>;
}

const test = suite<Stage>("a token limited to a hub");

test.before(async (stage) => {
  const scene = stage.scene = await openScene(), { db, people, hub } = scene;
  const samples = stage.samples = await sampleParams(scene);
  const south = samples.federationId!.foreign;
  await addHubAdmin(db, people.hubAdmin, south);
  await addSpokeAdmin(db, people.spokeAdmin, samples.spokeId!.foreign);
  // Everybody's own requests, which the queries find by user ID.
  await updateRows(db, "federation_requests", {
    ...{ state: "approved", federationId: south, requestedBy: people.hubAdmin.id },
    ...{ decidedBy: people.operator.id, decidedAt: NOW },
  }, { id: samples.requestId!.foreign });
  const tokens = new Map<Person, string>();
  for (const person of PEOPLE) tokens.set(person, (await createLimitedTestToken(db, people[person], [hub])).plaintext);
  stage.send = (person, method, path, body) =>
    scene.send(path, {
      method,
      headers: { authorization: `Bearer ${tokens.get(person)}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
});
test.after(({ scene }) => scene.close());

const ENDPOINTS = listEndpoints(withoutPortal(whole)).filter(({ endpoint }) =>
  !["public", "flow", "session"].includes(endpoint.scope)
);
const READS = ENDPOINTS.filter(({ method, endpoint }) => method === "GET" && !isStreamEndpoint(endpoint));
const WRITES = ENDPOINTS.filter(({ method }) => method !== "GET");

test("reads nothing of another hub, on any GET endpoint", async ({ samples, send }) => {
  const secrets = listSecrets(samples);
  let read = 0;
  for (const person of PEOPLE) {
    for (const endpoint of READS) {
      for (const which of ["own", "foreign"] as const) {
        const path = pathOf(endpoint.pattern, samples, which);
        if (which === "foreign" && path === endpoint.pattern) continue;
        const { status, body } = await send(person, "GET", path), text = JSON.stringify(body);
        const label = `${person}: ${endpoint.name} (${which}) ${status}`;
        for (const secret of secrets) assert.not.match(text, secret, label);
        if (which === "foreign" && path !== pathOf(endpoint.pattern, samples)) {
          assert.ok([403, 404].includes(status), label);
        }
        if (status === 200) read++;
      }
    }
  }
  assert.ok(read > 60, `${read} responses`);
});

test("changes nothing of another hub", async ({ samples, send }) => {
  for (const person of PEOPLE) {
    for (const { name, method, pattern } of WRITES.filter(hasObject)) {
      const { status } = await send(person, method, pathOf(pattern, samples, "foreign"), {});
      assert.ok([403, 404].includes(status), `${person}: ${name} ${status}`);
    }
  }
});

test("finds no hub or spoke by a name in the query or body", async ({ samples, send, scene }) => {
  const { foreign: south } = samples.federationId!, { foreign: elm } = samples.spokeId!;
  for (const person of PEOPLE) {
    for (const hub of [south, "south"]) {
      for (const path of ["/api/operations", "/api/overview", "/api/overview/history", "/api/my-spokes"]) {
        const { status } = await send(person, "GET", `${path}?federationId=${hub}`);
        assert.is(status, 404, `${person}: ${path}`);
      }
    }
    const bulk = await send(person, "POST", "/api/spokes/actions", { ids: [elm], action: "restart" });
    assert.equal([bulk.status, bulk.body], [202, []], person);
    const { body } = await send(person, "POST", "/api/rollouts", { ids: [elm], action: "restart", dryRun: true });
    assert.not.match(JSON.stringify(body), elm);
    const all = await send(person, "GET", "/api/my-spokes?includeRemoved=true");
    assert.equal(all.body.map(({ id }: { id: string }) => id), [scene.spoke], person);
  }
});

test("still reads and changes its hub, with the role of a hub admin at most", async ({ send, scene }) => {
  const roles = [];
  for (const person of PEOPLE) {
    const { body: { user } } = await send(person, "GET", "/api/auth/me");
    roles.push([user.role, user.federationIds, user.spokeIds]);
    assert.is((await send(person, "GET", `/api/spokes/${scene.spoke}`)).status, 200, person);
    assert.equal((await send(person, "GET", "/api/federations")).body.map(({ id }: { id: string }) => id), [scene.hub]);
  }
  const { hub, spoke } = scene;
  assert.equal(roles, [["hub_admin", [hub], []], ["hub_admin", [hub], []], ["spoke_admin", [], [spoke]]]);
  for (const path of ["/api/audit", "/api/users", "/api/restore-requests"]) {
    assert.is((await send("operator", "GET", path)).status, 403, path);
  }
  const patch = await send("operator", "PATCH", `/api/federations/${scene.hub}`, { name: "North" });
  assert.is(patch.status, 200);
});

test("counts, lists and marks only notifications of its hub", async ({ send, scene }) => {
  for (const person of PEOPLE) {
    const { body: listed } = await send(person, "GET", "/api/notifications");
    const { body: { count } } = await send(person, "GET", "/api/notifications/unread-count");
    assert.ok(listed.length > 0, person);
    assert.is(count, listed.filter(({ read }: { read: boolean }) => !read).length, person);
    assert.equal((await send(person, "POST", "/api/notifications/read-all")).body, { marked: count }, person);
    assert.is((await send(person, "GET", "/api/notifications/unread-count")).body.count, 0, person);
    const all = await scene.as(person).get("/api/notifications/unread-count");
    assert.ok(all.body.count > 0, `${person}: notifications of the other hub are still unread`);
  }
});

test("cannot read or change the account, and lists and revokes only itself", async ({ send, scene, samples }) => {
  const { own, foreign } = samples.tokenId!;
  for (const person of PEOPLE) {
    assert.is((await send(person, "GET", "/api/auth/sessions")).body.code, "token_limited", person);
    const request = await send(person, "POST", "/api/federation-requests", { slug: "east", name: "East" });
    assert.equal([request.status, request.body.code], [403, "token_limited"], person);
    for (const id of [own, foreign]) {
      assert.is((await send(person, "DELETE", `/api/auth/tokens/${id}`)).status, 404, person);
    }
    const { body: tokens } = await send(person, "GET", "/api/auth/tokens");
    assert.equal(tokens.map((one: { federationIds: unknown }) => one.federationIds), [[scene.hub]], person);
    assert.is((await send(person, "POST", "/api/federations", { slug: "east" })).status, 403, person);
    if (person !== "spokeAdmin") continue;
    assert.is((await send(person, "DELETE", `/api/auth/tokens/${tokens[0].id}`)).status, 204);
    assert.is((await send(person, "GET", "/api/auth/me")).status, 401);
  }
});

test.run();

function hasObject({ pattern }: ListedEndpoint): boolean {
  return pattern.includes(":");
}

/** Returns patterns for the IDs and slugs that belong to the hub south. */
function listSecrets(samples: Samples): RegExp[] {
  const ids = Object.values(samples).flatMap(({ own, foreign }) =>
    foreign !== own && foreign.includes("_") ? foreign : []
  );
  return [...ids.map((id) => new RegExp(id)), /\bsouth\b/, /\belm\b/];
}
