/** Defines how long actions take in the simulated cluster, in milliseconds. */
import { SECOND } from "#lib/base/time.ts";

export interface SimulatedDelays {
  /** The time from a pod's creation until its first container starts, if the pod's PVCs are already bound. */
  readonly podStart: number;
  /** The time from a pod's deletion until the pod is removed. `killedPodStop` applies if a program ignores SIGTERM. */
  readonly podStop: number;
  readonly killedPodStop: number;
  /** The time that a container runs, depending on its program. `job` is the default for programs in Jobs. */
  readonly initContainer: number;
  readonly job: number;
  readonly install: number;
  readonly upgrade: number;
  readonly cli: number;
  readonly seed: number;
  readonly setup: number;
  /** The time from a container's start until it is ready. `databaseSetUp` is for a new database, `app` for Moodle. */
  readonly databaseSetUp: number;
  readonly database: number;
  readonly app: number;
  readonly server: number;
  /** The time from a PVC's creation until it is bound. `expansionStage` applies to each of the two resize stages. */
  readonly claim: number;
  readonly filledClaim: number;
  readonly expansionStage: number;
  /** The time from a snapshot's creation until it is ready. `existingSnapshot` is for a snapshot with existing data. */
  readonly snapshot: number;
  readonly existingSnapshot: number;
  readonly address: number;
  readonly certificate: number;
  /** The time from a change to a quota until the quota is enforced. */
  readonly quota: number;
  /** The time from a namespace's deletion until the objects in it are deleted. */
  readonly namespace: number;
}

/** Returns delays that are all proportional to `ms`, which is roughly the time until an object is ready. */
export function createProportionalDelays(ms: number): SimulatedDelays {
  return {
    podStart: ms / 2,
    podStop: ms / 4,
    killedPodStop: ms * 2,
    initContainer: ms / 10,
    ...{ job: ms / 2, install: ms / 2, upgrade: ms / 2, cli: ms / 2, seed: ms / 2, setup: ms / 2 },
    ...{ databaseSetUp: ms / 2, database: ms / 2, app: ms / 2, server: ms / 2 },
    ...{ claim: ms / 10, filledClaim: ms / 10, expansionStage: ms / 4 },
    ...{ snapshot: ms, existingSnapshot: ms, address: ms, certificate: ms, quota: ms },
    namespace: ms / 4,
  };
}

/**
 * Seconds that actions took on a real cluster (Kubernetes 1.33, 2 cores, local disk, images already pulled).
 *
 * Measured totals: 64 to 69 for an install Job, 6 to 9 until a new database is ready, 5 for an existing database, 7 for
 * Moodle, 4 to 5 for a Job that runs Moodle's command line, 5 for the initial content, 2 for psql and curl, 5 to
 * suspend a site, 16 to delete a namespace. A Job's total includes its pod's start and its init containers.
 *
 * Assumed, not measured: upgrades, the `setup` Job (half a second longer than the initial content), snapshots, PVCs
 * filled from snapshots, Ingress addresses, certificates, quotas, and volume expansion.
 */
const MEASURED: SimulatedDelays = {
  podStart: 1,
  podStop: 2.5,
  killedPodStop: 10, // a real cluster takes 30 s
  initContainer: 0.3,
  ...{ job: 0.7, install: 64, upgrade: 60, cli: 3.5, seed: 3.7, setup: 4.2 },
  ...{ databaseSetUp: 6, database: 4, app: 5.7, server: 1 },
  ...{ claim: 0.5, filledClaim: 2, expansionStage: 2 },
  ...{ snapshot: 2, existingSnapshot: 0.5, address: 1, certificate: 5, quota: 0.1 },
  namespace: 13,
};

/** Returns the measured delays in milliseconds, multiplied by `factor`. */
export function createMeasuredDelays(factor: number): SimulatedDelays {
  const scaled = Object.entries(MEASURED).map(([name, seconds]) => [name, seconds * SECOND * factor] as const);
  return Object.fromEntries(scaled) as unknown as SimulatedDelays;
}
