/**
 * Implements `wheelwright restore SPOKE`, which restores a spoke from one of its backups. The user does not have to
 * sign in, but needs access to this machine. The command waits until a replica has finished the restore.
 */
import { isatty } from "node:tty";
import { sql } from "kysely";
import { Refusal } from "#lib/base/refusals.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import type { Database } from "#lib/drivers/db/database.ts";
import { findSpokeByName, type SpokeWithHubSlug } from "#lib/domains/spokes/find-by-name.ts";
import { planRecreation, recreateSpoke } from "#lib/domains/backups/recreate.ts";
import { planRestore, requestRestore, type RestoreTarget } from "#lib/domains/backups/restore.ts";
import { createCommandLineRequester, withDatabase } from "./database.ts";
import { readCommandConfig } from "./open-clusters.ts";
import {
  describeOverwrite,
  renderBackupList,
  renderQueuedRecreation,
  renderQueuedRestore,
  renderRecreatePlan,
  renderRestorePlan,
} from "./restore-report.ts";
import { waitForRestore } from "./restore-wait.ts";
import { confirmByTyping } from "../cli/prompt.ts";
import { CommandError, EXIT, UsageError } from "../cli/exit-status.ts";
import { findUsageProblem, type RestoreOptions } from "./restore-options.ts";

export async function runRestore(name: string | undefined, options: RestoreOptions): Promise<void> {
  const problem = findUsageProblem(name, options);
  if (problem !== null) {
    throw new UsageError(problem);
  }
  await withDatabase(async (db) => {
    await requireRelease(db);
    if (options.all) return void process.stdout.write(await restoreAll(db, null, options));
    if (options.library || options.rollout !== undefined) {
      const { restoreMany } = await import("./restore-many.ts");
      const requester = createCommandLineRequester("restore");
      const { text, operations } = await restoreMany(db, requester, options).catch(rethrowRefusal);
      process.stdout.write(text);
      for (const id of options["no-wait"] ? [] : operations) process.stdout.write(await waitForRestore(db, id));
      return;
    }
    const spoke = await findSpokeByName(db.rows, name!);
    if (!spoke) {
      const message = `No spoke ${name} found. Use the ID, HUB/SLUG or domain of a spoke`;
      throw new CommandError(EXIT.data, message);
    }
    const restore = options["new-cluster"] ? restoreLost : restoreSpoke;
    const answer = options.list
      ? { text: await renderBackupList(db, spoke) }
      : await restore(db, spoke, options).catch(rethrowRefusal);
    process.stdout.write(answer.text);
    if (answer.operation && !options["no-wait"]) process.stdout.write(await waitForRestore(db, answer.operation));
  });
}

async function restoreAll(db: Database, spoke: SpokeWithHubSlug | null, options: RestoreOptions): Promise<string> {
  const { restoreInNewCluster: restoreAnew } = await import("./restore-new-cluster.ts"); // loads the Kubernetes library
  const filter = { spoke, hub: options.hub, dryRun: options["dry-run"] === true };
  return await restoreAnew(db, readCommandConfig(), createCommandLineRequester("restore"), filter).catch(
    rethrowRefusal,
  );
}

/** The text to print to standard output, and the ID of the restore operation, if one was requested. */
interface RestoreAnswer {
  readonly text: string;
  readonly operation?: string;
}

async function restoreLost(db: Database, spoke: SpokeWithHubSlug, options: RestoreOptions): Promise<RestoreAnswer> {
  return { text: await restoreAll(db, spoke, options) };
}

async function restoreSpoke(db: Database, spoke: SpokeWithHubSlug, options: RestoreOptions): Promise<RestoreAnswer> {
  const { backup: backupId, back, as, domain, "dry-run": dryRun } = options;
  if (spoke.state === "removed" && !back) {
    const request = { backupId, as, domain: domain?.toLowerCase() }, dependencies = { db, config: readCommandConfig() };
    if (dryRun) return { text: renderRecreatePlan(spoke, await planRecreation(dependencies, spoke, request)) };
    const created = await recreateSpoke(dependencies, createCommandLineRequester("restore"), spoke, request);
    return { text: renderQueuedRecreation(created), operation: created.job.id };
  }
  if (as !== undefined || domain !== undefined) {
    const message = `--as and --domain apply only to removed spokes. ${spoke.slug} is ${spoke.state} ` +
      "and keeps its name and domain";
    throw new UsageError(message);
  }
  const request: RestoreTarget = back ? { rollback: true } : { backupId };
  const plan = await planRestore(db.rows, spoke, request);
  if (dryRun) return { text: renderRestorePlan(spoke, plan) };
  const terminal = { in: isatty(0), err: isatty(2) }, question = describeOverwrite(spoke, plan);
  const name = `${spoke.hubSlug}/${spoke.slug}`;
  await confirmByTyping({ terminal }, options.yes, `${question}. For a preview, use --dry-run`, name);
  const job = await requestRestore({ db }, createCommandLineRequester("restore"), spoke.id, request);
  return { text: renderQueuedRestore(spoke, plan, job), operation: job.id };
}

function rethrowRefusal(error: unknown): never {
  if (!(error instanceof ClusterError || error instanceof Refusal)) throw error;
  throw new CommandError(
    error instanceof ClusterError && error.transient ? EXIT.unavailable : EXIT.data,
    error.hint === undefined ? error.message : `${error.message}. ${error.hint}`,
  );
}

async function requireRelease(db: Database): Promise<void> {
  const { rows: [row] } = await sql<{ there: boolean }>`
    select to_regclass('retained_pvcs') is not null as there`.execute(db.rows);
  if (row!.there) return;
  const message = "The database schema is out of date. Run 'wheelwright migrate'";
  throw new CommandError(EXIT.unavailable, message);
}
