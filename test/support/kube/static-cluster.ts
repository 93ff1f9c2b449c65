/** Runs a simulated cluster without controllers: only the test creates, changes and removes objects. Supports watches
 * and logs. For tests of event sequences that controllers do not produce on demand. */
import type { ServerResponse } from "node:http";
import type { Cluster, ClusterWaitOptions, KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { type ClusterOptions, openCluster } from "#lib/drivers/cluster/open.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import {
  answer,
  type KubeHandler,
  type KubeRequest,
  type KubeServer,
  openKubeServer,
  respondWithError,
} from "#test/support/kube/server.ts";

export interface StaticCluster {
  readonly server: KubeServer;
  readonly cluster: Cluster;
  /** Adds or replaces an object and notifies watchers. `plural` is the kind's name in URLs, for example `pods`. */
  put(plural: string, object: Partial<KubeObject> & Pick<KubeObject, "metadata">): void;
  drop(plural: string, name: string): void;
  /** The logs that clients have read or follow, keyed by `pod/container`. */
  readonly logs: Map<string, Log>;
  /** Called for each request. If the function returns true, it has responded and the cluster ignores the request. */
  intercept?: (...from: Parameters<KubeHandler>) => boolean;
  close(): Promise<void>;
}

interface Log {
  text: string;
  readonly followers: ServerResponse[];
  /** Whether the container has exited. If so, clients that follow the container's log receive the end of the stream. */
  ended?: boolean;
}

export const NAMESPACE = "spoke-1";
export const UID = "uid-of-spoke-1";

export async function openStaticCluster(options: Partial<ClusterOptions> = {}): Promise<StaticCluster> {
  const objects = new Map<string, Map<string, KubeObject>>();
  const watchers: { plural: string; response: ServerResponse }[] = [];
  const changes: { plural: string; version: number; line: string }[] = [];
  let version = 1;
  const rows = (plural: string) => objects.get(plural) ?? objects.set(plural, new Map()).get(plural)!;
  const change = (plural: string, type: string, object: KubeObject) => {
    object.metadata.resourceVersion = String(++version);
    const line = JSON.stringify({ type, object }) + "\n";
    changes.push({ plural, version, line });
    for (const watcher of watchers) if (watcher.plural === plural) watcher.response.write(line);
  };

  const handle: KubeHandler = (asked, response, socket) => {
    if (table.intercept?.(asked, response, socket)) return;
    const [, plural = "", name, sub] = /\/v1\/(?:namespaces\/[^/]+\/(?=[a-z]))?([a-z]+)(?:\/([^/]+))?(?:\/(log))?$/
      .exec(asked.path) ?? [];
    if (sub === "log") return sendLog(table, asked, response, name!);
    if (asked.query.has("watch")) {
      watchers.push({ plural, response });
      response.flushHeaders();
      const seen = Number(asked.query.get("resourceVersion"));
      for (const each of changes) if (each.plural === plural && each.version > seen) response.write(each.line);
      return;
    }
    if (name === undefined && asked.method === "GET") {
      return answer(response, 200, {
        metadata: { resourceVersion: String(version) },
        items: [...rows(plural).values()],
      });
    }
    if (asked.method === "POST") {
      const object = JSON.parse(asked.body) as KubeObject;
      if (rows(plural).has(object.metadata.name)) {
        return respondWithError(response, 409, "AlreadyExists", "already exists");
      }
      table.put(plural, { ...object, metadata: { uid: `uid-${object.metadata.name}`, ...object.metadata } });
      return answer(response, 201, rows(plural).get(object.metadata.name));
    }
    const object = rows(plural).get(name ?? "");
    if (!object) {
      return respondWithError(response, 404, "NotFound", `${plural} "${name}" not found`, { name, kind: plural });
    }
    answer(response, 200, object);
  };

  const server = await openKubeServer(handle);
  const cluster = await openCluster({ name: "table", kubeconfig: server.kubeconfig(), log: SILENT_LOG, ...options });
  const table: StaticCluster = {
    server,
    cluster,
    logs: new Map(),
    put: (plural, object) => {
      rows(plural).set(object.metadata.name, object as KubeObject);
      change(plural, "MODIFIED", object as KubeObject);
    },
    drop: (plural, name) => {
      const object = rows(plural).get(name);
      rows(plural).delete(name);
      if (object) change(plural, "DELETED", object);
    },
    close: async () => {
      await cluster.close();
      await server.close();
    },
  };
  table.put("namespaces", {
    metadata: { name: NAMESPACE, uid: UID, labels: { "app.kubernetes.io/managed-by": "wheelwright" } },
    status: { phase: "Active" },
  });
  return table;
}

function sendLog(table: StaticCluster, asked: KubeRequest, response: ServerResponse, pod: string): void {
  const log = table.logs.get(`${pod}/${asked.query.get("container")}`);
  if (!log) return respondWithError(response, 404, "NotFound", `pods "${pod}" not found`, { name: pod });
  response.writeHead(200, { "content-type": "text/plain" });
  response.write(log.text);
  if (asked.query.has("follow") && !log.ended) log.followers.push(response);
  else response.end();
}

export interface RecordedWatch extends ClusterWaitOptions {
  /** Resolves when a reported progress message matches the pattern. */
  told(words: RegExp): Promise<void>;
}

/** Returns options for waiting on a resource, which let a test wait for progress messages in order of arrival. */
export function recordWatch(timeout = 20_000, signal = new AbortController().signal): RecordedWatch {
  const sentences: string[] = [];
  let look = () => {};
  return {
    signal,
    timeout,
    onProgress: (sentence) => {
      sentences.push(sentence);
      look();
    },
    told: (words) =>
      new Promise((resolve) => {
        look = () => sentences.some((sentence) => words.test(sentence)) && resolve();
        look();
      }),
  };
}
