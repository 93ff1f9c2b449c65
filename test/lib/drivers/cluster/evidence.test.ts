import { suite } from "uvu";
import * as assert from "uvu/assert";
import { describeEvents, findFailedContainer } from "#lib/drivers/cluster/evidence.ts";
import { SECOND } from "#lib/base/time.ts";
import { deployment, event, pod, timestampAt } from "#test/support/kube/samples.ts";

const test = suite("describeEvents");

const POD = { kind: "Pod", name: "install-1-x" };

test("tells them oldest first, and the newest hundred of many", () => {
  const events = Array.from({ length: 150 }, (_, i) => event(POD, "Failed", `number ${i}`, i * SECOND)).reverse();
  const told = describeEvents(events);
  assert.equal([told.length, told[0]!.message, told.at(-1)!.message], [100, "number 50", "number 149"]);
});

test("shows marks that turn text around as escapes, and drops NUL characters", () => {
  const [told] = describeEvents([event(POD, "Fail\u202eed", "a\u0000\u0007b\u2066c", 0)]);
  assert.equal([told!.reason, told!.message], ["Fail\\u202eed", "a\\u0007b\\u2066c"]);
});

test("tells the same words about the same object once, when they were said last, with their count", () => {
  const told = describeEvents([
    event(POD, "BackOff", "again", 0),
    event(POD, "Pulled", "there", SECOND),
    { ...event(POD, "BackOff", "again", 2 * SECOND), count: 4 },
    event({ kind: "Pod", name: "other" }, "BackOff", "again", SECOND),
  ]);
  assert.equal(told.map(({ object, reason, count }) => [object, reason, count]), [
    ["Pod/install-1-x", "Pulled", 1],
    ["Pod/other", "BackOff", 1],
    ["Pod/install-1-x", "BackOff", 5],
  ]);
  assert.is(told[2]!.at, timestampAt(2 * SECOND));
});

test("reads the newer dialect's time and count, and bears one that has neither", () => {
  const newer = {
    ...event(POD, "FailedScheduling", "no node", 0),
    firstTimestamp: null,
    lastTimestamp: null,
    count: null,
    eventTime: timestampAt(SECOND),
    series: { count: 7, lastObservedTime: timestampAt(3 * SECOND) },
  };
  const bare = { apiVersion: "v1", kind: "Event", metadata: { name: "e" } };
  const [none, told] = describeEvents([newer, bare]);
  assert.equal([told!.at, told!.count], [timestampAt(3 * SECOND), 7]);
  assert.equal([none!.object, none!.reason, none!.message, none!.count], ["?/?", "", "", 1]);
});

test("an event's page of text is cut", () => {
  assert.is(describeEvents([event(POD, "Failed", "x".repeat(9999))])[0]!.message.length, 2048);
});

test("the log is that of the container that failed last, and of its run before if it runs again", () => {
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
