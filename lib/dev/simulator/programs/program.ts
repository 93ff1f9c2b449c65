/** Defines the input and the result of a simulated program. */
import type { SimulatedDelays } from "#lib/dev/simulator/delays.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { SimulatorContext } from "#lib/dev/simulator/simulator-context.ts";

export interface ProgramContext {
  readonly world: SimulatorContext;
  readonly pod: StoredObject;
  readonly container: Json;
  readonly env: Readonly<Record<string, string>>;
  /** Whether the cluster was restarted during this run, and the run is resumed. */
  readonly resumed: boolean;
}

export interface ProgramRun {
  readonly lines: readonly string[];
  /** The name of the delay that the run takes. Absent for the default delay. */
  readonly delay?: keyof SimulatedDelays;
  /** The exit code, or null for a server. */
  readonly exit: number | null;
  /** The termination reason, if it is not `Completed` or `Error`. */
  readonly reason?: "OOMKilled";
  /** Whether the program ignores SIGTERM, so that it takes the whole grace period to stop. */
  readonly ignoresSigterm?: boolean;
  /** Whether the program waits for a precondition. It is then run again later. */
  readonly waits?: boolean;
  /** Applies the program's effect. Called when the program ends without being killed, or starts to serve. */
  readonly done?: () => void;
}
