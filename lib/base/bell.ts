/** Somebody waits until somebody else has news, or for so long. */
import { within } from "#lib/base/race.ts";
import { sleep } from "#lib/base/time.ts";

export interface Bell {
  ring(): void;
  /** Waits until it rings, at most so long; a ring that came before is heard at once. */
  heard(most: number, signal: AbortSignal): Promise<void>;
}

export function openBell(): Bell {
  let rung = false, wake = () => {};
  return {
    ring: () => {
      rung = true;
      wake();
    },
    heard: async (most, signal) => {
      if (!rung && most > 0) {
        const rings = new Promise<void>((resolve) => wake = resolve);
        await within([signal], null, (quiet) => Promise.race([rings, sleep(most, quiet)]));
      }
      signal.throwIfAborted();
      rung = false;
    },
  };
}
