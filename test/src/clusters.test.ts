import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadBlueprint } from "#lib/moodle/blueprint.ts";
import { loadCatalog } from "#lib/catalog/load.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { blueprint as builtIn } from "#src/blueprints.ts";
import { type ClusterConnections, openClusterConnections } from "#src/clusters.ts";
import { answer, openKubeServer } from "#test/support/kube/server.ts";
import { rejection } from "#test/support/until.ts";

const REGIONS = "regions: [{ name: east, context: east }, { name: west, context: west }, { name: near }]";
const call = { signal: new AbortController().signal };

/** A kubeconfig with the context `east`, but without the context `west` of the catalog. */
async function open(use: (clusters: ClusterConnections) => Promise<void>): Promise<void> {
  const server = await openKubeServer((_asked, response) => answer(response, 200, { gitVersion: "v1.33.0" }));
  const catalog = loadCatalog(REGIONS, await loadBlueprint(builtIn));
  const text = JSON.stringify({
    "current-context": "east",
    clusters: [{ name: "east", cluster: { server: server.url } }],
    contexts: [{ name: "east", context: { cluster: "east" } }],
    users: [],
  });
  const clusters = openClusterConnections({ text }, { catalog, role: null, log: SILENT_LOG }, "rep_test");
  try {
    await use(clusters);
  } finally {
    await clusters.close();
    await server.close();
  }
}

const test = suite("openClusterConnections");

test("uses the context of a region, or the current context by default", () =>
  open((clusters) => {
    assert.equal(["east", "west", "near", null].map(clusters.clusterFor), ["east", "west", "default", "default"]);
    return Promise.resolve();
  }));

test("opens a cluster once, and sends the program and replica as User-Agent", () =>
  open(async (clusters) => {
    const [first, second] = await Promise.all([clusters.open("east"), clusters.open("east")]);
    assert.is(first, second);
    assert.is(await first!.version(call), "v1.33.0");
  }));

test("reports a missing context, and does not affect other clusters", () =>
  open(async (clusters) => {
    for (const _ of [1, 2]) {
      const error = await rejection(clusters.open("west"));
      assert.is(error.code, "kubeconfig");
      assert.match(error.message, "has no context west; available: east");
    }
    const opening = clusters.open("west").catch(() => {});
    assert.is(await (await clusters.open("east")).version(call), "v1.33.0");
    await clusters.close();
    await opening;
  }));

test("reports a cluster that the catalog no longer contains, as a transient error", () =>
  open(async (clusters) => {
    const error = await rejection(clusters.open("north"));
    assert.equal([error.code, (error as { transient?: boolean }).transient], ["unknown_cluster", true]);
  }));

test.run();
