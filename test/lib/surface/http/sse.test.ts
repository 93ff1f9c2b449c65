import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { events } from "#lib/surface/http/reply.ts";
import { encodeEvents, type Frame } from "#lib/surface/http/sse.ts";

const test = suite("encodeEvents");
const fail = (reason: unknown) => assert.unreachable(`cut: ${reason}`);

/** A source that tells how far it was asked, and whether it was ended. */
function counting(frames: readonly Frame<unknown>[]) {
  const state = { pulled: 0, ended: false };
  async function* source(): AsyncGenerator<Frame<unknown>> {
    try {
      for (const frame of frames) {
        state.pulled++;
        yield await Promise.resolve(frame);
      }
    } finally {
      state.ended = true;
    }
  }
  return { state, source: source() };
}

const many = Array.from({ length: 50 }, (_, i) => ({ id: String(i), event: "Tick", data: { i } }));

test("writes events, comments and the time to wait", async () => {
  const { source } = counting([
    { comment: "following" },
    { id: "7", event: "SpokeUpdateActive", data: { state: "active", note: "a\nb" } },
    { event: "Bare", data: 1 },
    { retry: 1500.4 },
  ]);
  const text = await new Response(encodeEvents(source, JSON.stringify, fail)).text();
  assert.is(
    text,
    ": following\n\n" +
      'id: 7\nevent: SpokeUpdateActive\ndata: {"state":"active","note":"a\\nb"}\n\n' +
      "event: Bare\ndata: 1\n\n" +
      "retry: 1500\n\n",
  );
});

test("what many readers are sent is written once, and what is alike but another thing is written again", async () => {
  let written = 0;
  const tick = v.object({ n: v.pipe(v.number(), v.transform((n) => (written++, n))) });
  const { send } = events(tick), data = { n: 7, secret: "not named" };
  const sent = async (...all: { n: number }[]) => {
    const { source } = counting(all.map((data) => ({ event: "Tick", data })));
    return await new Response(send(source as never, { cut: fail }).body).text();
  };
  const line = 'event: Tick\ndata: {"n":7}\n\n';
  assert.equal([await sent(data), await sent(data, data)], [line, line + line]);
  assert.is(written, 1);
  assert.is(await sent({ ...data }), line);
  assert.is(written, 2);
});

test("lets no line break in a name or an id begin another field", async () => {
  const { source } = counting([{ id: "1\ndata: x", event: "A\r\nretry: 1", data: 1 }, { comment: "a\nevent: B" }]);
  const text = await new Response(encodeEvents(source, JSON.stringify, fail)).text();
  assert.is(text, "id: 1 data: x\nevent: A  retry: 1\ndata: 1\n\n: a event: B\n\n");
});

test("asks the source for no more than the reader takes", async () => {
  const { state, source } = counting(many);
  const reader = encodeEvents(source, JSON.stringify, fail).getReader();
  assert.is(state.pulled, 0);
  for (let i = 0; i < 3; i++) await reader.read();
  await Promise.resolve();
  assert.is(state.pulled, 3);
  await reader.cancel();
});

test("ends the source when the reader leaves", async () => {
  const { state, source } = counting(many);
  const reader = encodeEvents(source, JSON.stringify, fail).getReader();
  await reader.read();
  await reader.cancel();
  assert.is(state.ended, true);
});

test("cuts the connection when the source fails: an end would look as if all had been said", async () => {
  const cuts: unknown[] = [];
  async function* source(): AsyncGenerator<Frame<unknown>> {
    yield await Promise.resolve({ comment: "a" });
    throw new Error("The database is gone");
  }
  const reader = encodeEvents(source(), JSON.stringify, (reason) => cuts.push(reason)).getReader();
  await reader.read();
  assert.is((await reader.read()).done, true);
  assert.match(String(cuts), "The database is gone");
});

test("cuts off a reader that takes nothing for too long, and not one that does", async () => {
  let cut = (_: unknown) => {};
  const wasCut = new Promise((resolve) => cut = resolve);
  const { source } = counting(many);
  const reader = encodeEvents(source, JSON.stringify, (reason) => cut(reason), 20).getReader();
  await reader.read();
  assert.match(String(await wasCut), "took nothing for 20 ms");
  await reader.cancel();
});

test("leaves no timer behind", async () => {
  const { source } = counting([{ comment: "a" }]);
  await new Response(encodeEvents(source, JSON.stringify, fail, 1_000_000)).text(); // else this file would not end
  const left = encodeEvents(counting(many).source, JSON.stringify, fail, 1_000_000).getReader();
  await left.read();
  await left.cancel();
});

test.run();
