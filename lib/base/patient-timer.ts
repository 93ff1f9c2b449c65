/** Provides a timer for waiting for a response, which does not run out merely because this process is busy. */

const PARTS = 4;

/**
 * Calls `act` after `ms` milliseconds, or later if the process was busy or suspended: it waits for several shorter timers
 * in turn. Between two of them, the event loop handles responses that arrived in the meantime. Otherwise, a busy process
 * would report a server as late whose response it has not read yet. Returns a function that stops the timer.
 */
export function startPatientTimer(ms: number, act: () => void): () => void {
  let left = PARTS, timer = setTimeout(endPart, ms / PARTS);
  function endPart(): void {
    left--;
    if (left === 0) act();
    else timer = setTimeout(endPart, ms / PARTS);
  }
  return () => clearTimeout(timer);
}
