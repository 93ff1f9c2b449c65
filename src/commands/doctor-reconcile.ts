/**
 * Implements `wheelwright doctor --reconcile`, which compares a restored database with the clusters. With `--apply`,
 * the command also adds missing rows to the database, and lets replicas run jobs again.
 *
 * The exit status is 0 if no difference needs manual work, 1 if some do, and 69 if a cluster does not respond.
 */
import { shouldUseColoursOnStdout } from "#lib/base/environment.ts";
import { formatCount } from "#lib/base/text.ts";
import { type FindingSection, type FindingSummary, summarizeFindings } from "#lib/doctor/finding.ts";
import { reconcileDatabase } from "#lib/recovery/adoption/reconcile.ts";
import { renderFindingSection, renderFindingSummary, renderSectionHeading } from "#lib/doctor/render.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import type { ClosableDatabase } from "#lib/drivers/db/database.ts";
import { releaseDatabaseHold } from "#lib/installation/database-hold.ts";
import { readProgramRelease } from "../release.ts";
import { handleStopSignals } from "../stop-signals.ts";
import { createCommandLineRequester, withDatabase } from "./database.ts";
import { connectConfiguredClusters, readCommandConfig, requireRegion } from "./open-clusters.ts";
import type { OptionValues } from "../cli/command.ts";
import type { DOCTOR_OPTIONS } from "./options.ts";
import { CommandError, EXIT } from "../cli/exit-status.ts";

const REQUESTER = "doctor";

type Options = OptionValues<typeof DOCTOR_OPTIONS>;

export async function compareWithClusters(options: Options): Promise<void> {
  const sections = await withDatabase((db) => compare(db, options));
  const summary = summarizeAll(sections, options.apply === true), { version } = readProgramRelease();
  if (options.json) {
    process.stdout.write(
      `${JSON.stringify({ version, applied: options.apply === true, ...summary, sections }, null, 2)}\n`,
    );
  } else {
    const colours = shouldUseColoursOnStdout();
    const all = [
      renderSectionHeading(version, colours),
      ...sections.map((section) => renderFindingSection(section, colours)),
      "\n",
    ];
    process.stdout.write(all.join(""));
    if (summary.ready) process.stdout.write(`${renderFindingSummary(summary, colours)}\n`);
  }
  if (!summary.ready) {
    throw new CommandError(
      EXIT.failed,
      options.json ? summary.sentence : renderFindingSummary(summary, shouldUseColoursOnStdout()),
    );
  }
}

/** Lets replicas run jobs again after a database restore. Does not compare the database with any cluster. */
export async function releaseHeldDatabase(): Promise<void> {
  const hold = await withDatabase((db) =>
    db.transact((tx) => releaseDatabaseHold(tx, createCommandLineRequester(REQUESTER)))
  );
  process.stdout.write(
    hold ? "Replicas run jobs again. No comparison was made\n" : "The database is not on hold. Replicas run jobs\n",
  );
}

async function compare(
  db: ClosableDatabase,
  { apply = false, adopt = [], region }: Options,
): Promise<FindingSection[]> {
  const config = readCommandConfig(), stop = handleStopSignals();
  const { clusters, catalog } = await connectConfiguredClusters(config, "doctor");
  try {
    const names = region === undefined ? clusters.names : [clusters.clusterFor(requireRegion(catalog, region))];
    return await reconcileDatabase({
      ...{ db, clusters, config, clusterNames: names, allClusters: region === undefined, apply },
      ...{ acceptedNamespaces: adopt, requester: createCommandLineRequester(REQUESTER), signal: stop.signal },
    });
  } catch (error) {
    if (stop.signal.aborted) {
      throw new CommandError(EXIT.interrupted, "Stopped. Applied changes remain. To continue, run the command again");
    }
    if (!(error instanceof ClusterError)) throw error;
    throw new CommandError(EXIT.unavailable, `${error.message}. The comparison needs a response from every cluster`);
  } finally {
    stop.dispose();
    await clusters.close();
  }
}

function summarizeAll(sections: readonly FindingSection[], applied: boolean): FindingSummary {
  const { problems, warnings, ready } = summarizeFindings(sections);
  const left = problems === 0 ? "" : `${formatCount(problems, "difference")} to resolve manually`;
  const rest = applied
    ? "Done"
    : warnings > 0
    ? `No changes were written. Found ${
      formatCount(warnings + problems, "difference")
    }; --apply resolves them where possible`
    : problems > 0
    ? "No changes were written"
    : "The database matches the clusters";
  return { problems, warnings: applied ? 0 : warnings, ready, sentence: [rest, left].filter(Boolean).join("; ") };
}
