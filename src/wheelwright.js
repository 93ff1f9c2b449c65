#!/usr/bin/env node
/**
 * Starts src/main.ts from its sources: on the Node that runs this file, or on the one that npm installed if this Node is too
 * old. It is JavaScript that Node 16 can read. It also enables the compile cache before the first TypeScript is loaded,
 * which saves 40 ms. Deno starts src/main.ts directly.
 */
import module from "node:module";
import { fileURLToPath } from "node:url";

const OLDEST = 24;
/** The exit status of a program that the dynamic loader cannot start. */
const UNLOADABLE = 127;
const MISSING_LIBRARY =
  "The Node that npm installed cannot start here: a library is missing, as the line above says. " +
  "On Debian and Ubuntu: apt-get install libatomic1. Or install Node 24 or newer on this machine\n";

if (Number.parseInt(process.versions.node) >= OLDEST) {
  printStart(process.argv.slice(2));
  module.enableCompileCache?.(pathOf("../node_modules/.cache/wheelwright"));
  await import("./main.ts");
} else await startAgain();

/** Loading the program takes seconds at the first start, so this is written before. */
function printStart([command, ...options]) {
  if (command !== "dev" || options.some((option) => option === "--help" || option === "-h")) return;
  process.stderr.write("Starting Wheelwright on this machine: PostgreSQL, a cluster and the control plane\n");
}

/** By a link as well: it leads to this file before its neighbours are looked for. */
function pathOf(path) {
  return fileURLToPath(new URL(path, import.meta.url));
}

/** Returns the path of the Node that npm installed. npm 9 can leave out the link in .bin. */
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
  // What a terminal sends, it sends to both.
  for (const name of ["SIGINT", "SIGHUP", "SIGQUIT"]) process.on(name, () => inTerminal || child.kill(name));
  for (const name of ["SIGTERM", "SIGUSR2"]) process.on(name, () => child.kill(name));
  child.once("error", () => {
    const next = `npm ci in ${pathOf("..")} installs one on Linux`;
    process.stderr.write(
      `wheelwright needs Node ${OLDEST} or newer, and this is ${process.versions.node}; ${next}\n`,
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
