/** Tests waiting with silent watches: polling still finds the changes. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { NAMESPACE, openStaticCluster, recordWatch, UID } from "#test/support/kube/static-cluster.ts";

const test = suite("waitForState");

test("a silent watch only delays the result", async () => {
  const table = await openStaticCluster();
  let lists = 0;
  table.intercept = ({ path, query }, response) => {
    if (query.has("watch")) return response.flushHeaders(), true;
    // The first two checks need no watch. A third check would mean that no watch reported the change.
    if (path.endsWith("/pods") && ++lists === 3) table.drop("pods", "db-0");
    return false;
  };
  table.put("pods", { metadata: { name: "db-0" } });
  await table.cluster.space(NAMESPACE, UID).noPods("role=db", recordWatch()).finally(table.close);
});

test("notices a change between a check and its watch", async () => {
  const table = await openStaticCluster();
  let watches = 0;
  table.intercept = ({ query }) => {
    if (query.has("watch") && ++watches === 1) table.drop("pods", "db-0");
    return false;
  };
  table.put("pods", { metadata: { name: "db-0" } });
  const soonerThanByItself = 8000;
  await table.cluster.space(NAMESPACE, UID).noPods("role=db", recordWatch(soonerThanByItself)).finally(table.close);
  assert.is(watches, 1);
});

test("does not watch or list pods and events for a short wait", async () => {
  const table = await openStaticCluster();
  const requestedNames = () => table.server.requests.map(({ path }) => path.replace(/.*\//, ""));
  const ref = { apiVersion: "v1", kind: "PersistentVolumeClaim", name: "files" };
  const claim = (phase: string) => ({ ...ref, metadata: { name: "files" }, status: { phase } });
  table.put("persistentvolumeclaims", claim("Pending"));
  let checks = 0;
  table.intercept = ({ path }) => {
    if (path.endsWith("/files") && ++checks === 2) table.put("persistentvolumeclaims", claim("Bound"));
    return false;
  };
  await table.cluster.space(NAMESPACE, UID).ready([ref], recordWatch()).finally(table.close);
  assert.equal(requestedNames(), [NAMESPACE, "files", "files"]);
});

test.run();
