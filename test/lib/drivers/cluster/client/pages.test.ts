import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listPages } from "#lib/drivers/cluster/client/pages.ts";
import { openKindRegistry } from "#lib/drivers/cluster/client/kinds.ts";
import { openObjectClient } from "#lib/drivers/cluster/objects.ts";
import { failureOf, UNCANCELLED, withServer } from "#test/support/kube/api.ts";
import { answer, respondWithError } from "#test/support/kube/server.ts";

const PATH = "/api/v1/namespaces/n/pods";
const POD = { apiVersion: "v1", kind: "Pod", name: "x" };
const list = suite("listPages");

list("reads all pages and returns the version to watch from", () =>
  withServer((requests, response) => {
    const page = Number(requests.query.get("continue") ?? 0);
    const items = [{ metadata: { name: `p${page}` } }];
    const metadata = { resourceVersion: "9", ...(page < 2 ? { continue: String(page + 1) } : {}) };
    answer(response, 200, { kind: "PodList", items, metadata });
  }, async (api, server) => {
    const { items, version } = await listPages(api, PATH, { labelSelector: "a=b" }, UNCANCELLED);
    assert.equal([items.map(({ metadata }) => metadata.name), version], [["p0", "p1", "p2"], "9"]);
    assert.ok(
      server.requests.every(({ query }) => query.get("labelSelector") === "a=b" && query.get("limit") === "500"),
    );
  }));

list("throws if the continue token never changes", () =>
  withServer(
    (_asked, response) => answer(response, 200, { items: [], metadata: { continue: "here" } }),
    async (api, server) => {
      const { code, transient } = await failureOf(listPages(api, PATH, {}, UNCANCELLED));
      assert.equal([code, transient, server.requests.length], ["BadAnswer", true, 2]);
    },
  ));

for (const body of [{}, { status: "ok" }, { kind: "Pod" }, { items: "none" }, { items: [{}] }, { items: [null] }]) {
  list(
    `rejects ${JSON.stringify(body)} instead of reading an empty list`,
    () =>
      withServer((_asked, response) => answer(response, 200, body), async (api) => {
        assert.is((await failureOf(listPages(api, PATH, {}, UNCANCELLED))).code, "BadAnswer");
      }),
  );
}

const objects = suite("openObjects");

objects(
  "rejects a successful response without an object",
  () =>
    withServer((_asked, response) => answer(response, 200, { status: "ok" }), async (api) => {
      const all = openObjectClient(api, openKindRegistry(api), "n"), object = { ...POD, metadata: { name: "x" } };
      const requests = [
        all.get(POD, UNCANCELLED),
        all.create(object, UNCANCELLED),
        all.apply(object, "write", UNCANCELLED),
        all.patch(POD, [], "write", UNCANCELLED),
        all.list(POD, "", UNCANCELLED),
      ];
      for (const { code, transient } of await Promise.all(requests.map(failureOf))) {
        assert.equal([code, transient], ["BadAnswer", true]);
      }
    }),
);

objects("restarts a list whose continue token has expired, and finally throws a transient error", () => {
  let expired = 0;
  return withServer((requests, response) => {
    if (requests.query.has("continue")) return void (++expired, respondWithError(response, 410, "Expired", "too old"));
    answer(response, 200, { items: [{ metadata: { name: "x" } }], metadata: { continue: "here" } });
  }, async (api) => {
    const { status, transient } = await failureOf(
      openObjectClient(api, openKindRegistry(api), "n").list(POD, "", UNCANCELLED),
    );
    assert.equal([status, transient, expired], [410, true, 4]);
  });
});

list.run();
objects.run();
