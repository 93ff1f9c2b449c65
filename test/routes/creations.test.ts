/** Tests simultaneous creations of spokes with a slow database. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { manifest } from "#src/manifest.ts";
import { openServer, type Server } from "#src/server.ts";
import { addHubAdmin, createTestToken } from "#test/support/users.ts";
import { insertHub } from "#test/support/insert-rows.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { until } from "#test/support/until.ts";

const EACH = 100; // creations per hub, in two hubs
const SLOW = `
  create function take_your_time() returns trigger language plpgsql as
    $$ begin perform pg_sleep(0.02); return new; end $$;
  create trigger slow before insert on spokes for each row execute function take_your_time()`;

const test = suite<{ scene: Scene; server: Server; south: string }>("simultaneous creations");
test.before(async (context) => {
  const scene = context.scene = await openScene({ limits: {} });
  context.server = openServer(scene.app, manifest, { isSchedulerReady: () => true });
  context.south = await insertHub(scene.db, scene.people.operator.id, "south");
  await addHubAdmin(scene.db, scene.people.stranger, context.south);
  await scene.db.sql(SLOW);
});
test.after(({ scene }) => scene.close());

type Sent = { readonly status: number; readonly text: string };

async function send(server: Server, path: string, headers: Record<string, string>, body?: object): Promise<Sent> {
  const init = body
    ? { method: "POST", headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(body) }
    : { headers };
  const response = await server.request(new Request(new URL(path, "http://localhost:3000"), init));
  return { status: response.status, text: await response.text() };
}

test("are all accepted in order of arrival, while others are answered", async ({ scene, server, south }) => {
  const tokens = await Promise.all([scene.people.hubAdmin, scene.people.stranger].map(async (person) => ({
    authorization: `Bearer ${(await createTestToken(scene.db, person, "provisioning")).plaintext}`,
  })));
  const hubs = [scene.hub, south];
  let over = false;
  const creations = Promise.all(
    Array.from({ length: 2 * EACH }, (_, i) => {
      const path = `/api/federations/${hubs[i % 2]}/spokes`;
      return send(server, path, tokens[i % 2]!, { slug: `s${String(i).padStart(3, "0")}` });
    }),
  ).finally(() => over = true);
  const reader = await scene.as("operator", "readonly").credentials(), reads: number[] = [];
  const mine = await scene.as("spokeAdmin", "readonly").credentials();
  while (!over) {
    reads.push((await send(server, "/api/my-spokes?limit=5", reader)).status);
    reads.push((await send(server, `/api/spokes/${scene.spoke}`, mine)).status);
  }
  const answers = await creations;
  assert.equal(answers.filter(({ status }) => status !== 201), []);
  assert.equal([...new Set(reads)], [200]);
  for (const [at, hub] of hubs.entries()) {
    const made = await scene.db.sql(
      "select slug from spokes where federation_id = $1 and slug like 's%' order by created_at, id",
      [hub],
    );
    const slugs = Array.from({ length: EACH }, (_, i) => `s${String(2 * i + at).padStart(3, "0")}`);
    assert.equal(made.map(({ slug }) => slug), slugs);
  }
});

test("are cancelled when their client leaves the queue", async ({ scene, server }) => {
  const headers = { ...await scene.as("hubAdmin", "cli").credentials(), "content-type": "application/json" };
  const leaving = new AbortController();
  const ask = (slug: string, signal?: AbortSignal) =>
    server.request(
      new Request(`http://localhost:3000/api/federations/${scene.hub}/spokes`, {
        ...{ method: "POST", headers, body: JSON.stringify({ slug }) },
        ...(signal && { signal }),
      }),
    );
  const before = Array.from({ length: 5 }, (_, i) => ask(`stays-${i}`));
  const left = ask("left", leaving.signal), after = ask("after");
  const { promise: sent, resolve } = Promise.withResolvers<void>();
  void before[0]!.then(() => resolve());
  await sent; // blocks the first, so that the others wait
  leaving.abort();
  assert.is((await left).status, 499);
  assert.equal((await Promise.all([...before, after])).map(({ status }) => status), Array(6).fill(201));
  assert.is((await scene.db.sql("select from spokes where slug = 'left'")).length, 0);
});

test("wait for a connection if all are in use", async ({ scene, server }) => {
  const { size } = scene.app.db.stats(), free = Promise.withResolvers<void>();
  const holders = Array.from({ length: size }, () => scene.app.db.transact(() => free.promise));
  await until(() => scene.app.db.stats().open === size && scene.app.db.stats().idle === 0);
  const headers = await scene.as("hubAdmin", "cli").credentials();
  const path = `/api/federations/${scene.hub}/spokes`;
  const creation = send(server, path, headers, { slug: "patient" });
  const read = await send(server, "/api/my-spokes", headers); // waits like the others, and is refused
  assert.equal([read.status, JSON.parse(read.text).code], [503, "database_busy"]);
  free.resolve();
  await Promise.all(holders);
  assert.is((await creation).status, 201);
});

test.run();
