/** Serves a collection to watch: its lists and the rounds of a watch are defined by the test. */
import { openApi } from "#lib/drivers/cluster/client/api.ts";
import { openServerConnections } from "#lib/drivers/cluster/client/connection.ts";
import { watch, type WatchChange, type WatchQuery } from "#lib/drivers/cluster/client/watch.ts";
import { answer, type Asked, type Handle, type KubeServer, openKubeServer } from "#test/support/kube/server.ts";

export type Round = Handle;
export const PATH = "/api/v1/namespaces/n/pods";

export const pod = (name: string, resourceVersion: string) => ({ metadata: { name, resourceVersion } });
export const line = (type: string, object: object) => JSON.stringify({ type, object }) + "\n";
export const expired = line("ERROR", {
  kind: "Status",
  code: 410,
  reason: "Expired",
  message: "too old resource version",
});

/** Serves lists (version 10, 20 …, with one pod each) and the given rounds of the watch. The last round hangs. */
export function collection(...rounds: Round[]): Handle {
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

/** Reads this number of changes, as `ADDED a`, and returns the requests that the server received meanwhile. */
export async function read(
  count: number,
  handle: Handle,
  options: Partial<WatchQuery> = {},
): Promise<{ changes: string[]; watches: Asked[]; asked: readonly Asked[]; server: KubeServer }> {
  const server = await openKubeServer(handle);
  const api = openApi({
    connections: await openServerConnections(server.kubeconfig()),
    concurrency: 1,
    deadline: 5000,
    userAgent: "wheelwright",
  });
  const changes: string[] = [];
  try {
    for await (const change of watch(api, { path: PATH, ...options }, { signal: new AbortController().signal })) {
      changes.push(describe(change));
      if (changes.length === count) break;
    }
  } finally {
    api.close();
    await server.close();
  }
  return { changes, asked: server.asked, watches: server.asked.filter((one) => one.query.has("watch")), server };
}

function describe(change: WatchChange): string {
  const names = change.type === "LISTED" ? change.objects : [change.object];
  return `${change.type} ${names.map((object) => object.metadata.name).join(",")}`;
}
