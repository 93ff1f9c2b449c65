/** Creates a spoke step by step. Each step keeps objects that already exist, so that every step can be repeated. */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import type { SeedResult } from "#lib/moodle/job-results.ts";
import type { SpokeInstallStep } from "#lib/moodle/blueprint-files.ts";
import { ClusterError, type KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import type { JobHandler, JobRun } from "#lib/scheduler/handler.ts";
import { settleAll } from "#lib/base/cancellation.ts";
import { ACCOUNT_UNUSABLE, applyAdminPassword } from "#lib/workers/actions/admin-password.ts";
import { requireSameSite } from "#lib/steps/site-identity.ts";
import { recordImageDigest } from "#lib/steps/image-digest.ts";
import { install } from "#lib/workers/install/install.ts";
import {
  addSkippedParts,
  listChangedSections,
  withCoursesToBring,
  withInstalledAddons,
} from "#lib/moodle/policy-values.ts";
import { listSignOnProblems, registersClient } from "#lib/moodle/sign-on.ts";
import { readSharedInputs } from "#lib/domains/spokes/desired.ts";
import { loadHubSettings, setUpSite } from "#lib/steps/set-up.ts";
import {
  deleteVolumeSources,
  fillVolumes,
  hasFilledVolumes,
  isCopiedSite,
  readSeedInput,
  type SeedInput,
} from "#lib/recovery/copies.ts";
import { excludeAdminsFromSingleSignOn } from "#lib/steps/site-jobs.ts";
import { provisionOutcomes } from "#lib/steps/outcomes.ts";
import { saveClusterIdentity } from "#lib/steps/same-cluster.ts";
import { createWithFence } from "#lib/steps/fenced-objects.ts";
import { writeSiteRecord } from "#lib/steps/site-record.ts";
import { waitForQuota, waitForWorkload } from "#lib/steps/workloads.ts";
import { DATABASE_STATEFULSET_REF, MOODLE_DEPLOYMENT_REF } from "#lib/moodle/names.ts";
import { addNotes, type OperationRun, spokeHandler, type SpokeSite } from "#lib/steps/site.ts";
import { createVolumesFromTemplate, startDatabaseFromTemplate } from "#lib/workers/templates/use.ts";
import { requestTemplate } from "#lib/workers/templates/request.ts";
import { buildTemplateKey } from "#lib/moodle/template.ts";
import { waitForIngresses } from "#lib/workers/install/ingress.ts";

export function provisionHandler(app: App): JobHandler {
  return spokeHandler(app, OPERATIONS.provision.kind, {
    namespace: createNamespace,
    async policies(site, run) {
      await writeSiteRecord(site.app, run, "spokes", site.spoke.id);
      await waitForQuota(site, run, await applyStep(site, run, "policies"));
    },
    secrets: createSecrets,
    async app(site, run) {
      await applyStep(site, run, "app");
      await waitForWorkload(site, run, MOODLE_DEPLOYMENT_REF);
      await recordImageDigest(site, run);
    },
    cron: async (site, run) => void await applyStep(site, run, "cron"),
    async volumes(site, run) {
      if (await fillVolumes(site, run) || await createVolumesFromTemplate(site, run)) return;
      await applyStep(site, run, "volumes");
    },
    database: (site, run) => startDatabaseFromTemplate(site, run, startDatabase),
    async install(site, run) {
      if (hasFilledVolumes(site)) return; // the step `setup` checks the existing data
      await requireSameSite(run, site.spoke, await install(site, run));
      // By now, the images are known to work, and the creation of the template cannot delay the site.
      await requestTemplate(app, run, site.inputs, buildTemplateKey(site.spoke, site.inputs, site.blueprint.revision));
    },
    async setup(site, run) {
      await seed(site, run, setUpSite, await readSeedInput(site));
      await excludeAdminsFromSingleSignOn(site, run);
      if (isCopiedSite(site)) await setNewPassword(site, run);
      await deleteVolumeSources(site, run);
    },
    async ingress(site, run) {
      await waitForIngresses(site, run, await applyStep(site, run, "ingress"));
      await addNotes(run, [signInNote(site.spoke.id)]);
    },
  }, { hooks: provisionOutcomes });
}

/**
 * Creates the spoke's namespace. If an earlier attempt created the namespace but crashed before storing its UID, finds
 * it by its labels. This is safe because namespace names are never reused.
 */
async function createNamespace(site: SpokeSite, run: JobRun): Promise<void> {
  const { blueprint, spoke, inputs, cluster } = site;
  const [manifest] = blueprint.spokeObjects(inputs, "namespace");
  if (spoke.namespaceUid === null) await saveClusterIdentity(site, run);
  const uid = spoke.namespaceUid ?? (await cluster.createNamespace(manifest!, run)).uid;
  await run.write((tx) =>
    tx.updateTable("spokes").where("id", "=", spoke.id).set({
      namespaceUid: sql<string>`coalesce(namespace_uid, ${uid})`,
      blueprintRevision: sql<
        string
      >`${blueprint.revision} || coalesce(substring(blueprint_revision from '[+].*$'), '')`,
      updatedAt: sql<Date>`wheelwright_now()`,
    }).execute()
  );
}

/**
 * Starts the database. If the volumes already contain a site, also creates Moodle's pod, so that both pods start in
 * parallel. Moodle's pod waits until the database is ready.
 */
async function startDatabase(site: SpokeSite, run: JobRun): Promise<void> {
  await applyStep(site, run, "database");
  if (hasFilledVolumes(site)) await applyStep(site, run, "app");
  await waitForWorkload(site, run, DATABASE_STATEFULSET_REF);
}

async function applyStep(site: SpokeSite, run: JobRun, step: SpokeInstallStep): Promise<KubeObject[]> {
  return await applyAll(site, run, site.blueprint.spokeObjects(site.inputs, step));
}

async function applyAll({ space }: SpokeSite, run: JobRun, objects: readonly KubeObject[]): Promise<KubeObject[]> {
  return await settleAll(objects.map((object) => createWithFence(space, object, run.job, run)));
}

/**
 * Creates the Secrets with passwords, which are never changed later. The mail Secret and the settings objects are
 * applied instead, so that a retry uses mail settings that an operator has changed in the meantime.
 */
async function createSecrets(site: SpokeSite, run: JobRun): Promise<void> {
  const { app, blueprint, space, inputs } = site;
  const mail = blueprint.mailSecret(inputs, app.config.relay?.secret ?? null);
  await settleAll([
    ...blueprint.newSecrets(inputs).map((secret) => space.create(secret, run)),
    applyAll(site, run, mail),
    applyStep(site, run, "secrets"),
  ]);
}

async function seed(
  site: SpokeSite,
  run: OperationRun<"provision">,
  runJob: (site: SpokeSite, run: JobRun) => Promise<SeedResult>,
  { inputs, parts, notes }: SeedInput,
): Promise<void> {
  const settings = await loadHubSettings(site, run);
  const newest = await readSharedInputs(site.app.db.rows, site.app.catalog, site.spoke, inputs.shared);
  // The operation `configure` brings courses and add-ons afterwards.
  const shared = withInstalledAddons(withCoursesToBring(newest, inputs.shared), inputs);
  await run.saveProgress({ shared: shared ?? null });
  const desired = { ...inputs, ...(shared && { shared }) };
  // The volumes of a copy contain what the other site has of its hub's policy. A recreated site needs a new client.
  const { signIn } = desired.shared ?? {};
  const isSignInOfOther = signIn !== undefined && (isCopiedSite(site) || registersClient(signIn.values));
  const changed = listChangedSections(inputs.shared, shared).flatMap((name) =>
    name === "signIn" ? "sign-on" : name === "addons" ? [] : name
  );
  const own = parts && [...new Set([...parts, ...changed, ...(isSignInOfOther ? ["sign-on" as const] : [])])];
  await applyAll(site, run, site.blueprint.spokeObjects(desired, "seed", settings, own));
  const result = await runJob(site, run), { done } = result;
  const skipped = [...listSignOnProblems(desired, settings), ...result.skipped];
  if (shared) await run.saveProgress({ shared: addSkippedParts(shared, skipped) });
  run.log.info("Seeded a site", { done, skipped });
  await addNotes(run, [...notes(settings), ...skipped]);
}

/**
 * Sets a new password for the account `admin` of a copied site, which still has the password of the original site. Adds
 * a note to the operation if the account cannot be used.
 */
async function setNewPassword(site: SpokeSite, run: JobRun): Promise<void> {
  try {
    await applyAdminPassword(site, run);
  } catch (error) {
    if (!(error instanceof ClusterError) || error.code !== ACCOUNT_UNUSABLE) throw error;
    await addNotes(run, [error.message]);
  }
}

/** Returns a note that explains how to sign in, because few users have access to the Secret with the password. */
function signInNote(spokeId: string): string {
  return `To set a password, the site's administrator needs a sign-in link: POST /api/spokes/${spokeId}/sign-in-link`;
}
