/** Defines the input and result of a simulated program (the process in a container). */
import type { SimulatedDelays } from "#lib/dev/simulator/delays.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";

export interface ProgramContext {
  readonly world: Simulation;
  readonly pod: StoredObject;
  readonly container: Json;
  readonly env: Readonly<Record<string, string>>;
  /** If true, this run continues an earlier one: the simulator was restarted while the program was running. */
  readonly resumed: boolean;
}

export interface ProgramRun {
  readonly lines: readonly string[];
  /** The name of the delay after which the program ends or becomes ready. Absent for the default delay. */
  readonly delay?: keyof SimulatedDelays;
  /** The program's exit code; null for a program that runs until it is stopped, such as a server. */
  readonly exit: number | null;
  /** The termination reason in the container's status. Absent for `Completed` and `Error`. */
  readonly reason?: "OOMKilled";
  /** The text that the program writes to /dev/termination-log. Absent if the program does not write to this file. */
  readonly message?: string;
  /** If true, the program ignores SIGTERM and runs until the end of the pod's termination grace period. */
  readonly ignoresSigterm?: boolean;
  /** Whether the program is still waiting, for example for a database. If so, the simulator runs it again later. */
  readonly waits?: boolean;
  /** Applies the program's effect. Called when a server is ready, or when another program ends without being killed. */
  readonly done?: () => void;
}
