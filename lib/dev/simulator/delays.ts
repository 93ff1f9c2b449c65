/** How long what takes its time in a cluster takes in the simulated one, in milliseconds. */
import { SECOND } from "#lib/base/time.ts";

export interface Delays {
  /** From a pod's creation, its claims being bound, until its first container starts. */
  readonly podStart: number;
  /** From its deletion until it is gone; and of one whose program does not hear that it is to stop. */
  readonly podStop: number;
  readonly deafPodStop: number;
  /** A container to its end: of a pod's first ones, and of a Job whose program is none of the following. */
  readonly initContainer: number;
  readonly job: number;
  readonly install: number;
  readonly upgrade: number;
  readonly cli: number;
  readonly seed: number;
  readonly settle: number;
  /** A container until it serves: a database that is set up first, one that is there, Moodle, anything else. */
  readonly databaseSetUp: number;
  readonly database: number;
  readonly app: number;
  readonly server: number;
  /** A claim until it is bound, a new one and one that is filled from a snapshot; and each stage of its growth. */
  readonly claim: number;
  readonly filledClaim: number;
  readonly growth: number;
  /** A snapshot until it is ready: one that is taken, and one that the storage has already. */
  readonly snapshot: number;
  readonly knownSnapshot: number;
  readonly address: number;
  readonly certificate: number;
  /** Until a quota that was changed holds. */
  readonly quota: number;
  /** Until the deletion of a namespace reaches what is in it. */
  readonly namespace: number;
}

/** All alike: parts of one delay, which is about that of an object until it is ready. */
export function evenDelays(ms: number): Delays {
  return {
    podStart: ms / 2,
    podStop: ms / 4,
    deafPodStop: ms * 2,
    initContainer: ms / 10,
    ...{ job: ms / 2, install: ms / 2, upgrade: ms / 2, cli: ms / 2, seed: ms / 2, settle: ms / 2 },
    ...{ databaseSetUp: ms / 2, database: ms / 2, app: ms / 2, server: ms / 2 },
    ...{ claim: ms / 10, filledClaim: ms / 10, growth: ms / 4 },
    ...{ snapshot: ms, knownSnapshot: ms, address: ms, certificate: ms, quota: ms },
    namespace: ms / 4,
  };
}

/**
 * As a real Moodle on a real cluster took (Kubernetes 1.33, 2 cores, local disk, images there already), in seconds: an install
 * Job 64 to 69 in all, a database until it is ready 6 to 9 at first and 5 when it is resumed, Moodle 7, a Job of Moodle's
 * command line 4 to 5, the seed 5, psql and curl 2, a site's suspension 5, the deletion of a namespace 16. Not measured,
 * and assumed: an upgrade, the Job settle (the seed's time and half a second), snapshots, claims that are filled from them,
 * addresses, certificates, quotas, growth. What a Job takes is its pod's start, its init containers and its program.
 */
const MEASURED: Delays = {
  podStart: 1,
  podStop: 2.5,
  deafPodStop: 10, // 30 in a real one, which nobody waits for here
  initContainer: 0.3,
  ...{ job: 0.7, install: 64, upgrade: 60, cli: 3.5, seed: 3.7, settle: 4.2 },
  ...{ databaseSetUp: 6, database: 4, app: 5.7, server: 1 },
  ...{ claim: 0.5, filledClaim: 2, growth: 2 },
  ...{ snapshot: 2, knownSnapshot: 0.5, address: 1, certificate: 5, quota: 0.1 },
  namespace: 13,
};

/** `factor` makes all of them shorter, or longer. */
export function measuredDelays(factor: number): Delays {
  const scaled = Object.entries(MEASURED).map(([name, seconds]) => [name, seconds * SECOND * factor] as const);
  return Object.fromEntries(scaled) as unknown as Delays;
}
