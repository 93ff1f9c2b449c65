/** Runs the simulated cluster as a separate process. Reads the cluster's objects and its record of writes. */
import { readFile } from "node:fs/promises";
import type { RecordedChange, WriteRecord } from "#lib/dev/simulator/store/recorder.ts";
import { type StartedProgram, startProgram } from "#test/support/program.ts";

export interface ClusterProcess {
  /** The direct URL of the cluster's API server, without a proxy. */
  readonly url: string;
  /** Returns a kubeconfig with this server URL. */
  kubeconfig(server: string): string;
  /** Returns all writes to the cluster, oldest first. */
  writes(): Promise<WriteRecord[]>;
  /** Returns all changes to objects of this kind, oldest first. */
  history(kind: string): Promise<RecordedChange[]>;
  /** Returns the object at this API path; null if the object does not exist. */
  // deno-lint-ignore no-explicit-any
  get(path: string): Promise<any>;
  // deno-lint-ignore no-explicit-any
  list(path: string, selector?: string): Promise<any[]>;
  /** Prevents the scheduling of pods whose names start with `name`, until the returned function is called. The pods
   * wait, but do not fail. */
  holdPods(name: string): Promise<() => Promise<void>>;
  /** Answers matching requests with status 403, until the returned function is called. */
  refuse(filter: { readonly method: string; readonly path: string }): Promise<() => Promise<void>>;
  /** Returns the output of the cluster's process, without the greeting at the start. */
  complaints(): readonly string[];
  close(): Promise<void>;
}

/** Starts the cluster. With `measured`, objects are ready after the time in a real cluster times this factor. */
export async function openClusterProcess(
  directory: string,
  delayMs: number,
  measured?: number,
): Promise<ClusterProcess> {
  const file = `${directory}/kubeconfig`;
  const program: StartedProgram = startProgram(["simulate", "--record", "--kubeconfig", file], {
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
    if (!reply.ok) throw new Error(`The cluster responded with ${reply.status} to ${path}: ${JSON.stringify(body)}`);
    return body;
  };
  const addFault = async (fault: object) => {
    const body = JSON.stringify(fault), headers = { "content-type": "application/json" };
    const { id } = await (await fetch(`${url}/simulator/faults`, { method: "POST", headers, body })).json();
    return async () => void await (await fetch(`${url}/simulator/faults/${id}`, { method: "DELETE" })).json();
  };
  return {
    url,
    async holdPods(name) {
      const message = "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.";
      return await addFault({ type: "no-node", name, message });
    },
    refuse: (filter) => addFault({ type: "answer", status: 403, ...filter }),
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

/** Whether the output line reports a lost client. Deno prints such lines when the bench kills a replica. */
function isHangUp(line: string): boolean {
  return line.includes('"code":"ECONNRESET"') && line.includes('"message":"aborted"');
}

/** Returns the ID of the replica that sent a write request, from the User-Agent. Null for any other client. */
export function writerOf({ userAgent }: WriteRecord): string | null {
  return /\((rep_\w+)\)/.exec(userAgent)?.[1] ?? null;
}

/** Returns the namespace of the written object; null if the object has no namespace. */
export function namespaceOf({ path }: WriteRecord): string | null {
  return /\/namespaces\/([^/?]+)/.exec(path)?.[1] ?? null;
}
