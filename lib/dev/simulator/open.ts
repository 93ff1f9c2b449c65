/**
 * Runs a simulated cluster: a Kubernetes API server that keeps its objects in memory and serves them over HTTP.
 * `wheelwright dev`, `wheelwright simulate` and the tests use it. Its responses match recordings of a real API server,
 * which are in test/data/kube.
 */
import type { AddressInfo } from "node:net";
import { formatServiceAccountToken, type ServiceAccountRef } from "#lib/dev/simulator/access/rbac.ts";
import { closeServer, createApiServer } from "#lib/dev/simulator/api/server.ts";
import { createBaseObjects, startControllers } from "#lib/dev/simulator/controllers/start.ts";
import { getSimulatedSite, type SimulatedSite } from "#lib/dev/simulator/programs/moodle/site.ts";
import { createSimulation, type SimulationOptions } from "#lib/dev/simulator/simulation.ts";
import { startSiteServer } from "#lib/dev/simulator/sites/server.ts";
import type { StoredObject } from "#lib/dev/simulator/store/object.ts";
import { openStatePersistence } from "#lib/dev/simulator/store/persistence.ts";
import { createWriteRecorder } from "#lib/dev/simulator/store/recorder.ts";

export interface SimulatorOptions extends SimulationOptions {
  /** The port for the API server. Defaults to a free port. */
  readonly port?: number;
  /** Serves a page for each simulated site on this port. Uses a free port instead if this port is already in use. */
  readonly sites?: { readonly port: number };
  /** The file that stores the cluster's state between runs. Without a file, the state is lost when the process ends. */
  readonly state?: string;
  /** Records all write requests and changes, not only the latest ones. Memory use then grows without limit. */
  readonly record?: true;
}

export type Simulator = Awaited<ReturnType<typeof openSimulator>>;

export async function openSimulator(options: SimulatorOptions) {
  const world = createSimulation(options);
  const closeState = options.state === undefined ? null : openStatePersistence(world, options.state);
  const keep = options.record ? "everything" : "the last";
  const recorder = createWriteRecorder(world.store, { keep, now: world.timers.now });
  world.faults.onCompact(world.store.compact);
  createBaseObjects(world);
  startControllers(world);
  const server = createApiServer(world, recorder);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", () => {
      server.off("error", reject);
      resolve();
    });
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const sites = options.sites ? await startSiteServer(world, options.sites.port) : null;
  return {
    url,
    /** The port that serves the simulated sites' pages; null if no pages are served. */
    sitePort: sites?.port ?? null,
    /** Returns a kubeconfig in YAML for a service account or, without an account, for a user who may do everything. */
    kubeconfig: (account?: ServiceAccountRef): string =>
      renderKubeconfig(url, account ? formatServiceAccountToken(account) : null),
    /** Returns each permission that a request used and that only one role grants, for example `reader: list pods`. */
    grants: (): ReadonlySet<string> => world.grants,
    faults: world.faults,
    /** Simulates a rebuilt image with the same tag. Containers that start later run the new image. */
    rebuild: (image: string): void => void world.rebuilt.set(image, (world.rebuilt.get(image) ?? 0) + 1),
    /** Returns the latest write requests, oldest first. Status 0 means that no response was sent. */
    writes: recorder.writes,
    /** Returns the latest changes to objects, oldest first. */
    history: recorder.history,
    objects: (kind?: string): readonly StoredObject[] =>
      world.store.everything().filter((each) => kind === undefined || each.kind === kind),
    /** Returns the Moodle site in a namespace. Tests use it to read and change the site's data directly. */
    site: (namespace: string): SimulatedSite => getSimulatedSite(world, namespace),
    /** The contents of volumes and snapshots, keyed by handle. Only tests use this property. */
    volumes: world.volumes,
    /** Saves the cluster's state, stops all timers and closes all connections. */
    async close(): Promise<void> {
      world.timers.close();
      await sites?.close();
      await closeServer(server);
      closeState?.();
    },
  };
}

function renderKubeconfig(server: string, token: string | null): string {
  return `apiVersion: v1
kind: Config
clusters:
  - name: simulated
    cluster:
      server: ${server}
users:
  - name: simulated
    user: ${token === null ? "{}" : `{ token: "${token}" }`}
contexts:
  - name: simulated
    context:
      cluster: simulated
      user: simulated
current-context: simulated
`;
}
