/**
 * Implements `wheelwright doctor`, which checks everything that the service and its spokes need, and explains how to
 * fix problems.
 *
 * The report goes to standard output; progress and a summary of failures go to standard error. The exit status is 0 if
 * no check fails, 1 if a check fails, and 78 if the configuration is invalid. Warnings are not failures.
 */
import { setTimeout } from "node:timers";
import { type Blueprint, loadBlueprint } from "#lib/moodle/blueprint.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import { listCreatedClusterIssuerNames } from "#lib/catalog/inputs.ts";
import { loadCatalog, readCatalog } from "#lib/catalog/load.ts";
import { requireChargeablePrices } from "#lib/catalog/prices.ts";
import { type Config, ConfigError, readProcessConfig } from "#lib/base/config.ts";
import { shouldUseColoursOnStdout } from "#lib/base/environment.ts";
import { renderClusterRoles } from "#lib/doctor/cluster-role.ts";
import { readAndCheckDatabase } from "#lib/doctor/examine-database.ts";
import { createFailure, type Finding, type FindingSection, summarizeFindings } from "#lib/doctor/finding.ts";
import { createReadWithTimeout, READ_TIMEOUT as READ_LIMIT } from "#lib/doctor/timed-read.ts";
import { renderFindingSection, renderFindingSummary, renderSectionHeading } from "#lib/doctor/render.ts";
import { createLog } from "#lib/base/log.ts";
import { SECOND } from "#lib/base/time.ts";
import { blueprint } from "../blueprints.ts";
import { findBuildInfo, readProgramRelease } from "../release.ts";
import { migrations } from "../migrations.ts";
import { handleStopSignals } from "../stop-signals.ts";
import { findDevDatabase, resolveDatabase } from "./database.ts";
import type { OptionValues } from "../cli/command.ts";
import { requireRegion } from "./open-clusters.ts";
import type { DOCTOR_OPTIONS } from "./options.ts";
import { CommandError, EXIT, UsageError } from "../cli/exit-status.ts";

/** Milliseconds after the report until the process exits, even if a credential plugin is still running. */
const EXIT_DELAY = 2 * SECOND;

type Options = OptionValues<typeof DOCTOR_OPTIONS>;

export async function runDoctor(options: Options): Promise<void> {
  const problem = findOptionProblem(options);
  if (problem !== null) throw new UsageError(problem);
  if (options.reconcile || options.resume) {
    const { compareWithClusters, releaseHeldDatabase: resumeHeld } = await import("./doctor-reconcile.ts");
    return options.resume ? await resumeHeld() : await compareWithClusters(options);
  }
  if (options.rbac) return void process.stdout.write(renderClusterRoles(await readIssuers()));
  const report = openReport(options.json === true);
  const definitions = await readDefinitions();
  if (Array.isArray(definitions)) {
    report.add({ target: "configuration", name: null, where: null, findings: definitions });
    const section = await examineDevDatabase();
    if (section) report.add(section);
    return report.end(EXIT.config);
  }
  // Imported before the clock check: loading the Kubernetes library blocks the process, which would distort the check.
  const { runChecks } = await import("#lib/doctor/doctor.ts");
  const region = options.region === undefined ? null : requireRegion(definitions.catalog, options.region);
  const { version } = readProgramRelease();
  const log = createLog({ level: "error", format: "pretty", write: (line) => process.stderr.write(line) });
  const startPods = options["no-probe"] !== true;
  const stop = handleStopSignals();
  try {
    const signal = stop.signal, progress = report.progress(signal);
    const inputs = { ...definitions, migrations, version, region, trial: startPods, log, signal, report: progress };
    for await (const section of runChecks(inputs)) report.add(section);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    throw new CommandError(EXIT.interrupted, "Stopped before all checks were done");
  } finally {
    stop.dispose();
    setTimeout(() => process.exit(), EXIT_DELAY).unref();
  }
  report.end(EXIT.failed);
}

interface DoctorDefinitions {
  readonly config: Config;
  readonly blueprint: Blueprint;
  readonly catalog: Catalog;
}

/** Returns the names of the ClusterIssuers that this configuration creates, or none if the configuration is invalid. */
async function readIssuers(): Promise<readonly string[]> {
  const config = await collect([], () => readProcessConfig("serve")) ??
    await collect([], () => readProcessConfig("dev"));
  const issuers = config && await collect([], async () => {
    const loaded = await loadBlueprint(blueprint, config.blueprintDir);
    return listCreatedClusterIssuerNames(loadCatalog(await readCatalog(config.catalog), loaded), config);
  });
  return issuers ?? [];
}

/** Returns the configuration, blueprint and catalog. If any of them is invalid, returns the errors in all three. */
async function readDefinitions(): Promise<DoctorDefinitions | Finding[]> {
  const problems: string[] = [];
  const config = await collect(problems, () => readProcessConfig("serve"));
  const readable = config ?? await collect([], () => readProcessConfig("dev"));
  const definitions = readable && await collect(problems, async () => {
    const loaded = await loadBlueprint(blueprint, readable.blueprintDir);
    const catalog = loadCatalog(await readCatalog(readable.catalog), loaded);
    if (readable.stripe) requireChargeablePrices(catalog);
    return { blueprint: loaded, catalog };
  });
  if (config && definitions) return { config, ...definitions };
  const hint =
    "To try Wheelwright without any configuration, run wheelwright dev, which includes a database and a cluster.";
  return problems.map((problem) =>
    problem.startsWith("DATABASE_URL is missing") && !findBuildInfo()
      ? createFailure("variables", problem, hint)
      : createFailure("variables", problem)
  );
}

/** Checks the database of `npm start`. Returns null if this database is missing, or if another one is configured. */
async function examineDevDatabase(): Promise<FindingSection | null> {
  let directory: string | null = null;
  try {
    readProcessConfig("migrate");
  } catch (error) {
    directory = findDevDatabase(error);
  }
  if (directory === null) return null;
  const log = createLog({ level: "error", format: "pretty", write: (line) => process.stderr.write(line) });
  const { url, close } = await resolveDatabase(log), stop = handleStopSignals();
  try {
    const config = readProcessConfig("dev"), database = { ...config.database, source: url };
    return await readAndCheckDatabase(
      { ...config, database },
      migrations,
      createReadWithTimeout(stop.signal, READ_LIMIT),
      READ_LIMIT,
    );
  } finally {
    stop.dispose();
    await close();
  }
}

/** Returns what `load` returns. If the configuration is invalid, adds its problems to `problems` and returns null. */
async function collect<T>(problems: string[], load: () => T | Promise<T>): Promise<T | null> {
  try {
    return await load();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(...error.problems);
    return null;
  }
}

function findOptionProblem({ reconcile, apply, adopt, resume, rbac, ...more }: Options): string | null {
  if (!reconcile && (apply || adopt)) return "--apply and --adopt require --reconcile";
  if (reconcile && (rbac || more["no-probe"])) {
    return "--reconcile can be combined only with --apply, --adopt, --region and --json";
  }
  const others = [reconcile, rbac, more.region, more["no-probe"], more.json];
  return resume && others.some((each) => each !== undefined) ? "--resume cannot be combined with other options" : null;
}

function openReport(json: boolean) {
  const colours = shouldUseColoursOnStdout();
  const { version } = readProgramRelease();
  const sections: FindingSection[] = [];
  const clear = process.stderr.isTTY === true ? "\r\x1b[2K" : "";
  let hasProgressLine = false;
  const write = (text: string): void => {
    if (hasProgressLine) process.stderr.write(clear);
    hasProgressLine = false;
    if (!json) process.stdout.write(text);
  };
  write(renderSectionHeading(version, colours));
  return {
    add(section: FindingSection) {
      sections.push(section);
      write(renderFindingSection(section, colours));
    },
    /** Returns a function that shows progress, as a temporary terminal line or, after an abort, a permanent line. */
    progress: (signal: AbortSignal) => (sentence: string) => {
      if (signal.aborted) process.stderr.write(`${clear}${sentence}\n`);
      else if (clear !== "") process.stderr.write(`${clear}  … ${sentence}`);
      hasProgressLine = !signal.aborted;
    },
    /** Prints the summary. If a check failed, throws a CommandError with the given exit status. */
    end(status: number) {
      const summary = summarizeFindings(sections);
      write("\n");
      if (json) process.stdout.write(JSON.stringify({ version, ...summary, sections }, null, 2) + "\n");
      const last = json ? summary.sentence : renderFindingSummary(summary, colours);
      if (!summary.ready) throw new CommandError(status, last);
      if (!json) process.stdout.write(`${last}\n`);
    },
  };
}
