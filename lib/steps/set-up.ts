/**
 * Finishes an installation with a single Kubernetes Job, which checks the site's identifier, runs the seed (initial
 * content) and requests the login page. A failure of each of these parts is reported separately.
 */
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { HUB_SETTINGS_OBJECTS, type HubSettings, NO_HUB_SETTINGS, readHubSettings } from "#lib/moodle/seed.ts";
import { isSignInOn } from "#lib/moodle/policy-values.ts";
import { parseSiteFacts, type SeedResult } from "#lib/moodle/job-results.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { requireSameSite } from "#lib/steps/site-identity.ts";
import { requireLoginStatus } from "#lib/steps/login-page.ts";
import { deleteFinishedJob, readDatabase, requireSeedResult } from "#lib/steps/site-jobs.ts";
import { buildClusterWaitOptions, type SpokeSite } from "#lib/steps/site.ts";

export async function setUpSite(site: SpokeSite, run: JobRun): Promise<SeedResult> {
  const { blueprint, inputs, space, spoke } = site;
  const parameters = spoke.siteIdentifier === null ? {} : { siteIdentifier: spoke.siteIdentifier };
  const result = await space.run(
    blueprint.jobObject(inputs, "setup", run.job.fence, parameters),
    buildClusterWaitOptions(run),
  );
  const facts = parseSiteFacts(result.log);
  if (facts) await requireSameSite(run, spoke, facts);
  const seeding = await requireSeedResult(site, run, result);
  await requireLoginStatus(site, run, result, 200);
  if (!facts) await requireSameSite(run, spoke, await readDatabase(site, run)); // a custom Job may print nothing
  await deleteFinishedJob(site, run, result);
  return seeding;
}

export async function loadHubSettings({ app, cluster, spoke }: SpokeSite, run: JobRun): Promise<HubSettings> {
  const hub = await app.db.rows.selectFrom("federations")
    .select(["cluster", "namespace", "namespaceUid", "policy", "mode"])
    .where("id", "=", spoke.federationId).executeTakeFirstOrThrow();
  const isInHubCluster = hub.cluster === spoke.cluster;
  // Of the settings in another cluster, a spoke gets only the client secret of the sign-in that its hub shares.
  if (hub.namespaceUid === null || !(isInHubCluster || isSignInOn(hub, spoke))) return NO_HUB_SETTINGS;
  const space = (isInHubCluster ? cluster : await app.clusters.open(hub.cluster)).space(
    hub.namespace,
    hub.namespaceUid,
  );
  try {
    const objects = await Promise.all(HUB_SETTINGS_OBJECTS.map((object) => space.get(object, run)));
    const settings = { ...readHubSettings(objects), hasPublishedCourses: hub.policy?.courses !== undefined };
    return isInHubCluster ? settings : { ...NO_HUB_SETTINGS, clientSecrets: settings.clientSecrets };
  } catch (error) {
    if (!(error instanceof ClusterError) || error.status !== 404) throw error;
    // Reports a problem instead of throwing, because the site also works without the hub's settings.
    const problem =
      `The hub's namespace ${hub.namespace} is missing: the hub's single sign-on, courses and brand were not applied`;
    return { ...NO_HUB_SETTINGS, problems: [problem] };
  }
}
