/** Tests when a silent stream gets a keep-alive. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { StreamFrame } from "#lib/events/keep-alive.ts";
import { createKeepAlives } from "#lib/events/keep-alive.ts";
import { until } from "#test/support/until.ts";

const test = suite("createKeepAlives");
const eventFrame = { comment: "said" };

/** Creates a keep-alive whose client receives frames when the test decides. */
function speak(open: ReturnType<typeof createKeepAlives>, taking?: () => Promise<void>) {
  const frames: StreamFrame[] = [];
  return { heard: frames, ...open((frame) => (frames.push(frame), taking?.())) };
}

test("sends keep-alives repeatedly on a silent stream", async () => {
  const { heard: frames, send, end } = speak(createKeepAlives(20));
  send(eventFrame);
  await until(() => frames.length === 3);
  assert.equal(frames, [eventFrame, { comment: "still here" }, { comment: "still here" }]);
  end();
});

test("sends no keep-alive while the client has not received the last frame", async () => {
  const taking = Promise.withResolvers<void>(), open = createKeepAlives(20);
  const slow = speak(open, () => taking.promise), quick = speak(open);
  void slow.send(eventFrame);
  await until(() => quick.heard.length > 2);
  assert.equal(slow.heard, [eventFrame]);
  taking.resolve();
  await until(() => slow.heard.length === 2);
  slow.end();
  quick.end();
});

test("sends nothing after its end and leaves no timer", async () => {
  const open = createKeepAlives(20), gone = speak(open), other = speak(open);
  gone.end();
  await until(() => other.heard.length > 2);
  assert.equal(gone.heard, []);
  other.end();
  const later = speak(open); // the last stream has ended, and another one opens
  await until(() => later.heard.length > 0);
  later.end();
});

test("ignores a failed keep-alive", async () => {
  const open = createKeepAlives(20),
    gone = speak(open, () => Promise.reject(new Error("The client has left"))),
    other = speak(open);
  await until(() => other.heard.length > 2);
  gone.end();
  other.end();
});

test.run();
