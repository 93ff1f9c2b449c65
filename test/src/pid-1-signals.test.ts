import { suite } from "uvu";
import * as assert from "uvu/assert";
import { exitOnSignals } from "#src/pid-1-signals.ts";
import { handleStopSignals } from "#src/stop-signals.ts";

const test = suite("exitOnSignals");

test("exits at a signal, unless another handler is registered", async () => {
  const exit = process.exit, statuses: unknown[] = [];
  process.exit = ((status: number) => void statuses.push(status)) as typeof exit;
  try {
    exitOnSignals();
    process.emit("SIGTERM", "SIGTERM");
    process.emit("SIGINT", "SIGINT");
    assert.equal(statuses, [143, 130]);
    const stop = handleStopSignals();
    process.emit("SIGTERM", "SIGTERM");
    assert.is(await stop.signalName, "SIGTERM");
    assert.is(statuses.length, 2);
    stop.dispose();
    process.emit("SIGHUP", "SIGHUP");
    assert.equal(statuses, [143, 130, 129]);
  } finally {
    process.exit = exit;
  }
});

test.run();
