/** A hub with a course that one of its sites has published. */
import { createHash } from "node:crypto";
import { SILENT_LOG } from "#lib/base/log.ts";
import { requestCoursePublication } from "#lib/domains/courses/publish.ts";
import { showLibrary } from "#lib/domains/courses/library.ts";
import { type FederationRow, findFederation } from "#lib/domains/federations/store.ts";
import type { Job } from "#lib/jobs/job.ts";
import { listOperations } from "#lib/jobs/store.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { planLibraryBackups } from "#lib/workers/courses/plan-libraries.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { until } from "#test/support/until.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

export interface LibraryScene {
  scene: WorkScene;
  hub: FederationRow;
  /** The spoke on whose site the course is. */
  origin: string;
}

export async function openLibraryScene(context: LibraryScene): Promise<void> {
  const scene = context.scene = await openWorkScene();
  await updateRows(scene.db, "users", { operator: true, emailVerifiedAt: new Date() }, { id: scene.actor.userId });
  context.hub = await scene.hub("north");
  await updateRows(scene.db, "federations", { mode: "content" }, { id: context.hub.id });
  context.origin = await scene.spoke(context.hub, "origin");
  await scene.replica();
  await scene.becomes(context.origin, "active");
}

export async function readHub({ scene, hub }: LibraryScene): Promise<FederationRow> {
  return (await findFederation(scene.db.rows, hub.id, "shown"))!;
}

/** Publishes an edition of the course. Returns the hash of its package. */
export async function publishEdition(context: LibraryScene, edition: number, deliver = false): Promise<string> {
  const { scene, origin } = context, site = scene.simulator.site((await scene.row(origin)).namespace);
  site.changeDatabase((database) => ({
    ...database,
    courses: ["BIO-D"],
    courseContents: { "BIO-D": { edition } },
  }));
  const hub = await readHub(context), courseId = hub.courses?.[0]?.id;
  const input = { spokeId: origin, course: "BIO-D", deliver, ...(courseId && { courseId }) } as never;
  await requestCoursePublication(scene.app, scene.actor, hub, input, null);
  const { state, failure } = await scene.ended(origin, "publish-course");
  if (state !== "succeeded") throw new Error(failure?.message);
  return createHash("sha256").update(`BIO-D ${edition}`).digest("hex");
}

/** Runs the planner, and waits until no check or backup of a library is running. */
export async function backUpLibrary({ scene: { app, db } }: Pick<LibraryScene, "scene">): Promise<void> {
  const run = { signal: new AbortController().signal, log: SILENT_LOG, throwIfStopped: () => {}, job: {} };
  for (const step of Object.values(planLibraryBackups(app).steps)) await step(run as unknown as JobRun);
  await until(async () => {
    const jobs = await selectRows(db, "jobs", { kind: "back-up-library" }, { columns: ["state"] });
    return jobs.length > 0 && jobs.every(({ state }) => state !== "queued" && state !== "running");
  });
}

/** Lets the library be checked again, as it is every day. */
export async function checkLibraryAgain(context: LibraryScene): Promise<void> {
  await updateRows(context.scene.db, "libraries", { checkDueAt: new Date(0) }, { federationId: context.hub.id });
  await backUpLibrary(context);
}

export async function readLibrary(context: LibraryScene) {
  return await showLibrary(context.scene.app, context.scene.actor, await readHub(context));
}

/** Returns the packages in the hub's library. */
export function listStoredPackages({ scene: { simulator }, hub }: LibraryScene): string[] {
  const claim = simulator.objects("PersistentVolumeClaim").find(({ metadata }) =>
    metadata.namespace === hub.namespace && metadata.name === "library"
  );
  return Object.keys(
    simulator.volumes.entries().find(([handle]) => handle === claim?.spec.volumeName)?.[1].packages ?? {},
  );
}

/** Returns the hub's newest operation of this kind, once it has ended. */
export async function waitForHubOperation({ scene, hub }: LibraryScene, kind: string): Promise<Job> {
  return await until(async () => {
    const { items } = await listOperations(scene.db.rows, { federationId: hub.id, limit: 100 });
    const found = items.find((each) => each.kind === kind && each.spokeId === null);
    return found && ["succeeded", "failed", "cancelled"].includes(found.state) && found;
  });
}
