/** Sends requests to a test server with the cluster driver's HTTP client. */
import * as assert from "uvu/assert";
import { type ClusterRequest, type KubeApi, openKubeApi } from "#lib/drivers/cluster/client/api.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import type { Telemetry } from "#lib/base/telemetry.ts";
import { openServerConnections } from "#lib/drivers/cluster/client/connection.ts";
import { answer, type KubeHandler, type KubeServer, openKubeServer } from "#test/support/kube/server.ts";

export const GET_REQUEST: ClusterRequest = { method: "GET", path: "/api/v1/pods", repeat: "safe" };
export const PATCH_REQUEST: ClusterRequest = { method: "PATCH", path: "/api/v1/pods/x", body: [], repeat: "unsent" };
export const UNCANCELLED = { signal: new AbortController().signal };

export async function withServer(
  handle: KubeHandler,
  use: (api: KubeApi, server: KubeServer) => Promise<void>,
  options: { concurrency?: number; deadline?: number; path?: string; telemetry?: Telemetry } = {},
): Promise<void> {
  const server = await openKubeServer(handle);
  const api = openKubeApi({
    connections: await openServerConnections(server.kubeconfig({}, undefined, options.path)),
    concurrency: options.concurrency ?? 4,
    deadline: options.deadline ?? 5000,
    userAgent: "wheelwright/1.2.3",
    ...(options.telemetry && { telemetry: options.telemetry }),
  });
  try {
    await use(api, server);
  } finally {
    api.close();
    await server.close();
  }
}

export async function failureOf(promise: Promise<unknown>): Promise<ClusterError> {
  try {
    await promise;
  } catch (error) {
    assert.instance(error, ClusterError, String(error));
    return error as ClusterError;
  }
  throw new Error("it did not fail");
}

/** Handles the first requests with the given handlers, one per request. Responds to later requests with success. */
export function respondOnceThen(...first: KubeHandler[]): KubeHandler {
  let count = 0;
  return (asked, response, socket) => {
    const handle = first[count++];
    if (handle) handle(asked, response, socket);
    else answer(response, 200, { fine: true });
  };
}
