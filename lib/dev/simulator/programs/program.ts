/** What a program is told when it is started, and what comes of it. */
import type { Delays } from "#lib/dev/simulator/delays.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { World } from "#lib/dev/simulator/world.ts";

export interface Context {
  readonly world: World;
  readonly pod: StoredObject;
  readonly container: Json;
  readonly env: Readonly<Record<string, string>>;
  /** Whether this is the same run as before, taken up again by a cluster that was stopped in between. */
  readonly resumed: boolean;
}

export interface ProgramRun {
  readonly lines: readonly string[];
  /** How long it takes, where that is not as long as any other. */
  readonly takes?: keyof Delays;
  /** Its exit code; null for what serves. */
  readonly exit: number | null;
  /** Not Completed or Error, but this. */
  readonly reason?: "OOMKilled";
  /** Does not hear SIGTERM, and takes the whole grace to stop. */
  readonly deaf?: boolean;
  /** Waits for something: is to be asked again. */
  readonly waits?: boolean;
  /** What has come about when it has ended by itself, or serves. */
  readonly done?: () => void;
}
