/**
 * A replica of the bench: the real `wheelwright serve` as a process, which reaches its database and its cluster through
 * proxies of its own, so that either can be cut or frozen for this replica alone. It may be killed and started again; each
 * life has an id of its own, as in production.
 */
import { writeFile } from "node:fs/promises";
import { type Started, startProgram } from "#test/support/program.ts";
import { openProxy, type Proxy } from "#test/support/proxy.ts";

export interface Place {
  readonly name: string;
  /** Addresses past the proxies. */
  readonly database: string;
  readonly cluster: string;
  /** Turns the cluster's address into the text of a kubeconfig. */
  readonly kubeconfig: (server: string) => string;
  readonly directory: string;
  /** More variables of its configuration. */
  readonly env?: Readonly<Record<string, string>>;
  /** The main module of another release than this one. */
  readonly program?: string | null;
}

/** A line of its log, read. */
export interface Entry {
  readonly time: string;
  readonly level: string;
  readonly message: string;
  // deno-lint-ignore no-explicit-any
  readonly [field: string]: any;
}

export interface Replica {
  /** What the bench calls it: its place, whichever process stands there. */
  readonly name: string;
  /** Of the present process, or of the last one. */
  readonly id: string;
  /** Of all processes that there were. */
  readonly ids: readonly string[];
  /** Where its API is. */
  readonly url: string;
  readonly database: Proxy;
  readonly cluster: Proxy;
  readonly pid: number;
  /** Resolves when it listens. */
  start(): Promise<void>;
  /** SIGKILL, and its end. */
  kill(): Promise<void>;
  tell(signal: NodeJS.Signals): void;
  /** SIGTERM, and its end. */
  drain(): Promise<void>;
  /** Everything that its processes logged. */
  log(): readonly Entry[];
  /** What it said that is no entry of the log, and ends that nobody asked for. */
  complaints(): readonly string[];
  close(): Promise<void>;
}

export async function openReplica(place: Place): Promise<Replica> {
  const { name, directory } = place;
  const [database, cluster] = [await openProxy(place.database), await openProxy(place.cluster)];
  const kubeconfig = `${directory}/kubeconfig-${name}`;
  await writeFile(kubeconfig, place.kubeconfig(cluster.url.replace(/\/$/, "")));
  const lives: Started[] = [], ids: string[] = [], deaths: string[] = [];
  const expected = new Set<Started>();
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
        if (!expected.has(life)) deaths.push(`Replica ${name} ended by itself with status ${status}`);
      });
      const opening = await life.said(/"message":"Opens a replica"/);
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

function readEntry(line: string): Entry | null {
  if (!line.startsWith("{")) return null;
  try {
    return JSON.parse(line);
  } catch {
    return null; // what a process said while it was killed
  }
}
