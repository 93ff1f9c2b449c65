/**
 * Runs the tests, every test/**\/*.test.ts, in a few processes at a time, on one PostgreSQL server.
 *
 *   npm test -- lib/drivers/db        only files whose path contains this
 *   npm test -- --changed             only files that depend on a file that differs from the branch `main`
 *   npm test -- --watch               these files, and after each change the files that depend on it
 *   npm test -- --deno                with Deno
 *   npm test -- --executable          dist/wheelwright; likewise --image, --package and --postgres15, the shipped artifacts
 *
 * In `node test/run.ts node -- …`, the words before `--` run the processes.
 */
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { stop } from "esbuild";
import { bundleProgram } from "#src/build/bundle.ts";
import { readProgramRelease } from "#src/release.ts";
import { openTestRunner, type TestRunner } from "#test/support/runner/process.ts";
import { printOutcome, printSummary } from "#test/support/runner/report.ts";
import { runTestFiles } from "#test/support/runner/run-files.ts";
import { findTestFiles, listChangedFiles, selectDependentTests } from "#test/support/runner/select-files.ts";
import { watchFiles } from "#test/support/runner/watch-files.ts";
import { createTemplateDatabase, dropTemplateDatabase, openPostgresServer } from "#test/support/server.ts";

const REPOSITORY = fileURLToPath(new URL("../", import.meta.url)), ROOT = fileURLToPath(new URL(".", import.meta.url));
/** Tests that only Node runs: the browser's driver and npm need Node, and how data grows depends on PostgreSQL alone. */
const FOR_NODE = /^(?:browser\/|growth\/|src\/make-release\.)/;
const DENO = ["deno", "run", "--quiet", "-A"];
/** Programs that test the shipped artifacts. */
const ARTIFACTS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  executable: [process.execPath, "test/executable/check.ts"],
  image: [".ci/image"],
  package: [process.execPath, "test/package/check.ts"],
  postgres15: [".ci/postgres15"],
};
const CORES = Math.min(4, availableParallelism());
const running = new Set<TestRunner>();

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const split = args.includes("--") ? args.indexOf("--") : args.length, flag = { type: "boolean" } as const;
  const { values, positionals: filters } = parseArgs({
    args: args.slice(split + 1),
    allowPositionals: true,
    options: {
      ...{ changed: flag, watch: flag, deno: flag },
      ...{ executable: flag, image: flag, package: flag, postgres15: flag },
    },
  });
  for (const [name, line] of Object.entries(ARTIFACTS)) if (name in values) return await runProgram(line, filters);
  const command = values.deno ? DENO : args.slice(0, split);
  if (command.length === 0) throw new Error("Say what runs a file, for example: node test/run.ts node");
  const onDeno = /deno/.test(command[0]!);
  const find = async (changed: readonly string[] | null): Promise<string[]> => {
    const matching = await findTestFiles(REPOSITORY, filters);
    if (matching.length === 0) throw new Error(`No test file matches ${filters.join(", ")}`);
    const selected = changed ? await selectDependentTests(REPOSITORY, matching, changed) : matching;
    return selected.filter((file) => !onDeno || !FOR_NODE.test(file));
  };
  if (onDeno) console.log("Tests in a browser, of growing data and of releases run with Node alone.");
  // npm's package puts Deno into place when it first runs; if two did that at once, one would lose its own executable.
  if (onDeno) await runProgram([command[0]!, "--version"], []);
  // Without a filter, watching starts with the changes: all tests take too long to wait for.
  const byChange = values.changed || (values.watch && filters.length === 0);
  const first = await find(byChange ? await listChangedFiles(REPOSITORY) : null);
  if (!values.watch && first.length === 0) return console.log("No test depends on a changed file"), 0;

  const suite = await openSuite(command, !values.watch && !values.changed && filters.length === 0, !!values.watch);
  try {
    if (!values.watch) return (await suite.run(first)).length === 0 ? 0 : 1;
    const watcher = watchFiles(REPOSITORY);
    for (let files = first;;) {
      const failed = files.length > 0 ? await suite.run(files) : [];
      console.log("Waiting for a change (Ctrl-C ends)");
      const changed = await watcher.next(), dependent = await find(changed);
      files = [...dependent, ...failed.filter((file) => !dependent.includes(file))];
    }
  } finally {
    await suite.close();
  }
}

async function runProgram(
  [program, ...line]: readonly [string, ...string[]],
  more: readonly string[],
): Promise<number> {
  const child = spawn(program, [...line, ...more], { cwd: REPOSITORY, stdio: "inherit" });
  return await new Promise((resolve, reject) => {
    child.once("error", reject).once("close", (status) => resolve(status ?? 1));
  });
}

/** Starts the database server. `whole` is whether all tests run, and `watch` whether Ctrl-C is the normal end. */
async function openSuite(command: readonly string[], whole: boolean, watch: boolean) {
  const server = await openPostgresServer();
  const directory = await mkdtemp(join(tmpdir(), "wheelwright-program-"));
  for (const [signal, code] of [["SIGINT", watch ? 0 : 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const) {
    process.once(signal, () => {
      for (const runner of running) runner.end();
      rmSync(directory, { recursive: true, force: true });
      server.stop().finally(() => process.exit(code));
    });
  }
  // To load the sources takes half a second of processor: what the whole suite starts runs what is shipped instead.
  const program = whole ? writeProgram(directory) : "";
  return {
    /** Runs these test files and prints the results. Returns the files that failed. */
    async run(files: readonly string[]): Promise<string[]> {
      const start = performance.now();
      const template = await createTemplateDatabase(server.url);
      const env = {
        ...process.env,
        WHEELWRIGHT_TEST_SERVER: server.url,
        WHEELWRIGHT_TEST_TEMPLATE: template,
        WHEELWRIGHT_TEST_PROGRAM: await program,
        NO_COLOR: "1",
        NODE_COMPILE_CACHE: join(tmpdir(), "wheelwright-test-code"), // hundreds of processes read the same modules
      };
      const open = () => openTestRunner(command, env);
      const outcomes = await runTestFiles({ root: ROOT, cores: CORES, running, open, show: printOutcome }, files);
      await dropTemplateDatabase(server.url, template);
      return printSummary(outcomes, (performance.now() - start) / 1000);
    },
    async close(): Promise<void> {
      await server.stop();
      await rm(directory, { recursive: true, force: true }); // somebody may have cleared up the temporary folder
    },
  };
}

async function writeProgram(directory: string): Promise<string> {
  const path = join(directory, "main.mjs");
  const { modules } = await bundleProgram(REPOSITORY, readProgramRelease());
  await stop(); // or its process would be beside the tests until they end
  for (const [name, text] of modules) await writeFile(join(directory, name), text);
  return path;
}
