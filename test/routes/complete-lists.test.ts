/** Tests lists without a limit: the response contains every row, and is sent while the rows are read. */
import { gunzipSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { manifest } from "#src/manifest.ts";
import { openServer } from "#src/server.ts";
import { insertManySpokes } from "#test/support/bulk-rows.ts";
import { openScene, type Scene } from "#test/support/scene.ts";

const SPOKES = 1700, HUBS = 1200;

const test = suite<{ scene: Scene; paths: string[] }>("a list without a limit");
test.before(async (context) => {
  const scene = context.scene = await openScene();
  await insertManySpokes(scene, SPOKES);
  await scene.db.sql("update spokes set created_at = '2030-01-01' where slug like 's-1%'"); // ties across parts
  await scene.db.sql(
    `insert into federations (id, slug, name, state, cluster, namespace, created_by)
     select 'fed_' || lpad(i::text, 26, '0'), 'h-' || i, 'Hub', 'active', 'default', 'h-' || i, $1
     from generate_series(1, ${HUBS - 1}) i`,
    [scene.people.operator.id],
  );
  context.paths = ["/api/my-spokes", `/api/federations/${scene.hub}/spokes`, "/api/federations"];
});
test.after(({ scene }) => scene.close());

test("contains each row once, newest first", async ({ scene, paths }) => {
  for (const path of paths) {
    const { status, body } = await scene.as("operator").get(path), rows = body as { id: string; createdAt: string }[];
    assert.equal([status, rows.length], [200, path === "/api/federations" ? HUBS : SPOKES + 1], path);
    assert.is(new Set(rows.map(({ id }) => id)).size, rows.length);
    const keys = rows.map(({ id, createdAt }) => `${createdAt} ${id}`);
    assert.equal(keys, keys.toSorted().reverse());
  }
  const { body } = await scene.as("operator").get("/api/my-spokes?q=s-12");
  assert.is(body.length, 1 + 10 + 100, "a filter applies to all parts");
});

test("is sent in parts, also compressed", async ({ scene, paths }) => {
  const server = openServer(scene.app, manifest, { isSchedulerReady: () => true });
  const credentials = await scene.as("operator").credentials();
  for (const path of paths) {
    const ask = (more: Readonly<Record<string, string>> = {}) =>
      server.request(new Request(new URL(path, "http://localhost:3000"), { headers: { ...credentials, ...more } }));
    const parts = await Array.fromAsync((await ask()).body!), packed = await ask({ "accept-encoding": "gzip" });
    assert.ok(parts.length >= 4, `${parts.length} parts`);
    assert.is(packed.headers.get("content-encoding"), "gzip");
    const text = gunzipSync(new Uint8Array(await packed.arrayBuffer())).toString();
    assert.is(text, Buffer.concat(parts).toString());
    assert.ok(Array.isArray(JSON.parse(text)));
  }
});

test("stops reading when the client disconnects", async ({ scene }) => {
  const server = openServer(scene.app, manifest, { isSchedulerReady: () => true }), end = new AbortController();
  const headers = await scene.as("operator").credentials();
  const response = await server.request(
    new Request("http://localhost:3000/api/my-spokes", { headers, signal: end.signal }),
  );
  const reader = response.body!.getReader();
  await reader.read();
  end.abort();
  let parts = 1;
  for (; !(await reader.read().catch(() => ({ done: true }))).done; parts++);
  assert.ok(parts < 4, `${parts} parts`);
});

test.run();
