/**
 * What every part of the simulated cluster is handed: its objects, its time, and the things that no object shows
 * (what is on a volume, what a container wrote, what a person broke).
 */
import type { Log } from "#lib/base/log.ts";
import type { Delays } from "#lib/dev/simulator/delays.ts";
import type { Faults } from "#lib/dev/simulator/faults.ts";
import type { ApiKinds } from "#lib/dev/simulator/store/kinds.ts";
import type { Logs, Volumes } from "#lib/dev/simulator/store/contents.ts";
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
  /** How often each image tag was rebuilt. */
  readonly rebuilt: Map<string, number>;
  readonly log: Log;
  /** Milliseconds that an object takes until it is ready, by and large: what is tried again grows from this. */
  readonly delayMs: number;
  readonly delays: Delays;
  /** Whether roles are asked what somebody may do; else everybody may do everything. */
  readonly authorization: boolean;
  /** What one role alone has allowed so far: `ROLE: VERB RESOURCE`. */
  readonly grants: Set<string>;
  /** What the one node has to give. */
  readonly node: { readonly cpu: string; readonly memory: string; readonly pods: string };
}
