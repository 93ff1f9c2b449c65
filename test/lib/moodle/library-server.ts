/** Runs library.php with a real PHP in a directory of its own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { signLibraryTicket } from "#lib/moodle/course-jobs.ts";

export const LIBRARY_KEY = "ab".repeat(32);
const SCRIPT = new URL("../../../lib/moodle/manifests/library.php", import.meta.url).pathname;

export interface LibraryServer {
  readonly url: string;
  readonly port: number;
  readonly directory: string;
  readonly pid: number;
  files(): Promise<string[]>;
  close(): Promise<void>;
}

export async function startLibrary(more: Record<string, string> = {}): Promise<LibraryServer> {
  const directory = await mkdtemp(join(tmpdir(), "wheelwright-library-"));
  const env = { PATH: process.env["PATH"]!, LIBRARY_KEY, LIBRARY_DIR: directory, LIBRARY_PORT: "0", ...more };
  const child = spawn("php", ["-d", "memory_limit=64M", SCRIPT], { env, stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout });
  const [line] = await once(lines, "line") as [string];
  const port = Number(/^Listening on port (\d+)$/.exec(line)![1]);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    directory,
    pid: child.pid!,
    files: async () => (await readdir(directory)).sort(),
    async close() {
      const exit = once(child, "exit");
      child.kill("SIGKILL");
      await exit;
      await rm(directory, { recursive: true });
    },
  };
}

/** Returns the header of a request with a ticket that ends in `seconds`. */
export function authorize(method: "GET" | "PUT", path: string, seconds = 600): { Authorization: string } {
  const expires = Math.floor(Date.now() / 1000) + seconds;
  return { Authorization: `Ticket ${signLibraryTicket(LIBRARY_KEY, method, path, expires)}` };
}
