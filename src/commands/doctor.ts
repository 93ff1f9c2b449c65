/**
 * Implements `wheelwright doctor`, which checks everything that the service and its spokes need, and explains how to
 * fix problems.
 *
 * The report goes to standard output; progress and a summary of failures go to standard error. The exit status is 0 if
 * no check fails, 1 if a check fails, and 78 if the configuration is invalid. Warnings are not failures.
 */
import { setTimeout } from "node:timers";
import { renderClusterRoles } from "#lib/doctor/cluster-role.ts";
import { SECOND } from "#lib/base/time.ts";
import { readProgramRelease } from "../release.ts";
import { migrations } from "../migrations.ts";
import { handleStopSignals } from "../stop-signals.ts";
import type { OptionValues } from "../cli/command.ts";
import { requireRegion } from "./open-clusters.ts";
import type { DOCTOR_OPTIONS } from "./options.ts";
import { CommandError, EXIT, UsageError } from "../cli/exit-status.ts";
import { readDefinitions, readIssuers } from "./doctor-definitions.ts";
import { createErrorLog } from "./error-log.ts";
import { openReport } from "./doctor-report.ts";
import { examineDevDatabase } from "./doctor-dev-database.ts";

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
  const log = createErrorLog();
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

function findOptionProblem({ reconcile, apply, adopt, resume, rbac, ...more }: Options): string | null {
  if (!reconcile && (apply || adopt)) return "--apply and --adopt require --reconcile";
  if (reconcile && (rbac || more["no-probe"])) {
    return "--reconcile can be combined only with --apply, --adopt, --region and --json";
  }
  const others = [reconcile, rbac, more.region, more["no-probe"], more.json];
  return resume && others.some((each) => each !== undefined) ? "--resume cannot be combined with other options" : null;
}
