import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openKubeApi } from "#lib/drivers/cluster/client/api.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { openServerConnections } from "#lib/drivers/cluster/client/connection.ts";
import { watchCollection } from "#lib/drivers/cluster/client/watch.ts";
import { openKubeServer, respondWithError } from "#test/support/kube/server.ts";
import {
  COLLECTION_PATH,
  eventLine,
  EXPIRED_EVENT,
  pod,
  readWatch,
  serveCollection,
} from "#test/support/kube/watch.ts";

const test = suite("watchCollection");

test("lists, then watches from the list's version with bookmarks", async () => {
  const { changes, watches } = await readWatch(
    2,
    serveCollection((_asked, response) => response.write(eventLine("ADDED", pod("a", "11")))),
    { query: { labelSelector: "a=b" } },
  );
  assert.equal(changes, ["LISTED l1", "ADDED a"]);
  const { query } = watches[0]!;
  assert.equal([query.get("resourceVersion"), query.get("allowWatchBookmarks"), query.get("labelSelector")], [
    "10",
    "true",
    "a=b",
  ]);
  assert.ok(Number(query.get("timeoutSeconds")) < 60, "a healthy round ends before silence counts as death");
});

test("resumes an ended watch from the last version over the same connection", async () => {
  const { changes, watches, asked } = await readWatch(
    3,
    serveCollection(
      (_asked, response) => response.end(eventLine("ADDED", pod("a", "11")) + eventLine("BOOKMARK", pod("", "15"))),
      (_asked, response) => response.write(eventLine("DELETED", pod("a", "16"))),
    ),
  );
  assert.equal(changes, ["LISTED l1", "ADDED a", "DELETED a"]);
  assert.equal(watches.map((one) => one.query.get("resourceVersion")), ["10", "15"]);
  assert.equal(asked.map((one) => one.reused), [0, 1, 2]);
});

test("joins lines and characters that are split between chunks", async () => {
  const { changes } = await readWatch(
    3,
    serveCollection((_asked, response) => {
      const bytes = Buffer.from(eventLine("ADDED", pod("ä€🎡", "11")) + eventLine("MODIFIED", pod("b", "12")));
      const send = (from: number) => {
        if (from < bytes.length) response.write(bytes.subarray(from, from + 3), () => setImmediate(send, from + 3));
      };
      send(0);
    }),
  );
  assert.equal(changes, ["LISTED l1", "ADDED ä€🎡", "MODIFIED b"]);
});

test("lists again after an event says that the version has expired", async () => {
  const { changes, watches } = await readWatch(
    3,
    serveCollection(
      (_asked, response) => response.end(EXPIRED_EVENT),
      (_asked, response) => response.write(eventLine("ADDED", pod("b", "21"))),
    ),
  );
  assert.equal(changes, ["LISTED l1", "LISTED l2", "ADDED b"]);
  assert.equal(watches.map((one) => one.query.get("resourceVersion")), ["10", "20"]);
});

test("lists again after the response says that the version has expired", async () => {
  const { changes } = await readWatch(
    2,
    serveCollection((_asked, response) => respondWithError(response, 410, "Gone", "too old")),
  );
  assert.equal(changes, ["LISTED l1", "LISTED l2"]);
});

test("resumes after a lost connection and drops the incomplete line", async () => {
  const { changes, watches } = await readWatch(
    3,
    serveCollection(
      (_asked, response, socket) => {
        response.write(
          eventLine("ADDED", pod("a", "11")) + '{"type": "ADD',
          () => setTimeout(() => socket.destroy(), 10),
        );
      },
      (_asked, response) => response.write(eventLine("ADDED", pod("b", "12"))),
    ),
  );
  assert.equal(changes, ["LISTED l1", "ADDED a", "ADDED b"]);
  assert.equal(watches.map((one) => one.query.get("resourceVersion")), ["10", "11"]);
});

test("resumes a watch that ends in the middle of a line", async () => {
  const { changes } = await readWatch(
    2,
    serveCollection(
      (_asked, response) => response.end('{"type": "ADD'),
      (_asked, response) => response.write(eventLine("ADDED", pod("b", "12"))),
    ),
  );
  assert.equal(changes, ["LISTED l1", "ADDED b"]);
});

test("closes and resumes a silent connection", async () => {
  const { changes, watches } = await readWatch(
    2,
    serveCollection(
      (_asked, response) => response.flushHeaders(),
      (_asked, response) => response.write(eventLine("ADDED", pod("b", "12"))),
    ),
    { silence: 80 },
  );
  assert.equal(changes, ["LISTED l1", "ADDED b"]);
  assert.is(watches.length, 2);
});

test("reports an overloaded server and retries", async () => {
  const troubles: string[] = [];
  const { changes } = await readWatch(
    2,
    serveCollection(
      (_asked, response) => respondWithError(response, 503, "ServiceUnavailable", "starting"),
      (_asked, response) => response.write(eventLine("ADDED", pod("b", "12"))),
    ),
    { onRetry: (error) => troubles.push(error.message) },
  );
  assert.equal(changes, ["LISTED l1", "ADDED b"]);
  assert.equal(troubles, ["starting"]);
});

const DENIED = 'pods is forbidden: User "x" cannot list resource "pods" in API group "" in the namespace "n"';
test("ends if the permission is missing", async () => {
  const error = await readWatch(1, (_asked, response) => respondWithError(response, 403, "Forbidden", DENIED)).then(
    () => null,
    (e) => e,
  );
  assert.instance(error, ClusterError);
  assert.is(error.code, "Forbidden");
});

test("ends immediately when aborted and leaves no connection", async () => {
  const gone = Promise.withResolvers<void>();
  const server = await openKubeServer(serveCollection((_asked, response, socket) => {
    socket.on("close", () => gone.resolve());
    response.write(eventLine("ADDED", pod("a", "11")));
  }));
  const connections = await openServerConnections(server.kubeconfig());
  const api = openKubeApi({ connections, concurrency: 1, deadline: 5000, userAgent: "wheelwright" });
  const stop = new AbortController(), reason = new Error("enough");
  const error = await (async () => {
    for await (const change of watchCollection(api, { path: COLLECTION_PATH }, stop)) {
      if (change.type === "ADDED") stop.abort(reason);
    }
  })().then(() => null, (error) => error);
  assert.is(error, reason);
  await gone.promise;
  assert.is(server.openConnections(), 0);
  api.close();
  await server.close();
});

test.run();
