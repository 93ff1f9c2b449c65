import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { toResponse } from "#lib/http/response.ts";
import { eventStreamReply } from "#lib/http/reply.ts";
import type { EventStreamFrame, EventStreamSource } from "#lib/http/sse.ts";

const test = suite("eventStreamReply");
const written: number[] = [];
const Tick = v.object({
  n: v.pipe(v.number(), v.transform((n) => (written.push(n), n))),
  note: v.optional(v.string()),
});
type Tick = { n: number; note?: string };

/** A source of these frames that counts how many were read, and records whether it was stopped. */
function source(frames: readonly EventStreamFrame<Tick>[]) {
  const state = { taken: 0, cancelled: false };
  const run: EventStreamSource<Tick>["run"] = async (send) => {
    for (const frame of frames) {
      await send(frame);
      state.taken++;
    }
  };
  return { state, run, cancel: () => void (state.cancelled = true) };
}

const { send } = eventStreamReply(Tick);
const sent = (of: EventStreamSource<Tick>) => toResponse(send(of));
const tick = (n: number): EventStreamFrame<Tick> => ({ id: String(n), event: "Tick", data: { n } });

test("writes events, comments and the retry delay", async () => {
  const noted = { id: "7", event: "SpokeUpdateActive", data: { n: 1, note: "a\nb", secret: "not named" } };
  const bare: EventStreamFrame<Tick> = { event: "Bare", data: { n: 2 } };
  const text = await sent(source([{ comment: "following" }, noted, bare, { retry: 1500.4 }])).text();
  assert.is(
    text,
    ": following\n\n" +
      'id: 7\nevent: SpokeUpdateActive\ndata: {"n":1,"note":"a\\nb"}\n\n' +
      'event: Bare\ndata: {"n":2}\n\n' +
      "retry: 1500\n\n",
  );
});

test("encodes a frame once for many readers, and equal frames separately", async () => {
  const frame = tick(70), line = 'id: 70\nevent: Tick\ndata: {"n":70}\n\n';
  const count = () => written.filter((n) => n === 70).length;
  assert.is(await sent(source([frame])).text(), line);
  assert.is(await sent(source([frame, frame])).text(), line + line);
  assert.is(count(), 1);
  assert.is(await sent(source([tick(70)])).text(), line);
  assert.is(count(), 2);
});

test("replaces line breaks in names and IDs", async () => {
  const odd = { id: "1\ndata: x", event: "A\r\nretry: 1", data: { n: 1 } };
  const text = await sent(source([odd, { comment: "a\nevent: B" }])).text();
  assert.is(text, 'id: 1 data: x\nevent: A  retry: 1\ndata: {"n":1}\n\n: a event: B\n\n');
});

test("applies backpressure, and stops the source when the reader leaves", async () => {
  const ticks = source(Array.from({ length: 50 }, (_, n) => tick(n))), reader = sent(ticks).body!.getReader();
  assert.is(ticks.state.taken, 0);
  for (let i = 0; i < 3; i++) await reader.read();
  assert.ok(ticks.state.taken <= 4, `${ticks.state.taken} were taken`);
  assert.not(ticks.state.cancelled);
  await reader.cancel();
  assert.ok(ticks.state.cancelled);
});

test("aborts the stream if the source fails", async () => {
  const reader = sent({
    async run(send) {
      await send({ comment: "a" });
      throw new Error("The database is gone");
    },
    cancel() {},
  }).body!.getReader();
  await reader.read();
  const failure = await reader.read().then(() => null, (error) => error);
  assert.match(String(failure), "The database is gone");
});

test.run();
