/** Defines the input and the result of a simulated program. */
import type { SimulatedDelays } from "#lib/dev/simulator/delays.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { SimulatorContext } from "#lib/dev/simulator/simulator-context.ts";

export interface ProgramContext {
  readonly world: SimulatorContext;
  readonly pod: StoredObject;
  readonly container: Json;
  readonly env: Readonly<Record<string, string>>;
  /** Whether this run is resumed, because the simulated cluster was restarted while the program was running. */
  readonly resumed: boolean;
}

export interface ProgramRun {
  readonly lines: readonly string[];
  /** The name of the delay that says how long the program runs. Absent for the default delay. */
  readonly delay?: keyof SimulatedDelays;
  /** The program's exit code; null for a server. */
  readonly exit: number | null;
  /** The reason for the termination, if it is neither `Completed` nor `Error`. */
  readonly reason?: "OOMKilled";
  /** Whether the program ignores SIGTERM, so that stopping it takes the whole grace period. */
  readonly ignoresSigterm?: boolean;
  /** Whether the program is waiting for a precondition. If so, it is run again later. */
  readonly waits?: boolean;
  /** Applies the program's effect. Called when the program ends without being killed, or when it begins to serve. */
  readonly done?: () => void;
}
