import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readSseFrames, type ReceivedSseFrame } from "#lib/client/sse.ts";
import { rejection } from "#test/support/until.ts";

const test = suite("readSseFrames");

async function read(pieces: readonly Uint8Array[]): Promise<ReceivedSseFrame[]> {
  const frames: ReceivedSseFrame[] = [];
  const bytes = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  for await (const frame of readSseFrames(bytes, { silence: 5000 })) frames.push(frame);
  return frames;
}

const bytes = new TextEncoder().encode(
  ': following\n\nid: 1\nevent: A\ndata: {"x":"ü😀"}\n\nretry: 250\n\ndata: one\ndata:two\n\nid: 2\ndata: half',
);
const FRAMES: ReceivedSseFrame[] = [
  { id: null, data: null, retry: null },
  { id: "1", data: '{"x":"ü😀"}', retry: null },
  { id: null, data: null, retry: 250 },
  { id: null, data: "one\ntwo", retry: null },
];

test("reads events, comments and retry delays, and drops an incomplete event", async () => {
  assert.equal(await read([bytes]), FRAMES);
});

test("reads events from chunks of any size", async () => {
  assert.equal(await read([...bytes].map((byte) => Uint8Array.of(byte))), FRAMES);
});

test("accepts CR, LF and CRLF", async () => {
  const dos = new TextEncoder().encode(new TextDecoder().decode(bytes).replaceAll("\n", "\r\n"));
  assert.equal(await read([dos]), FRAMES);
  assert.equal(await read([...dos].map((byte) => Uint8Array.of(byte))), FRAMES);
});

/** A stream that is read with a clock of the test. */
function openHandled(silence: number) {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>(), writer = writable.getWriter();
  let time = 0, timer: { readonly at: number; readonly work: () => void } | null = null;
  const frames = readSseFrames(readable, {
    silence,
    now: () => time,
    after: (ms, work) => {
      const own = timer = { at: time + ms, work };
      return () => void (timer === own && (timer = null));
    },
  });
  return {
    frames,
    send: (text: string) => writer.write(new TextEncoder().encode(text)),
    pass(ms: number) {
      time += ms;
      if (timer && timer.at <= time) timer.work();
    },
  };
}

test("measures silence only while the reader waits", async () => {
  const { frames, send, pass } = openHandled(100), first = frames.next();
  pass(60);
  await send("id: 1\n\n");
  assert.is((await first).value?.id, "1");
  pass(10_000); // the reader is busy
  const second = frames.next();
  pass(99);
  await send("id: 2\n\n");
  assert.is((await second).value?.id, "2");
});

test("treats an incomplete event as silence", async () => {
  const { frames, send, pass } = openHandled(100), failure = rejection(frames.next());
  pass(60);
  await send("data: ha");
  await new Promise((resolve) => setImmediate(resolve)); // it has read the chunk and waits again
  pass(40);
  assert.match((await failure).message, "no data for");
});

test.run();
