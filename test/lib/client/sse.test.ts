import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type SentFrame, sentFrames } from "#lib/client/sse.ts";

const test = suite("sentFrames");

async function read(pieces: readonly Uint8Array[]): Promise<SentFrame[]> {
  const frames: SentFrame[] = [];
  const bytes = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  for await (const frame of sentFrames(bytes, { silence: 5000 })) frames.push(frame);
  return frames;
}

const bytes = new TextEncoder().encode(
  ': following\n\nid: 1\nevent: A\ndata: {"x":"ü😀"}\n\nretry: 250\n\ndata: one\ndata:two\n\nid: 2\ndata: half',
);
const FRAMES: SentFrame[] = [
  { id: null, data: null, retry: null },
  { id: "1", data: '{"x":"ü😀"}', retry: null },
  { id: null, data: null, retry: 250 },
  { id: null, data: "one\ntwo", retry: null },
];

test("reads events, comments and waits, and nothing of what is not whole", async () => {
  assert.equal(await read([bytes]), FRAMES);
});

test("in whatever pieces they come", async () => {
  assert.equal(await read([...bytes].map((byte) => Uint8Array.of(byte))), FRAMES);
});

test("with the ends of lines that proxies make", async () => {
  const dos = new TextEncoder().encode(new TextDecoder().decode(bytes).replaceAll("\n", "\r\n"));
  assert.equal(await read([dos]), FRAMES);
  assert.equal(await read([...dos].map((byte) => Uint8Array.of(byte))), FRAMES);
});

test.run();
