import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createBodyReader } from "#lib/http/body.ts";
import { createIncompleteBodyLimit } from "#lib/base/limits/unread-bodies.ts";
import { rejection } from "#test/support/until.ts";

const test = suite("createBodyReader");

const KIB = 1024;

/** A request whose body consists of these chunks. It stays open unless it ends. */
function request(pieces: readonly Uint8Array<ArrayBuffer>[], ends: boolean): Request {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      if (ends) controller.close();
    },
  });
  return new Request("http://localhost/", { method: "POST", body, duplex: "half" } as RequestInit);
}

const bounds = (patience: number) => ({ limit: 256 * KIB, unread: createIncompleteBodyLimit(KIB), patience });

test("reads the body once", async () => {
  const read = createBodyReader(
    request([new Uint8Array([1, 2]), new Uint8Array([3])], true),
    "192.0.2.1",
    bounds(1000),
  );
  assert.equal([...await read()], [1, 2, 3]);
  assert.is(await read(), await read());
});

test("rejects a slow body, with Connection: close", async () => {
  const fault = await rejection(createBodyReader(request([new Uint8Array(3)], false), "192.0.2.1", bounds(10))());
  assert.is(fault.code, "body_too_slow");
  assert.equal((fault as unknown as { headers: object }).headers, { connection: "close" });
});

test("gives a large body more time while it arrives", async () => {
  const began = performance.now();
  await rejection(createBodyReader(request([new Uint8Array(16 * KIB)], false), "192.0.2.1", bounds(10))());
  assert.ok(performance.now() - began >= 500, "16 KiB extend the limit by half a second");
});

test("rejects a body in too many chunks", async () => {
  const pieces = Array.from({ length: 5000 }, () => new Uint8Array([120]));
  const fault = await rejection(createBodyReader(request(pieces, true), "192.0.2.1", bounds(1000))());
  assert.match(fault.message, "send the body in larger chunks");
  const few = Array.from({ length: 3000 }, (_, i) => new Uint8Array([i % 256]));
  const read = await createBodyReader(request(few, true), "192.0.2.1", bounds(1000))();
  assert.equal([read.length, read[2999]], [3000, 2999 % 256]);
});

test("rejects only a body that is cut off in favour of others", async () => {
  const unread = createIncompleteBodyLimit(KIB, { most: 4, grace: 1 });
  const read = (address: string) =>
    createBodyReader(request([new Uint8Array(1)], false), address, { limit: KIB, unread, patience: 1000 })();
  const first = rejection(read("192.0.2.1")), second = rejection(read("192.0.2.1"));
  assert.match((await first).message, "receiving too many request bodies");
  assert.match((await second).message, "use a faster connection");
});

test.run();
