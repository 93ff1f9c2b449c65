import { suite } from "uvu";
import * as assert from "uvu/assert";
import { splitLines } from "#lib/drivers/cluster/client/split-lines.ts";

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < bytes.length; i += size) yield bytes.slice(i, i + size);
}

async function read(text: string, size: number, most = 100): Promise<string[]> {
  return await Array.fromAsync(splitLines(chunksOf(new TextEncoder().encode(text), size), most));
}

const test = suite("splitLines");

test("joins lines and characters that are split between chunks", async () => {
  for (const size of [1, 2, 3, 5, 100]) assert.equal(await read("añ\n€uro\n\n🎡", size), ["añ", "€uro", "", "🎡"]);
});

test("truncates a line that is too long, but not the next one", async () => {
  for (const size of [1, 4, 100]) assert.equal(await read("abcdefgh\nij\n", size, 3), ["abc", "ij"]);
});

test("returns no lines for empty input", async () => {
  assert.equal(await read("", 1), []);
});

test.run();
