/**
 * Defines the context that is passed to every part of the simulated cluster. It contains the objects, the clock, and
 * state that is not part of any object, such as volume contents, container logs and injected faults.
 */
import type { Log } from "#lib/base/log.ts";
import type { SimulatedDelays } from "#lib/dev/simulator/delays.ts";
import type { FaultRegistry } from "#lib/dev/simulator/faults.ts";
import type { ApiKindRegistry } from "#lib/dev/simulator/store/kinds.ts";
import type { ContainerLogs, VolumeContents } from "#lib/dev/simulator/store/logs-and-volumes.ts";
import type { FieldSchema } from "#lib/dev/simulator/admission/schema/fields.ts";
import type { ObjectStore } from "#lib/dev/simulator/store/store.ts";
import type { SimulatorTimers } from "#lib/dev/simulator/store/timers.ts";

export interface SimulatorContext {
  readonly kinds: ApiKindRegistry;
  readonly schema: FieldSchema;
  readonly store: ObjectStore;
  readonly timers: SimulatorTimers;
  readonly logs: ContainerLogs;
  readonly volumes: VolumeContents;
  readonly faults: FaultRegistry;
  /** The number of rebuilds for each image tag. */
  readonly rebuilt: Map<string, number>;
  readonly log: Log;
  /** Roughly how many milliseconds an object takes to become ready. Retry intervals depend on this number. */
  readonly delayMs: number;
  readonly delays: SimulatedDelays;
  /** Whether RBAC is on. If it is off, every user may do everything. */
  readonly authorization: boolean;
  /** Each permission that a request used and that only one role grants, in the form `ROLE: VERB RESOURCE`. */
  readonly grants: Set<string>;
  readonly node: { readonly cpu: string; readonly memory: string; readonly pods: string };
}
