/** Makes a spoke, step by step; each step finds what is there already. `retry` is the same once more. */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import { NO_SETTINGS, readHubSettings, ROOMS, seedNotes } from "#lib/moodle/seed.ts";
import type { HubSettings } from "#lib/moodle/seed.ts";
import type { SpokeStep } from "#lib/moodle/steps.ts";
import { ClusterError, type KubeObject, refOf } from "#lib/drivers/cluster/cluster.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import { type Handler, handlerOf, type Run } from "#lib/scheduler/handler.ts";
import { demandSameSite } from "#lib/work/identity.ts";
import { install } from "#lib/work/install/install.ts";
import { demandHealth, demandSeed, type JobPlace, readDatabase } from "#lib/work/jobs.ts";
import { provisionOutcomes } from "#lib/work/outcomes.ts";
import { holdingOfSpoke, rememberCluster } from "#lib/work/same-cluster.ts";
import { putFenced } from "#lib/work/put-fenced.ts";
import { untilReady } from "#lib/work/running.ts";
import { DATABASE, MOODLE } from "#lib/operations/change.ts";
import { note, openSpace, openSpokeSite, type SpokeSite, waiting } from "#lib/work/site.ts";
import { openToTheWeb } from "#lib/work/install/web.ts";

export function provision(app: App): Handler {
  return handlerOf(OPERATIONS.provision, {
    namespace: (run) => makeNamespace(app, run),
    async policies(run) {
      const quotas = (await applyStep(app, run, "policies")).filter(({ kind }) => kind === "ResourceQuota");
      // Until it is counted for the first time, a quota refuses whatever it limits.
      const { space } = await openSpace(app, run);
      await space.ready(quotas.map(refOf), waiting(run));
    },
    secrets: (run) => makeSecrets(app, run),
    async database(run) {
      await applyStep(app, run, "database");
      await untilReady(app, run, DATABASE);
    },
    async install(run) {
      await applyStep(app, run, "install");
      await install(await place(app, run), run);
    },
    async verify(run) {
      const here = await place(app, run);
      await demandSameSite(run, here.spoke, await readDatabase(here, run));
    },
    seed: (run) => seed(app, run),
    async app(run) {
      await applyStep(app, run, "app");
      await untilReady(app, run, MOODLE);
    },
    cron: async (run) => void await applyStep(app, run, "cron"),
    ingress: async (run) => await openToTheWeb(app, run, await applyStep(app, run, "ingress")),
    async health(run) {
      const here = await place(app, run);
      await demandHealth(here, run);
      await note(run, [wayIn(here.spoke.id)]);
    },
  }, {
    hooks: provisionOutcomes,
    evidence: async (run) => (await openSpace(app, run)).space.evidence(run),
  });
}

export async function place(app: App, run: Run): Promise<JobPlace & SpokeSite> {
  return { ...await openSpace(app, run), blueprint: app.blueprint };
}

/**
 * Between the creation and the row with its uid this process may die. The name is the row's own and never used twice, so
 * who comes next creates it again, is told that it is there, and recognises it by its labels.
 */
async function makeNamespace(app: App, run: Run): Promise<void> {
  const site = await openSpokeSite(app, run);
  const { spoke, inputs, cluster } = site;
  const [manifest] = app.blueprint.spokeObjects(inputs, "namespace");
  if (spoke.namespace_uid === null) await rememberCluster(cluster, run, holdingOfSpoke(site));
  const uid = spoke.namespace_uid ?? (await cluster.createNamespace(manifest!, run)).uid;
  await run.write((tx) =>
    tx.updateTable("spokes").where("id", "=", spoke.id).set({
      namespace_uid: sql<string>`coalesce(namespace_uid, ${uid})`,
      blueprint_revision: app.blueprint.revision,
      updated_at: sql<Date>`wheelwright_now()`,
    }).execute()
  );
}

async function applyStep(app: App, run: Run, step: SpokeStep, hub: HubSettings = NO_SETTINGS): Promise<KubeObject[]> {
  const { inputs } = await openSpace(app, run);
  return await putAll(app, run, app.blueprint.spokeObjects(inputs, step, hub));
}

async function putAll(app: App, run: Run, objects: readonly KubeObject[]): Promise<KubeObject[]> {
  const { space } = await openSpace(app, run);
  const standing: KubeObject[] = [];
  for (const object of objects) standing.push(await putFenced(space, object, run.job, run));
  return standing;
}

/** Passwords are created once, and are right as they stand; what the operator may change is applied. */
async function makeSecrets(app: App, run: Run): Promise<void> {
  const { space, inputs } = await openSpace(app, run);
  for (const secret of app.blueprint.newSecrets(inputs)) await space.create(secret, run);
  await putAll(app, run, app.blueprint.mailSecret(inputs, app.config.relay?.secret ?? null));
  await applyStep(app, run, "secrets");
}

async function seed(app: App, run: Run): Promise<void> {
  const here = await place(app, run);
  const settings = await readRooms(app, run, here);
  await applyStep(app, run, "seed", settings);
  const { done, leftOut } = await demandSeed(here, run);
  run.log.info("Seeded a site", { done, leftOut });
  await note(run, [...seedNotes(here.inputs, settings), ...leftOut]);
}

export async function readRooms(app: App, run: Run, { cluster, spoke }: SpokeSite): Promise<HubSettings> {
  const hub = await app.db.rows.selectFrom("federations").select(["cluster", "namespace", "namespace_uid"])
    .where("id", "=", spoke.federation_id).executeTakeFirstOrThrow();
  // A hub on another cluster keeps its rooms there; its spokes elsewhere go without.
  if (hub.namespace_uid === null || hub.cluster !== spoke.cluster) return NO_SETTINGS;
  const space = cluster.space(hub.namespace, hub.namespace_uid);
  try {
    return readHubSettings(await Promise.all(ROOMS.map((room) => space.get(room, run))));
  } catch (error) {
    if (!(error instanceof ClusterError) || error.status !== 404) throw error;
    // The site is whole without them, and it is not the site's own namespace that is gone.
    const problem =
      `The hub's namespace ${hub.namespace} is gone: identity, content and brand of the hub were left out`;
    return { ...NO_SETTINGS, problems: [problem] };
  }
}

/** For whoever has a site now, and no password to it: the Secret holds one, and few can read that. */
function wayIn(spokeId: string): string {
  return `POST /api/spokes/${spokeId}/sign-in-link gives a link with which the site's administrator chooses a password`;
}
