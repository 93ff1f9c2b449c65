/**
 * Implements `wheelwright restore SPOKE`, which restores a spoke from one of its backups. The user does not have to
 * sign in, but needs access to this machine. The command waits until a replica has finished the restore.
 */
import { sql } from "kysely";
import * as v from "valibot";
import { Refusal } from "#lib/base/refusals.ts";
import { HostName, Slug } from "#lib/base/schema.ts";
import { listReplacedPvcs } from "#lib/domains/backups/retained-pvcs.ts";
import { listBackups } from "#lib/domains/backups/store.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import type { Database } from "#lib/drivers/db/database.ts";
import { findSpokeByName, type SpokeWithHubSlug } from "#lib/domains/spokes/find-by-name.ts";
import { planRecreation, recreateSpoke } from "#lib/domains/backups/recreate.ts";
import { planRestore, requestRestore, type RestoreTarget } from "#lib/domains/backups/restore.ts";
import { createCommandLineRequester, withDatabase } from "./database.ts";
import { readCommandConfig } from "./open-clusters.ts";
import {
  describeOverwrite,
  renderBackups,
  renderQueuedRecreation,
  renderQueuedRestore,
  renderRecreatePlan,
  renderRestorePlan,
} from "./restore-report.ts";
import { confirmRestore, waitForRestore } from "./restore-confirm.ts";
import { CommandError, EXIT, UsageError } from "../cli/exit-status.ts";

interface Options {
  readonly backup?: string;
  readonly back?: boolean;
  readonly as?: string;
  readonly domain?: string;
  readonly list?: boolean;
  readonly "dry-run"?: boolean;
  readonly yes?: boolean;
  readonly "no-wait"?: boolean;
  readonly "new-cluster"?: boolean;
  readonly all?: boolean;
  readonly hub?: string;
}

export async function runRestore(name: string | undefined, options: Options): Promise<void> {
  const problem = findUsageProblem(name, options);
  if (problem !== null) {
    throw new UsageError(problem);
  }
  await withDatabase(async (db) => {
    await requireRelease(db);
    if (options.all) return void process.stdout.write(await restoreAll(db, null, options));
    const spoke = await findSpokeByName(db.rows, name!);
    if (!spoke) {
      const message = `No spoke ${name} found. Use the ID, HUB/SLUG or domain of a spoke`;
      throw new CommandError(EXIT.data, message);
    }
    const restore = options["new-cluster"] ? restoreLost : restoreSpoke;
    const answer = options.list
      ? { text: await list(db, spoke) }
      : await restore(db, spoke, options).catch(rethrowRefusal);
    process.stdout.write(answer.text);
    if (answer.operation && !options["no-wait"]) process.stdout.write(await waitForRestore(db, answer.operation));
  });
}

function findUsageProblem(name: string | undefined, options: Options): string | null {
  const { backup, back, as, domain, list, "dry-run": dryRun, "new-cluster": newCluster, all, hub } = options;
  if (newCluster || all || hub !== undefined) return findNewClusterProblem(name, options);
  if (name === undefined) return "wheelwright restore needs a SPOKE: an ID, HUB/SLUG or domain";
  if (back && (backup ?? as ?? domain) !== undefined) {
    return "--back cannot be combined with --backup, --as or --domain";
  }
  if (list && (backup ?? as ?? domain ?? back ?? dryRun) !== undefined) {
    return "--list cannot be combined with other options";
  }
  const [of, slug, ...more] = as?.split("/") ?? ["hub", "slug"];
  if (!of || !v.is(Slug, slug) || more.length > 0) return `--as must be HUB/SLUG, not "${as}"`;
  const wrong = domain === undefined ? undefined : v.safeParse(HostName, domain).issues?.[0].message;
  return wrong === undefined ? null : `--domain ${wrong}, not "${domain}"`;
}

function findNewClusterProblem(name: string | undefined, options: Options): string | null {
  const { backup, back, as, domain, list, "new-cluster": newCluster, all, hub } = options;
  if (!newCluster) return "--all and --hub require --new-cluster";
  if ((backup ?? back ?? as ?? domain ?? list) !== undefined) {
    return "--new-cluster can be combined only with --all, --hub and --dry-run";
  }
  if ((name === undefined) !== (all === true)) return "--new-cluster needs a SPOKE or --all";
  return hub !== undefined && !all ? "--hub requires --all" : null;
}

async function list(db: Database, spoke: SpokeWithHubSlug): Promise<string> {
  const isThere = spoke.state !== "removed";
  return renderBackups(
    await listBackups(db.rows, spoke.id),
    isThere ? await listReplacedPvcs(db.rows, spoke.id) : [],
  );
}

async function restoreAll(db: Database, spoke: SpokeWithHubSlug | null, options: Options): Promise<string> {
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

async function restoreLost(db: Database, spoke: SpokeWithHubSlug, options: Options): Promise<RestoreAnswer> {
  return { text: await restoreAll(db, spoke, options) };
}

async function restoreSpoke(db: Database, spoke: SpokeWithHubSlug, options: Options): Promise<RestoreAnswer> {
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
  await confirmRestore(options.yes === true, describeOverwrite(spoke, plan), `${spoke.hubSlug}/${spoke.slug}`);
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
