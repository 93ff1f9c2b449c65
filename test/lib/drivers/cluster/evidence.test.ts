import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findFailedContainer, summarizeEvents } from "#lib/drivers/cluster/evidence.ts";
import { SECOND } from "#lib/base/time.ts";
import { deployment, event, pod, timestampAt } from "#test/support/kube/samples.ts";

const test = suite("summarizeEvents");

const POD = { kind: "Pod", name: "install-1-x" };

test("returns the newest 100 events, oldest first", () => {
  const events = Array.from({ length: 150 }, (_, i) => event(POD, "Failed", `number ${i}`, i * SECOND)).reverse();
  const described = summarizeEvents(events);
  assert.equal([described.length, described[0]!.message, described.at(-1)!.message], [100, "number 50", "number 149"]);
});

test("escapes characters that change the text direction, and drops NUL characters", () => {
  const [described] = summarizeEvents([event(POD, "Fail\u202eed", "a\u0000\u0007b\u2066c", 0)]);
  assert.equal([described!.reason, described!.message], ["Fail\\u202eed", "a\\u0007b\\u2066c"]);
});

test("merges repeated messages about an object, with the last time and total count", () => {
  const described = summarizeEvents([
    event(POD, "BackOff", "again", 0),
    event(POD, "Pulled", "there", SECOND),
    { ...event(POD, "BackOff", "again", 2 * SECOND), count: 4 },
    event({ kind: "Pod", name: "other" }, "BackOff", "again", SECOND),
  ]);
  assert.equal(described.map(({ object, reason, count }) => [object, reason, count]), [
    ["Pod/install-1-x", "Pulled", 1],
    ["Pod/other", "BackOff", 1],
    ["Pod/install-1-x", "BackOff", 5],
  ]);
  assert.is(described[2]!.at, timestampAt(2 * SECOND));
});

test("reads time and count of both event formats, and of an event without them", () => {
  const newer = {
    ...event(POD, "FailedScheduling", "no node", 0),
    firstTimestamp: null,
    lastTimestamp: null,
    count: null,
    eventTime: timestampAt(SECOND),
    series: { count: 7, lastObservedTime: timestampAt(3 * SECOND) },
  };
  const bare = { apiVersion: "v1", kind: "Event", metadata: { name: "e" } };
  const [none, described] = summarizeEvents([newer, bare]);
  assert.equal([described!.at, described!.count], [timestampAt(3 * SECOND), 7]);
  assert.equal([none!.object, none!.reason, none!.message, none!.count], ["?/?", "", "", 1]);
});

test("truncates a long event message", () => {
  assert.is(summarizeEvents([event(POD, "Failed", "x".repeat(9999))])[0]!.message.length, 2048);
});

test("returns the log of the container that failed last, or of its previous run after a restart", () => {
  const container = (name: string, second: number, running: boolean) => ({
    name,
    state: running ? { running: {} } : { terminated: { exitCode: 1, finishedAt: timestampAt(second * SECOND) } },
    ...(running ? { lastState: { terminated: { exitCode: 1, finishedAt: timestampAt(second * SECOND) } } } : {}),
  });
  const one = pod(deployment(), { containerStatuses: [container("moodle", 5, true), container("side", 3, false)] });
  assert.equal(findFailedContainer([one], "n"), {
    namespace: "n",
    pod: "moodle-abc",
    container: "moodle",
    previous: true,
  });
});

test.run();
