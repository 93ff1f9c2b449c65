/** Reads the memory of a Wheelwright process through Node's inspector, after a garbage collection. */
import { readFile } from "node:fs/promises";
import type { MeasuredServer } from "#test/bench/servers.ts";

export const INSPECT_FLAG = "--inspect=127.0.0.1:0";

/** Bytes: the resident memory of the process, and the part used by objects and buffers. */
export interface ProcessMemory {
  readonly rss: number;
  readonly held: number;
}

/** Reads the memory. The process must have been started with INSPECT_FLAG. */
export async function readMemory({ log }: MeasuredServer): Promise<ProcessMemory> {
  const [url] = /ws:\/\/127\.0\.0\.1:\S+/.exec(await readFile(log, "utf8")) ?? [];
  const socket = new WebSocket(url!);
  let requestId = 0;
  // deno-lint-ignore no-explicit-any
  const ask = (method: string, params: object): Promise<any> =>
    new Promise((resolve) => {
      const id = ++requestId;
      const onMessage = ({ data }: MessageEvent) => {
        const answer = JSON.parse(String(data));
        if (answer.id !== id) return;
        socket.removeEventListener("message", onMessage);
        resolve(answer.result);
      };
      socket.addEventListener("message", onMessage);
      socket.send(JSON.stringify({ id, method, params }));
    });
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", () => reject(new Error("The inspector does not answer")));
  });
  for (let i = 0; i < 3; i++) await ask("HeapProfiler.collectGarbage", {});
  const expression = "JSON.stringify(process.memoryUsage())";
  const { result } = await ask("Runtime.evaluate", { expression });
  const ended = new Promise((resolve) => socket.addEventListener("close", resolve));
  socket.close();
  await ended;
  const { rss, heapUsed, external } = JSON.parse(result.value);
  return { rss, held: heapUsed + external };
}
