/** The simulated cluster as a process of its own, and what its record and its objects say. */
import { readFile } from "node:fs/promises";
import type { Happening, Write } from "#lib/dev/simulator/store/recorder.ts";
import { type Started, startProgram } from "#test/support/program.ts";

export interface ClusterProcess {
  /** Past all proxies. */
  readonly url: string;
  /** A kubeconfig whose server is somewhere else. */
  kubeconfig(server: string): string;
  /** Everything that was written, oldest first. */
  writes(): Promise<Write[]>;
  /** Everything that became of the objects of a kind, oldest first. */
  history(kind: string): Promise<Happening[]>;
  /** The object, or null; `path` as the API has it. */
  // deno-lint-ignore no-explicit-any
  get(path: string): Promise<any>;
  // deno-lint-ignore no-explicit-any
  list(path: string, selector?: string): Promise<any[]>;
  /** Pods whose name begins so get no node, which nobody takes for a failure, until what it resolves with is called. */
  holdPods(name: string): Promise<() => Promise<void>>;
  /** What it said that is no greeting. */
  complaints(): readonly string[];
  close(): Promise<void>;
}

/** `measured` makes things take as long as they were measured to, times this, and not the same delay. */
export async function openClusterProcess(
  directory: string,
  delayMs: number,
  measured?: number,
): Promise<ClusterProcess> {
  const file = `${directory}/kubeconfig`;
  const program: Started = startProgram(["simulate", "--record", "--kubeconfig", file], {
    SIMULATOR_DELAY_MS: String(delayMs),
    ...(measured !== undefined && { SIMULATOR_PROFILE: `measured:${measured}` }),
    LOG_FORMAT: "json",
    LOG_LEVEL: "warn",
  });
  const url = /on (\S+)/.exec(await program.said(/^Simulated cluster on/))![1]!;
  const text = await readFile(file, "utf8");
  const ask = async (path: string) => {
    const reply = await fetch(url + path);
    const body = await reply.json();
    if (reply.status === 404) return null;
    if (!reply.ok) throw new Error(`The cluster answered ${reply.status} to ${path}: ${JSON.stringify(body)}`);
    return body;
  };
  return {
    url,
    async holdPods(name) {
      const message = "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.";
      const body = JSON.stringify({ type: "no-node", name, message }), headers = { "content-type": "application/json" };
      const { id } = await (await fetch(`${url}/simulator/faults`, { method: "POST", headers, body })).json();
      return async () => void await (await fetch(`${url}/simulator/faults/${id}`, { method: "DELETE" })).json();
    },
    kubeconfig: (server) => text.replace(url, server),
    writes: () => ask("/simulator/writes"),
    history: (kind) => ask(`/simulator/history?kind=${kind}`),
    get: ask,
    list: async (path, selector = "") =>
      (await ask(`${path}?labelSelector=${encodeURIComponent(selector)}`))?.items ?? [],
    complaints: () => program.lines.filter((line) => !line.startsWith("Simulated cluster on") && !isHangUp(line)),
    close: async () => void await program.stop("SIGKILL"),
  };
}

/** On Deno it tells, too, of whoever was killed or cut off while it listened; here that is the purpose. */
function isHangUp(line: string): boolean {
  return line.includes('"code":"ECONNRESET"') && line.includes('"message":"aborted"');
}

/** The replica that sent it, by its User-Agent; null where it was none. */
export function writerOf({ userAgent }: Write): string | null {
  return /\((rep_\w+)\)/.exec(userAgent)?.[1] ?? null;
}

/** The namespace in which it wrote; null where that is none. */
export function namespaceOf({ path }: Write): string | null {
  return /\/namespaces\/([^/?]+)/.exec(path)?.[1] ?? null;
}
