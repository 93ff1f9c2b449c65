/**
 * The simulated cluster: a small Kubernetes API server of our own, in memory, over HTTP, held against what a real one
 * answered (test/data/kube). `wheelwright dev`, `wheelwright simulate` and the tests use it.
 *
 * It is a driver that knows nothing of Wheelwright but what a Moodle image does when it is started (programs/moodle/).
 */
import type { AddressInfo } from "node:net";
import { type AccountRef, accountToken } from "#lib/dev/simulator/access/users.ts";
import { closeServer, createApi } from "#lib/dev/simulator/api/server.ts";
import { furnish } from "#lib/dev/simulator/controllers/furniture.ts";
import { startControllers } from "#lib/dev/simulator/controllers/start.ts";
import { evenDelays, measuredDelays } from "#lib/dev/simulator/delays.ts";
import { type Faults, openFaults } from "#lib/dev/simulator/faults.ts";
import { readKinds } from "#lib/dev/simulator/store/kinds.ts";
import { openLogs, openVolumes, type Volumes } from "#lib/dev/simulator/store/contents.ts";
import { type SimulatedSite, siteOf } from "#lib/dev/simulator/programs/moodle/site.ts";
import type { StoredObject } from "#lib/dev/simulator/store/object.ts";
import { openKeeper } from "#lib/dev/simulator/store/persist.ts";
import { type Happening, openRecorder, type Write } from "#lib/dev/simulator/store/recorder.ts";
import { readSchema } from "#lib/dev/simulator/admission/schema/fields.ts";
import { openSiteServer } from "#lib/dev/simulator/sites/server.ts";
import { openStore } from "#lib/dev/simulator/store/store.ts";
import { openTimers, type Timers } from "#lib/dev/simulator/store/timers.ts";
import type { World } from "#lib/dev/simulator/world.ts";
import type { Log } from "#lib/base/log.ts";
import { SECOND } from "#lib/base/time.ts";

export interface SimulatorOptions {
  /** Milliseconds until an object is ready; 0 is as soon as the controllers come to it, but never at once. */
  readonly delayMs: number;
  /** Has everything take as long as it was measured to, times this, and not the same delay. */
  readonly measured?: number | null;
  /** Another clock than the system's. */
  readonly timers?: Timers;
  /** A free one by default. */
  readonly port?: number;
  /** Serves a page for each site, on this port or, if it is taken, on a free one. */
  readonly sites?: { readonly port: number };
  /** A file that keeps the cluster's state from one run to the next; without it, it ends with the process. */
  readonly state?: string;
  /** What the one node has to give; by default more than anybody asks for. */
  readonly node?: { readonly cpu: string; readonly memory: string; readonly pods: string };
  /** Roles are asked what an account may do. Else everybody may do everything. */
  readonly authorization?: "on";
  /** Keeps the record of all writes and changes, and not only of the last: for a while, not for ever. */
  readonly record?: true;
  readonly log: Log;
}

export interface Simulator {
  readonly url: string;
  /** The port of the sites' pages; null if none are served. */
  readonly sitePort: number | null;
  /** A kubeconfig in YAML, of a service account or, without credentials, of who may do everything. */
  kubeconfig(account?: AccountRef): string;
  /** What one role alone has allowed so far, for example `reader: list pods`. */
  grants(): ReadonlySet<string>;
  /** What to break, and how to heal it. */
  readonly faults: Faults;
  /** Moves an image tag, as its publisher does by a rebuild. Containers that start later run the other image. */
  rebuild(image: string): void;
  /** The last requests that could have changed something, oldest first, with what was answered (0: nothing). */
  writes(): readonly Write[];
  /** The last changes of objects, oldest first. */
  history(): readonly Happening[];
  /** Everything that stands in the cluster, or everything of one kind. */
  objects(kind?: string): readonly StoredObject[];
  /** The Moodle on a namespace's volumes, as only a test can see and change it. */
  site(namespace: string): SimulatedSite;
  /** What is on volumes and in snapshots, by handle, likewise. */
  readonly volumes: Pick<Volumes, "read" | "write" | "entries">;
  /** Keeps the state, ends every timer and connection. */
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
