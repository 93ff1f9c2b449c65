/** Tests the client with the real server over a network that cuts, freezes and refuses connections. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStage, refused, type Stage } from "#test/lib/client/stage.ts";
import { queryRows } from "#test/support/bench/query.ts";
import { until } from "#test/support/until.ts";

const test = suite<{ stage: Stage }>("client on a bad network");

test.before.each(async (context) => void (context.stage = await openStage()));
test.after.each(({ stage }) => stage.close());

const count = async ({ scene }: Stage, text: string) => Number((await queryRows(scene.db, text))[0].count);
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");

/** Forwards matching requests but drops their responses, and cuts the connection when `done`. Repeats this `times` times. */
function loseAnswers({ proxy }: Stage, matches: string, times: number, done: () => Promise<unknown>) {
  const requests: string[] = [];
  proxy.watch((bytes) => {
    if (!text(bytes).startsWith(matches)) return true;
    requests.push(text(bytes));
    if (requests.length > times) return true;
    void done().then(proxy.cut);
    return false;
  });
  return requests;
}

test("creates once and returns the response, even if the first response is lost", async ({ stage }) => {
  const client = await stage.as("hubAdmin"), made = "select count(*) from spokes where slug = 'ash'";
  const requests = loseAnswers(
    stage,
    "POST /api/federations/north/spokes",
    2,
    () => until(async () => await count(stage, made) > 0),
  );
  const spoke = await client.createFederationSpoke({ federationId: "north" }, { slug: "ash" });
  assert.is(requests.length, 3);
  assert.is(await count(stage, made), 1);
  assert.is(await count(stage, `select count(*) from jobs where spoke_id = '${spoke.id}' and kind = 'provision'`), 1);
  assert.is(await count(stage, "select count(*) from audit_events where kind = 'spoke_requested'"), 1);
  assert.equal(stage.retries.map(({ error }) => error.code), ["unreachable", "unreachable"]);
});

test("creates each of many objects once while connections are lost repeatedly", async ({ stage }) => {
  const client = await stage.as("operator", { maxAttempts: 20 });
  let posts = 0, cuts = 0;
  stage.proxy.watch((bytes) => {
    if (text(bytes).startsWith("POST") && ++posts % 3 === 0 && ++cuts <= 10) queueMicrotask(stage.proxy.cut);
    return true;
  });
  const slugs = Array.from({ length: 12 }, (_, i) => `hub-${i}`);
  const made = await Promise.all(slugs.map((slug) => client.createFederation({ slug })));
  assert.equal(made.map(({ slug }) => slug), slugs);
  assert.ok(stage.retries.length > 0);
  assert.is(await count(stage, "select count(*) from federations where slug like 'hub-%'"), 12);
  assert.is(await count(stage, "select count(*) from audit_events where kind = 'federation_created'"), 12);
});

test("does not repeat an action whose response is lost", async ({ stage }) => {
  const client = await stage.as("spokeAdmin"), { spoke } = stage.scene;
  const jobs = `select count(*) from jobs where spoke_id = '${spoke}' and kind = 'purge-caches'`;
  const requests = loseAnswers(stage, "POST", 1, () => until(async () => await count(stage, jobs) > 0));
  const error = await refused(client.actOnSpoke({ spokeId: spoke }, { action: "purge-caches" }));
  assert.equal([error.code, error.statusCode, requests.length], ["unreachable", 0, 1]);
  assert.is(await count(stage, jobs), 1);
});

test("does not repeat a POST without a body", async ({ stage }) => {
  const client = await stage.as("spokeAdmin");
  const requests = loseAnswers(stage, "POST", 1, () => Promise.resolve());
  assert.is((await refused(client.createSpokeSignInLink({ spokeId: stage.scene.spoke }))).code, "unreachable");
  assert.is(requests.length, 1);
  assert.equal(await client.request({ method: "POST", path: "/api/notifications/read-all" }), { marked: 0 });
});

test("repeats any request that got no connection", async ({ stage }) => {
  const { proxy, scene } = stage;
  let healed: Promise<void> | undefined;
  const client = await stage.as("spokeAdmin", { onRetry: () => void (healed = proxy.heal()), pause: () => healed! });
  proxy.refuse();
  const spoke = await client.actOnSpoke({ spokeId: scene.spoke }, { action: "purge-caches" });
  assert.is(spoke.operation?.kind, "purge-caches");
});

test("treats a hanging server as unreachable after the attempt's timeout", async ({ stage }) => {
  const { proxy } = stage;
  let healed: Promise<void> | undefined;
  const client = await stage.as("operator", {
    attemptTimeout: 300,
    onRetry: ({ error }) => {
      assert.match(error.message, "no response within 0.3 s");
      proxy.cut();
      healed ??= proxy.heal();
    },
    pause: () => healed!,
  });
  proxy.stall();
  assert.is((await client.getMe()).user.role, "operator");
  assert.ok(healed);
});

test("aborts a hanging call immediately and permanently", async ({ stage }) => {
  const { proxy, retries } = stage, client = await stage.as("operator"), abort = new AbortController();
  proxy.stall();
  const call = client.getMe({ signal: abort.signal }).catch((error: unknown) => error);
  await until(() => proxy.made > 0);
  abort.abort("enough");
  assert.is(await call, "enough");
  assert.equal(retries, []);
});

test.run();
