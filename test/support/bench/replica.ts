/** Runs a replica: the real `wheelwright serve` as a process. The replica connects to its database and cluster through
 * its own proxies, so that a test can cut or freeze these connections for a single replica. */
import { writeFile } from "node:fs/promises";
import { type StartedProgram, startProgram } from "#test/support/program.ts";
import { openProxy, type TcpProxy } from "#test/support/proxy.ts";

export interface ReplicaOptions {
  readonly name: string;
  /** The URL of the database, without a proxy. */
  readonly database: string;
  readonly cluster: string;
  /** Returns a kubeconfig, as text, with the given server URL. */
  readonly kubeconfig: (server: string) => string;
  readonly directory: string;
  /** Additional configuration variables for the replica. */
  readonly env?: Readonly<Record<string, string>>;
  /** The path to the main module of another release, if the replica should run that release. */
  readonly program?: string | null;
}

/** A parsed line in the replica's log. */
export interface ReplicaLogEntry {
  readonly time: string;
  readonly level: string;
  readonly message: string;
  // deno-lint-ignore no-explicit-any
  readonly [field: string]: any;
}

export interface Replica {
  /** The replica's name in the bench, which does not change when the replica restarts. */
  readonly name: string;
  /** The replica ID of the current process or, if no process runs, of the last process. */
  readonly id: string;
  /** The replica IDs of all processes so far, including the current process. */
  readonly ids: readonly string[];
  /** The URL at which the replica serves its API. */
  readonly url: string;
  readonly database: TcpProxy;
  readonly cluster: TcpProxy;
  readonly pid: number;
  /** Starts the replica. Resolves when it listens for requests. */
  start(): Promise<void>;
  /** Sends SIGKILL to the replica and waits until its process has ended. */
  kill(): Promise<void>;
  tell(signal: NodeJS.Signals): void;
  /** Sends SIGTERM to the replica and waits until its process has ended. */
  drain(): Promise<void>;
  /** Returns the log entries from all processes of this replica so far. */
  log(): readonly ReplicaLogEntry[];
  /** Returns unexpected output: lines that are not log entries, and reports of unexpected exits. */
  complaints(): readonly string[];
  close(): Promise<void>;
}

export async function openReplica(place: ReplicaOptions): Promise<Replica> {
  const { name, directory } = place;
  const [database, cluster] = [await openProxy(place.database), await openProxy(place.cluster)];
  const kubeconfig = `${directory}/kubeconfig-${name}`;
  await writeFile(kubeconfig, place.kubeconfig(cluster.url.replace(/\/$/, "")));
  const lives: StartedProgram[] = [], ids: string[] = [], deaths: string[] = [];
  const expected = new Set<StartedProgram>();
  const present = () => lives.at(-1)!;
  let url = "";

  async function end(signal: NodeJS.Signals): Promise<void> {
    const life = present();
    expected.add(life);
    await life.stop(signal);
  }

  return {
    name,
    ids,
    database,
    cluster,
    get id() {
      return ids.at(-1)!;
    },
    get url() {
      return url;
    },
    get pid() {
      return present().child.pid!;
    },
    async start() {
      const life = startProgram(["serve"], {
        HOST: "127.0.0.1",
        PORT: "0",
        DATABASE_URL: database.url,
        DATABASE_POOL: "5",
        KUBECONFIG: kubeconfig,
        PUBLIC_URL: "http://localhost:3000",
        ROOT_DOMAIN: "spokes.example.org",
        LOG_FORMAT: "json",
        LOG_LEVEL: "debug",
        SHUTDOWN_GRACE_MS: "5000",
        ...place.env,
      }, place.program);
      lives.push(life);
      life.ended.then((status) => {
        if (!expected.has(life)) deaths.push(`Replica ${name} exited unexpectedly with status ${status}`);
      });
      const opening = await life.said(/"message":"Starting the replica"/);
      ids.push(JSON.parse(opening).replica);
      const listening = await life.said(/"message":"Listening on /);
      url = `http://127.0.0.1:${/Listening on [^"]*:(\d+)/.exec(listening)![1]}`;
    },
    kill: () => end("SIGKILL"),
    drain: () => end("SIGTERM"),
    tell: (signal) => present().tell(signal),
    log: () => lives.flatMap(({ lines }) => lines.flatMap((line) => readEntry(line) ?? [])),
    complaints: () => [...deaths, ...lives.flatMap(({ lines }) => lines.filter((line) => !readEntry(line)))],
    async close() {
      const last = lives.at(-1);
      const gone = !last || expected.has(last) || last.child.exitCode !== null || last.child.signalCode !== null;
      if (!gone) await end("SIGKILL");
      await Promise.all([database.close(), cluster.close()]);
    },
  };
}

function readEntry(line: string): ReplicaLogEntry | null {
  if (!line.startsWith("{")) return null;
  try {
    return JSON.parse(line);
  } catch {
    return null; // a partial line from a killed process
  }
}
