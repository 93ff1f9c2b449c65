/**
 * Runs a simulated cluster: a small Kubernetes API server that keeps its objects in memory and serves them over HTTP.
 * Its answers were checked against recordings of a real API server (test/data/kube). `wheelwright dev`, `wheelwright
 * simulate` and the tests use it.
 *
 * Wheelwright treats it as an ordinary cluster. The simulator knows nothing about Wheelwright, except what a Moodle
 * image does when it starts (programs/moodle/).
 */
import type { AddressInfo } from "node:net";
import { type AccountRef, accountToken } from "#lib/dev/simulator/access/users.ts";
import { closeServer, createApi } from "#lib/dev/simulator/api/server.ts";
import { furnish } from "#lib/dev/simulator/controllers/base-objects.ts";
import { startControllers } from "#lib/dev/simulator/controllers/start.ts";
import { evenDelays, measuredDelays } from "#lib/dev/simulator/delays.ts";
import { type Faults, openFaults } from "#lib/dev/simulator/faults.ts";
import { readKinds } from "#lib/dev/simulator/store/kinds.ts";
import { openLogs, openVolumes, type Volumes } from "#lib/dev/simulator/store/logs-and-volumes.ts";
import { type SimulatedSite, siteOf } from "#lib/dev/simulator/programs/moodle/site.ts";
import type { StoredObject } from "#lib/dev/simulator/store/object.ts";
import { openKeeper } from "#lib/dev/simulator/store/persistence.ts";
import { type Happening, openRecorder, type Write } from "#lib/dev/simulator/store/recorder.ts";
import { readSchema } from "#lib/dev/simulator/admission/schema/fields.ts";
import { openSiteServer } from "#lib/dev/simulator/sites/server.ts";
import { openStore } from "#lib/dev/simulator/store/store.ts";
import { openTimers, type Timers } from "#lib/dev/simulator/store/timers.ts";
import type { World } from "#lib/dev/simulator/world.ts";
import type { Log } from "#lib/base/log.ts";
import { SECOND } from "#lib/base/time.ts";

export interface SimulatorOptions {
  /**
   * Milliseconds until an object is ready. With 0, an object is ready as soon as the controllers process it, but always
   * asynchronously.
   */
  readonly delayMs: number;
  /** Uses the delays that were measured on a real cluster, multiplied by this factor. `delayMs` is then ignored. */
  readonly measured?: number | null;
  /** Replaces the system clock. */
  readonly timers?: Timers;
  /** The port of the API server. Defaults to a free port. */
  readonly port?: number;
  /** Serves a page for each site on this port, or on a free port if this one is in use. */
  readonly sites?: { readonly port: number };
  /** The file that stores the cluster's state between runs. Without it, the state is lost when the process ends. */
  readonly state?: string;
  /** The capacity of the only node. The default is practically unlimited. */
  readonly node?: { readonly cpu: string; readonly memory: string; readonly pods: string };
  /** Enforces RBAC. Without it, every user may do everything. */
  readonly authorization?: "on";
  /** Keeps all writes and changes in the record, not only the last ones. Memory grows without limit. */
  readonly record?: true;
  readonly log: Log;
}

export interface Simulator {
  readonly url: string;
  /** The port of the sites' pages, or null if none are served. */
  readonly sitePort: number | null;
  /**
   * Returns a kubeconfig in YAML for a service account. Without an account it contains no credentials and may do
   * everything.
   */
  kubeconfig(account?: AccountRef): string;
  /** Returns the permissions that exactly one role granted so far, for example `reader: list pods`. */
  grants(): ReadonlySet<string>;
  /** Injects and removes faults. */
  readonly faults: Faults;
  /** Simulates a rebuilt image under the same tag. Containers that start later run the new image. */
  rebuild(image: string): void;
  /** Returns the last write requests, oldest first. Status 0 means that no response was sent. */
  writes(): readonly Write[];
  /** Returns the last changes of objects, oldest first. */
  history(): readonly Happening[];
  /** Returns all objects in the cluster, or all objects of one kind. */
  objects(kind?: string): readonly StoredObject[];
  /** Returns the Moodle site on a namespace's volumes. Tests use it to read and change the site's data directly. */
  site(namespace: string): SimulatedSite;
  /** The contents of volumes and snapshots, by handle. For tests. */
  readonly volumes: Pick<Volumes, "read" | "write" | "entries">;
  /** Saves the state and ends all timers and connections. */
  close(): Promise<void>;
}

const PLENTY = { cpu: "100k", memory: "1Pi", pods: "1M" };

export async function openSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { delayMs, measured = null } = options;
  const world: World = {
    kinds: readKinds(),
    schema: readSchema(),
    store: openStore(),
    timers: options.timers ?? openTimers(),
    logs: openLogs(),
    volumes: openVolumes(),
    faults: openFaults(),
    rebuilt: new Map(),
    log: options.log,
    delayMs: measured === null ? delayMs : measured * 2 * SECOND,
    delays: measured === null ? evenDelays(delayMs) : measuredDelays(measured),
    node: options.node ?? PLENTY,
    authorization: options.authorization === "on",
    grants: new Set(),
  };
  const keeper = await openKeeper(world, options.state);
  const keep = options.record ? "everything" : "the last";
  const recorder = openRecorder(world.store, { keep, now: world.timers.now });
  world.faults.onCompact(world.store.compact);
  furnish(world);
  startControllers(world);
  const server = createApi(world, recorder);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", () => {
      server.off("error", reject);
      resolve();
    });
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const sites = options.sites ? await openSiteServer(world, options.sites.port) : null;
  return {
    url,
    sitePort: sites?.port ?? null,
    kubeconfig: (account) => renderKubeconfig(url, account ? accountToken(account) : null),
    grants: () => world.grants,
    faults: world.faults,
    rebuild: (image) => void world.rebuilt.set(image, (world.rebuilt.get(image) ?? 0) + 1),
    writes: recorder.writes,
    history: recorder.history,
    objects: (kind) => world.store.everything().filter((each) => kind === undefined || each.kind === kind),
    site: (namespace) => siteOf(world, namespace),
    volumes: world.volumes,
    async close() {
      world.timers.close();
      await sites?.close();
      await closeServer(server);
      await keeper.close();
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
