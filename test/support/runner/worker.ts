/**
 * Runs test files in one process, one after another: reads a line for each, `MARK PATH`, and closes each file's output with
 * a line `MARK STATUS` on both streams. A process that has loaded the program once loads it for no other file again.
 *
 * uvu runs what a file registers as soon as the file is loaded, unless it is told to wait before it is itself loaded.
 */
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

declare global {
  var UVU_DEFER: boolean;
  var UVU_QUEUE: (null | (() => unknown))[][];
}

async function main(): Promise<void> {
  globalThis.UVU_DEFER = true;
  const { exec } = await import("uvu");
  for await (const line of createInterface({ input: process.stdin })) {
    const [mark = "", path = ""] = line.split(/ (.*)/);
    globalThis.UVU_QUEUE.splice(0, Infinity, [null]);
    await import(pathToFileURL(path).href).then(() => exec()).catch((error) => console.error(error));
    // Whatever this file has left for the next turn, and fails there, is told as this file's.
    await new Promise((resolve) => setImmediate(resolve));
    const status = process.exitCode ?? 0;
    process.exitCode = 0;
    for (const stream of [process.stdout, process.stderr]) stream.write(`\n${mark} ${status}\n`);
  }
}

await main();
