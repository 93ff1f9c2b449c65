/**
 * Runs a simulated cluster: a Kubernetes API server that keeps its objects in memory and serves them over HTTP.
 * `wheelwright dev`, `wheelwright simulate` and the tests use it. Its responses match recordings of a real API server,
 * which are in test/data/kube.
 */
import type { AddressInfo } from "node:net";
import { formatServiceAccountToken, type ServiceAccountRef } from "#lib/dev/simulator/access/users.ts";
import { closeServer, createApiServer } from "#lib/dev/simulator/api/server.ts";
import { createBaseObjects } from "#lib/dev/simulator/controllers/base-objects.ts";
import { startControllers } from "#lib/dev/simulator/controllers/start.ts";
import { createMeasuredDelays, createProportionalDelays } from "#lib/dev/simulator/delays.ts";
import { createFaultRegistry, type FaultRegistry } from "#lib/dev/simulator/faults.ts";
import { loadApiKinds } from "#lib/dev/simulator/store/kinds.ts";
import {
  createContainerLogs,
  createVolumeContents,
  type VolumeContents,
} from "#lib/dev/simulator/store/logs-and-volumes.ts";
import { getSimulatedSite, type SimulatedSite } from "#lib/dev/simulator/programs/moodle/site.ts";
import type { StoredObject } from "#lib/dev/simulator/store/object.ts";
import { openStatePersistence } from "#lib/dev/simulator/store/persistence.ts";
import { createWriteRecorder, type RecordedChange, type WriteRecord } from "#lib/dev/simulator/store/recorder.ts";
import { loadFieldSchema } from "#lib/dev/simulator/admission/schema/fields.ts";
import { startSiteServer } from "#lib/dev/simulator/sites/server.ts";
import { createObjectStore } from "#lib/dev/simulator/store/store.ts";
import { createSimulatorTimers, type SimulatorTimers } from "#lib/dev/simulator/store/timers.ts";
import type { SimulatorContext } from "#lib/dev/simulator/simulator-context.ts";
import type { Log } from "#lib/base/log.ts";
import { SECOND } from "#lib/base/time.ts";

export interface SimulatorOptions {
  /** Roughly how many milliseconds an object takes to become ready. Even with 0, it becomes ready asynchronously. */
  readonly delayMs: number;
  /** If set, the simulator uses delays measured on a real cluster, multiplied by this factor, instead of `delayMs`. */
  readonly measured?: number | null;
  /** Timers to use instead of the system clock. */
  readonly timers?: SimulatorTimers;
  /** The port for the API server. Defaults to a free port. */
  readonly port?: number;
  /** Serves a page for each simulated site on this port. Uses a free port instead if this port is already in use. */
  readonly sites?: { readonly port: number };
  /** The file that stores the cluster's state between runs. Without a file, the state is lost when the process ends. */
  readonly state?: string;
  /** The capacity of the cluster's only node. The default is practically unlimited. */
  readonly node?: { readonly cpu: string; readonly memory: string; readonly pods: string };
  /** Turns RBAC on. Without it, every user may do everything. */
  readonly authorization?: "on";
  /** Records all write requests and changes, not only the latest ones. Memory use then grows without limit. */
  readonly record?: true;
  readonly log: Log;
}

export interface Simulator {
  readonly url: string;
  /** The port that serves the simulated sites' pages; null if no pages are served. */
  readonly sitePort: number | null;
  /** Returns a kubeconfig in YAML for a service account or, without an account, for a user who may do everything. */
  kubeconfig(account?: ServiceAccountRef): string;
  /** Returns each permission that a request used and that only one role grants, for example `reader: list pods`. */
  grants(): ReadonlySet<string>;
  readonly faults: FaultRegistry;
  /** Simulates a rebuilt image with the same tag. Containers that start later run the new image. */
  rebuild(image: string): void;
  /** Returns the latest write requests, oldest first. Status 0 means that no response was sent. */
  writes(): readonly WriteRecord[];
  /** Returns the latest changes to objects, oldest first. */
  history(): readonly RecordedChange[];
  objects(kind?: string): readonly StoredObject[];
  /** Returns the Moodle site in a namespace. Tests use it to read and change the site's data directly. */
  site(namespace: string): SimulatedSite;
  /** The contents of volumes and snapshots, keyed by handle. Only tests use this property. */
  readonly volumes: Pick<VolumeContents, "read" | "write" | "entries">;
  /** Saves the cluster's state, stops all timers and closes all connections. */
  close(): Promise<void>;
}

const UNLIMITED_NODE = { cpu: "100k", memory: "1Pi", pods: "1M" };

export async function openSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { delayMs, measured = null } = options;
  const world: SimulatorContext = {
    kinds: loadApiKinds(),
    schema: loadFieldSchema(),
    store: createObjectStore(),
    timers: options.timers ?? createSimulatorTimers(),
    logs: createContainerLogs(),
    volumes: createVolumeContents(),
    faults: createFaultRegistry(),
    rebuilt: new Map(),
    log: options.log,
    delayMs: measured === null ? delayMs : measured * 2 * SECOND,
    delays: measured === null ? createProportionalDelays(delayMs) : createMeasuredDelays(measured),
    node: options.node ?? UNLIMITED_NODE,
    authorization: options.authorization === "on",
    grants: new Set(),
  };
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
    sitePort: sites?.port ?? null,
    kubeconfig: (account) => renderKubeconfig(url, account ? formatServiceAccountToken(account) : null),
    grants: () => world.grants,
    faults: world.faults,
    rebuild: (image) => void world.rebuilt.set(image, (world.rebuilt.get(image) ?? 0) + 1),
    writes: recorder.writes,
    history: recorder.history,
    objects: (kind) => world.store.everything().filter((each) => kind === undefined || each.kind === kind),
    site: (namespace) => getSimulatedSite(world, namespace),
    volumes: world.volumes,
    async close() {
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
