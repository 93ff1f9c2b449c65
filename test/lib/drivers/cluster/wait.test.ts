/** Waiting while watches say nothing: they are hints, and what is so is looked at in any case. */
import { suite } from "uvu";
import { NAMESPACE, openKubeTable, UID, watched } from "#test/support/kube/table.ts";

const test = suite("waitFor");

test("a watch that never says a word delays what is waited for, and no more", async () => {
  const table = await openKubeTable();
  let lists = 0;
  table.intercept = ({ path, query }, response) => {
    if (query.has("watch")) return response.flushHeaders(), true;
    // It is looked at twice before it is watched. Whoever asks once more was told by nobody.
    if (path.endsWith("/pods") && ++lists === 3) table.drop("pods", "db-0");
    return false;
  };
  table.put("pods", { metadata: { name: "db-0" } });
  await table.cluster.space(NAMESPACE, UID).noPods("role=db", watched()).finally(table.close);
});

test.run();
