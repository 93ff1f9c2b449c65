#!/usr/bin/env node
/**
 * Starts src/main.ts from its sources, by the Node that a shell finds; where that is too old for them, by the one that npm
 * brought. Node loads 40 ms of compiler for the first TypeScript that it meets, unless what it compiled before is looked for
 * first: so this is no TypeScript, and nothing that Node 16 could not read. Deno, and whoever names src/main.ts, do without it.
 */
import module from "node:module";
import { fileURLToPath } from "node:url";

const OLDEST = 24;

if (Number.parseInt(process.versions.node) >= OLDEST) {
  module.enableCompileCache?.(beside("../node_modules/.cache/wheelwright"));
  await import("./main.ts");
} else await startAgain();

/** By a link as well: it leads to this file before its neighbours are looked for. */
function beside(path) {
  return fileURLToPath(new URL(path, import.meta.url));
}

async function startAgain() {
  const { spawn } = await import("node:child_process");
  const node = beside("../node_modules/.bin/node");
  const child = spawn(node, [beside("wheelwright.js"), ...process.argv.slice(2)], { stdio: "inherit" });
  const inTerminal = await hasTerminal();
  // What a terminal sends, it sends to both.
  for (const name of ["SIGINT", "SIGHUP", "SIGQUIT"]) process.on(name, () => inTerminal || child.kill(name));
  for (const name of ["SIGTERM", "SIGUSR2"]) process.on(name, () => child.kill(name));
  child.once("error", () => {
    const next = `npm ci in ${beside("..")} brings one along on Linux`;
    process.stderr.write(
      `wheelwright needs Node ${OLDEST} or newer, and this is ${process.versions.node}; ${next}\n`,
    );
    process.exitCode = 1;
  });
  child.once("exit", (status, signal) => {
    if (signal === null) return void (process.exitCode = status);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

async function hasTerminal() {
  const { closeSync, openSync } = await import("node:fs");
  try {
    closeSync(openSync("/dev/tty", "r"));
    return true;
  } catch {
    return false;
  }
}
