/** Defines how long actions in the simulated cluster take: a share of one delay, or as measured on a real cluster. */
import { SECOND } from "#lib/base/time.ts";

/**
 * Each delay as a share of the delay after which an object is ready, and as seconds that were measured on a real
 * cluster (Kubernetes 1.33, 2 cores, local disk, images already pulled).
 *
 * Measured totals: 64 to 69 for an install Job (with 5 to wait for the entry point's servers), 6 to 9 until a new database is ready, 5 for an existing database, 7 for
 * Moodle, 4 to 5 for a Job that runs Moodle's command line, 5 for the initial content, 2 for psql and curl, 5 to
 * suspend a site, 16 to delete a namespace. A Job's total includes its pod's start and its init containers.
 *
 * Assumed, not measured: upgrades, the `setup` Job (half a second longer than the initial content), snapshots, PVCs
 * filled from snapshots, Ingress addresses, certificates, quotas, and volume expansion.
 */
const DELAYS = {
  /** The time from a pod's creation until its first container starts, if the pod's PVCs are already bound. */
  podStart: [1 / 2, 1],
  /** The time from a pod's deletion until the pod is removed. `killedPodStop` applies if a program ignores SIGTERM. */
  podStop: [1 / 4, 2.5],
  killedPodStop: [2, 10], // a real cluster takes 30 s
  /** The time that a container runs, depending on its program. `job` is the default for programs in Jobs. */
  initContainer: [1 / 10, 0.3],
  job: [1 / 2, 0.7],
  install: [1 / 2, 59], // 64 less the 5 that the entry point waits for its servers, which the install Job does not start
  upgrade: [1 / 2, 60],
  cli: [1 / 2, 3.5],
  seed: [1 / 2, 3.7],
  setup: [1 / 2, 4.2],
  /** The time from a container's start until it is ready. `databaseSetUp` is for a new database, `app` for Moodle. */
  databaseSetUp: [1 / 2, 6],
  database: [1 / 2, 4],
  app: [1 / 2, 5.7],
  server: [1 / 2, 1],
  /** The time from a PVC's creation until it is bound. `expansionStage` applies to each of the two resize stages. */
  claim: [1 / 10, 0.5],
  filledClaim: [1 / 10, 2],
  expansionStage: [1 / 4, 2],
  /** The time from a snapshot's creation until it is ready. `existingSnapshot` is for a snapshot with existing data. */
  snapshot: [1, 2],
  existingSnapshot: [1, 0.5],
  address: [1, 1],
  certificate: [1, 5],
  /** The time from a change to a quota until the quota is enforced. */
  quota: [1, 0.1],
  /** The time from a namespace's deletion until the objects in it are deleted. */
  namespace: [1 / 4, 13],
} as const satisfies Readonly<Record<string, readonly [share: number, seconds: number]>>;

export type SimulatedDelays = Readonly<Record<keyof typeof DELAYS, number>>;

/** Returns delays that are all proportional to `ms`, which is roughly the time until an object is ready. */
export function createProportionalDelays(ms: number): SimulatedDelays {
  return mapDelays(([share]) => share * ms);
}

/** Returns the measured delays in milliseconds, multiplied by `factor`. */
export function createMeasuredDelays(factor: number): SimulatedDelays {
  return mapDelays(([, seconds]) => seconds * SECOND * factor);
}

function mapDelays(toMs: (delay: readonly [share: number, seconds: number]) => number): SimulatedDelays {
  return Object.fromEntries(Object.entries(DELAYS).map(([name, delay]) => [name, toMs(delay)])) as SimulatedDelays;
}
