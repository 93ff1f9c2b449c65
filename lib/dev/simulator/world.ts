/**
 * Defines the context that every part of the simulated cluster receives. It holds the objects, the clock, and state
 * that no object shows: volume contents, container logs and injected faults.
 */
import type { Log } from "#lib/base/log.ts";
import type { Delays } from "#lib/dev/simulator/delays.ts";
import type { Faults } from "#lib/dev/simulator/faults.ts";
import type { ApiKinds } from "#lib/dev/simulator/store/kinds.ts";
import type { Logs, Volumes } from "#lib/dev/simulator/store/logs-and-volumes.ts";
import type { FieldSchema } from "#lib/dev/simulator/admission/schema/fields.ts";
import type { Store } from "#lib/dev/simulator/store/store.ts";
import type { Timers } from "#lib/dev/simulator/store/timers.ts";

export interface World {
  readonly kinds: ApiKinds;
  readonly schema: FieldSchema;
  readonly store: Store;
  readonly timers: Timers;
  readonly logs: Logs;
  readonly volumes: Volumes;
  readonly faults: Faults;
  /** The number of rebuilds of each image tag. */
  readonly rebuilt: Map<string, number>;
  readonly log: Log;
  /** The approximate milliseconds until an object is ready. Retry intervals are derived from it. */
  readonly delayMs: number;
  readonly delays: Delays;
  /** Whether RBAC is enforced. If not, every user may do everything. */
  readonly authorization: boolean;
  /** Permissions that exactly one role granted so far, as `ROLE: VERB RESOURCE`. */
  readonly grants: Set<string>;
  /** The capacity of the only node. */
  readonly node: { readonly cpu: string; readonly memory: string; readonly pods: string };
}
