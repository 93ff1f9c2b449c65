/** Tests watches of servers that send invalid data or nothing. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { answer, respondWithError } from "#test/support/kube/server.ts";
import {
  COLLECTION_PATH,
  eventLine,
  pod,
  readWatch,
  serveCollection,
  type WatchRound,
} from "#test/support/kube/watch.ts";

const test = suite("watchCollection, errors");

for (const text of ["null", "5", '"x"', "[]", "{}", '{"type":"ADDED"}', '{"type":"ADDED","object":{}}', "<html>"]) {
  test(`treats the line ${text} as a lost connection`, async () => {
    const troubles: string[] = [];
    const { changes, watches } = await readWatch(
      3,
      serveCollection(
        (_asked, response) => response.write(eventLine("ADDED", pod("a", "11")) + text + "\n"),
        (_asked, response) => response.write(eventLine("ADDED", pod("b", "12"))),
      ),
      { onRetry: (error) => troubles.push(error.code) },
    );
    assert.equal(changes, ["LISTED l1", "ADDED a", "ADDED b"]);
    assert.equal(watches.map((one) => one.query.get("resourceVersion")), ["10", "11"]);
    assert.equal(troubles, ["unreachable"]);
  });
}

test("retries after an error event without details", async () => {
  const { changes } = await readWatch(
    2,
    serveCollection(
      (_asked, response) => response.end('{"type":"ERROR","object":null}\n'),
      (_asked, response) => response.write(eventLine("ADDED", pod("b", "12"))),
    ),
  );
  assert.equal(changes, ["LISTED l1", "ADDED b"]);
});

test("backs off when watches end immediately", async () => {
  const troubles: string[] = [];
  const end: WatchRound = (_asked, response) => void response.writeHead(200).end();
  const { changes } = await readWatch(
    2,
    serveCollection(end, end, (_asked, response) => response.write(eventLine("ADDED", pod("b", "12")))),
    { onRetry: (error) => troubles.push(error.message) },
  );
  assert.equal(changes, ["LISTED l1", "ADDED b"]);
  assert.equal(troubles, Array(2).fill(`The watch on ${COLLECTION_PATH} ended immediately`));
});

test("truncates an endless line", async () => {
  const { changes } = await readWatch(
    2,
    serveCollection(
      (_asked, response) => {
        const more = () => response.destroyed || response.write("x".repeat(1000), () => setTimeout(more, 5));
        more();
      },
      (_asked, response) => response.write(eventLine("ADDED", pod("b", "12"))),
    ),
    { silence: 80 },
  );
  assert.equal(changes, ["LISTED l1", "ADDED b"]);
});

test("does not treat an invalid list as empty", async () => {
  const { changes } = await readWatch(1, (asked, response) => {
    if (asked.query.has("watch")) return void response.flushHeaders();
    answers.length > 1
      ? answer(response, 200, answers.shift()!)
      : answer(response, 200, { kind: "PodList", items: null, metadata: { resourceVersion: "7" } });
  });
  assert.equal(changes, ["LISTED "]);
  assert.is(answers.length, 1);
});
const answers = [{ status: "ok" }, { kind: "Pod" }, { items: {} }, { items: [{}] }, { items: [null] }, {}];

test("renews credentials that expire during a watch", async () => {
  const troubles: string[] = [];
  let refused = 0;
  const { changes } = await readWatch(
    3,
    serveCollection(
      (_asked, response) => response.end(eventLine("ADDED", pod("a", "11"))),
      (_asked, response) => respondWithError(response, 401, "Unauthorized", `Unauthorized ${++refused}`),
      (_asked, response) => respondWithError(response, 401, "Unauthorized", `Unauthorized ${++refused}`),
      (_asked, response) => response.write(eventLine("ADDED", pod("b", "12"))),
    ),
    { onRetry: (error) => troubles.push(error.message) },
  );
  assert.equal(changes, ["LISTED l1", "ADDED a", "ADDED b"]);
  assert.equal(troubles, ["Unauthorized 2"], "the first was tried again at once");
});

test.run();
