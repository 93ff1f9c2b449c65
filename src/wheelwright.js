#!/usr/bin/env node
/**
 * Starts src/main.ts from a source checkout. If the current Node is too old, restarts with the Node that npm installed.
 * This file is plain JavaScript, so that even Node 16 can parse it. Enabling the compile cache before any TypeScript is
 * loaded saves 40 ms. Deno starts src/main.ts directly.
 */
import module from "node:module";
import { fileURLToPath } from "node:url";

const OLDEST = 24;
/** The exit status of a process if the dynamic loader cannot start the program. */
const UNLOADABLE = 127;
const MISSING_LIBRARY = "The Node that npm installed cannot start because a library is missing (see the line above). " +
  "On Debian and Ubuntu, run apt-get install libatomic1. Or install Node 24 or newer.\n";

if (Number.parseInt(process.versions.node) >= OLDEST) {
  printStart(process.argv.slice(2));
  module.enableCompileCache?.(pathOf("../node_modules/.cache/wheelwright"));
  await import("./main.ts");
} else await startAgain();

/** Prints a first line before the program is loaded, because loading takes seconds the first time. */
function printStart([command, ...options]) {
  if (command !== "dev" || options.some((option) => option === "--help" || option === "-h")) return;
  process.stderr.write("Starting Wheelwright on this machine: PostgreSQL, a cluster and the control plane\n");
}

/** Returns the path of a file relative to this one, even if a symbolic link started this program. */
function pathOf(path) {
  return fileURLToPath(new URL(path, import.meta.url));
}

/** Returns the path of the Node that npm installed. With npm 9, the symbolic link in .bin may be missing. */
async function findInstalledNode() {
  const { existsSync } = await import("node:fs");
  const link = pathOf("../node_modules/.bin/node");
  return existsSync(link) ? link : pathOf(`../node_modules/node-linux-${process.arch}/bin/node`);
}

async function startAgain() {
  const { spawn } = await import("node:child_process");
  const child = spawn(await findInstalledNode(), [pathOf("wheelwright.js"), ...process.argv.slice(2)], {
    stdio: "inherit",
  });
  const inTerminal = await hasTerminal();
  // Forwards these signals only without a terminal, because a terminal already sends them to both processes.
  for (const name of ["SIGINT", "SIGHUP", "SIGQUIT"]) process.on(name, () => inTerminal || child.kill(name));
  for (const name of ["SIGTERM", "SIGUSR2"]) process.on(name, () => child.kill(name));
  child.once("error", () => {
    const next = `On Linux, run npm ci in ${pathOf("..")} to install it`;
    process.stderr.write(
      `wheelwright needs Node ${OLDEST} or newer, but this is Node ${process.versions.node}. ${next}\n`,
    );
    process.exitCode = 1;
  });
  child.once("exit", (status, signal) => {
    if (status === UNLOADABLE) process.stderr.write(MISSING_LIBRARY);
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
