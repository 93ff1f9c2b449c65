/** Tests the shutdown of programs that fail to stop cleanly. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readConfig } from "#lib/base/config.ts";
import { createLog } from "#lib/base/log.ts";
import { createProgram, type Program } from "#src/compose.ts";
import { runUntilStopped } from "#src/run.ts";
import type { StopSignals } from "#src/stop-signals.ts";
import { openTestDatabase } from "#test/support/database.ts";
import { findFreePort } from "#test/support/free-port.ts";
import { rejection } from "#test/support/until.ts";

const test = suite("runUntilStopped");

test("closes its ports and logs an error if draining fails", async () => {
  const db = await openTestDatabase(), metricsPort = await findFreePort(), lines: string[] = [];
  const env = {
    PUBLIC_URL: "http://localhost:3000",
    ROOT_DOMAIN: "spokes.example.org",
    DATABASE_URL: db.url,
    KUBECONFIG: "/nowhere",
    HOST: "127.0.0.1",
    PORT: "0",
    METRICS_PORT: String(metricsPort),
    SCHEDULER: "off",
    SHUTDOWN_NOTICE_MS: "0",
  };
  const log = createLog({ level: "error", format: "json", write: (line) => void lines.push(line) });
  const composed = await createProgram(readConfig({ mode: "serve", env, terminal: false }), { file: "/nowhere" }, log);
  const program: Program = { ...composed, drain: () => Promise.reject(new Error("It is away")) };
  const { stop, tell } = manualStop(), { port, stopped } = await runUntilStopped(program, stop);
  const urls = [`http://127.0.0.1:${port}/api/healthz`, `http://127.0.0.1:${metricsPort}/metrics`];
  for (const url of urls) assert.is((await fetch(url, { headers: { connection: "close" } })).status, 200);
  tell("SIGTERM");
  assert.is(await stopped, true);
  for (const url of urls) await rejection(fetch(url));
  assert.match(lines.join(), /The shutdown failed.*It is away/);
  await composed.close();
  await db.close();
});

const never = () => new Promise<never>(() => {});

for (const [what, parts] of Object.entries<Partial<Program>>({ drain: { drain: never }, close: { close: never } })) {
  test(`stops at the end of the grace though its ${what} never ends, and says that something was abandoned`, async () => {
    const db = await openTestDatabase(), lines: string[] = [];
    const env = {
      ...{ PUBLIC_URL: "http://localhost:3000", ROOT_DOMAIN: "spokes.example.org", DATABASE_URL: db.url },
      ...{ KUBECONFIG: "/nowhere", HOST: "127.0.0.1", PORT: "0", SCHEDULER: "off" },
      ...{ SHUTDOWN_NOTICE_MS: "0", SHUTDOWN_GRACE_MS: "1000" },
    };
    const log = createLog({ level: "warn", format: "json", write: (line) => void lines.push(line) });
    const composed = await createProgram(
      readConfig({ mode: "serve", env, terminal: false }),
      { file: "/nowhere" },
      log,
    );
    const { stop, tell } = manualStop(), { stopped } = await runUntilStopped({ ...composed, ...parts }, stop);
    tell("SIGTERM");
    assert.is(await stopped, false);
    assert.match(lines.join(), "Stopped before all work was finished");
    await composed.close();
    await db.close();
  });
}

test.run();

function manualStop(): { readonly stop: StopSignals; readonly tell: (signal: string) => void } {
  const { promise: told, resolve: tell } = Promise.withResolvers<string>();
  return { stop: { signalName: told, signal: new AbortController().signal, throwIfStopped() {}, dispose() {} }, tell };
}
