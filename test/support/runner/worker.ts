/** Runs test files in one process, one after another, so that the program is loaded only once. For each file, reads a
 * line `MARK PATH`, runs the file, and writes a line `MARK STATUS` to both output streams.
 *
 * A global variable, set before uvu is loaded, stops uvu from running a file's tests immediately after the file is
 * loaded. */
import "#src/resolve-quickly.ts";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

declare global {
  var UVU_DEFER: boolean;
  var UVU_QUEUE: (null | (() => unknown))[][];
}

const REPORT_MS = 30_000;

async function main(): Promise<void> {
  globalThis.UVU_DEFER = true;
  const { exec } = await import("uvu");
  for await (const line of createInterface({ input: process.stdin })) {
    const [mark = "", path = ""] = line.split(/ (.*)/);
    globalThis.UVU_QUEUE.splice(0, Infinity, [null]);
    await import(pathToFileURL(path).href).then(() => exec()).catch((error) => console.error(error));
    // Waits for one run of the event loop, so that the runner attributes late errors to this test file.
    await new Promise((resolve) => setImmediate(resolve));
    const status = process.exitCode ?? 0;
    process.exitCode = 0;
    for (const stream of [process.stdout, process.stderr]) stream.write(`\n${mark} ${status}\n`);
  }
  // Written only if something keeps the process alive. The runner ends it later and reports this text.
  setTimeout(() => console.error(`Left open: ${process.getActiveResourcesInfo().join(", ")}`), REPORT_MS).unref();
}

await main();
