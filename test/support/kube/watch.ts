/** Serves a collection of pods that clients can watch. The test defines the lists and the events on each connection. */
import { openKubeApi } from "#lib/drivers/cluster/client/api.ts";
import { openServerConnections } from "#lib/drivers/cluster/client/connection.ts";
import { type ListOrChange, watchCollection, type WatchQuery } from "#lib/drivers/cluster/client/watch.ts";
import {
  answer,
  type KubeHandler,
  type KubeRequest,
  type KubeServer,
  openKubeServer,
} from "#test/support/kube/server.ts";

export type WatchRound = KubeHandler;
export const COLLECTION_PATH = "/api/v1/namespaces/n/pods";

export const pod = (name: string, resourceVersion: string) => ({ metadata: { name, resourceVersion } });
export const eventLine = (type: string, object: object) => JSON.stringify({ type, object }) + "\n";
export const EXPIRED_EVENT = eventLine("ERROR", {
  kind: "Status",
  code: 410,
  reason: "Expired",
  message: "too old resource version",
});

/** Serves lists (versions 10, 20 …, each with one pod). Each watch receives the next round; further watches hang. */
export function serveCollection(...rounds: WatchRound[]): KubeHandler {
  let lists = 0, round = 0;
  return (asked, response, socket) => {
    if (!asked.query.has("watch")) {
      const version = String(++lists * 10);
      return answer(response, 200, { metadata: { resourceVersion: version }, items: [pod(`l${lists}`, version)] });
    }
    const next = rounds[round++];
    if (next) return next(asked, response, socket);
    response.writeHead(200);
    response.flushHeaders();
  };
}

/** Reads `count` changes, each as text such as `ADDED a`. Also returns the requests that the server received. */
export async function readWatch(
  count: number,
  handle: KubeHandler,
  options: Partial<WatchQuery> = {},
): Promise<{ changes: string[]; watches: KubeRequest[]; asked: readonly KubeRequest[]; server: KubeServer }> {
  const server = await openKubeServer(handle);
  const api = openKubeApi({
    connections: await openServerConnections(server.kubeconfig()),
    concurrency: 1,
    deadline: 5000,
    userAgent: "wheelwright",
  });
  const changes: string[] = [];
  try {
    for await (
      const change of watchCollection(api, { path: COLLECTION_PATH, ...options }, {
        signal: new AbortController().signal,
      })
    ) {
      changes.push(describe(change));
      if (changes.length === count) break;
    }
  } finally {
    api.close();
    await server.close();
  }
  return { changes, asked: server.requests, watches: server.requests.filter((one) => one.query.has("watch")), server };
}

function describe(change: ListOrChange): string {
  const names = change.type === "LISTED" ? change.objects : [change.object];
  return `${change.type} ${names.map((object) => object.metadata.name).join(",")}`;
}
