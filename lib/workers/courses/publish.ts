/** Publishes a course of a site: makes a package in the hub's library, and adds a version to the hub's courses. */
import type { App } from "#lib/app.ts";
import { Fault } from "#lib/base/errors.ts";
import { Refusal } from "#lib/base/refusals.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { storeCourseVersion } from "#lib/domains/courses/store.ts";
import { findFederation } from "#lib/domains/federations/store.ts";
import { changePolicy } from "#lib/domains/policy/change.ts";
import { formatCourseRelease, parseCourseRelease } from "#lib/model/course.ts";
import { parsePublishedPackage, parsePublishRefusal, type PublishRefusal } from "#lib/moodle/course-jobs.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import type { JobHandler } from "#lib/scheduler/handler.ts";
import { allowLibrary, openLibrary, prepareLibrary } from "#lib/steps/library.ts";
import { taskOutcomes } from "#lib/steps/outcomes.ts";
import { deleteFinishedJob, requireCompleteLog, requireJobSuccessAndDelete } from "#lib/steps/site-jobs.ts";
import {
  addNotes,
  buildClusterWaitOptions,
  openHubSite,
  type OperationRun,
  spokeHandler,
  type SpokeSite,
} from "#lib/steps/site.ts";

type PublishRun = OperationRun<"publish-course">;

export function publishCourseHandler(app: App): JobHandler {
  return spokeHandler(app, OPERATIONS["publish-course"].kind, {
    library: async (_, run) => await prepareLibrary(await openHubSite(app, run), run),
    package: makePackage,
    store: storeVersion,
    deliver: deliverVersion,
  }, { hooks: taskOutcomes });
}

async function makePackage(site: SpokeSite, run: PublishRun): Promise<void> {
  const { blueprint, inputs, space } = site, { course } = run.job.payload;
  await allowLibrary(site, run);
  const library = await openLibrary(site, run), upload = run.job.id;
  const job = blueprint.jobObject(inputs, "publish-course", run.job.fence, {
    course,
    upload,
    libraryUrl: library.url,
    ticket: library.sign("PUT", `/uploads/${upload}`),
  });
  const result = await space.run(job, buildClusterWaitOptions(run));
  const refusal = parsePublishRefusal(result.log);
  if (refusal) {
    await deleteFinishedJob(site, run, result);
    throw refusalError(refusal);
  }
  await requireJobSuccessAndDelete(site, run, result, "The course could not be packed");
  const published = parsePublishedPackage(result.log);
  if (!published) {
    await requireCompleteLog(site, run, result);
    throw new ClusterError("PackageUnread", "The Job that packs the course ended without a result", {
      transient: false,
      blame: "operator",
      hint: "The blueprint's publish-course.php must print `published` and JSON as its last line.",
      evidence: { log: result.log, events: [] },
    });
  }
  await run.saveProgress({ published });
}

function refusalError({ reason, detail }: PublishRefusal): Error {
  if (reason === "UploadFailed") {
    const hint = "Check that the hub's library runs and that the network policies let the site's Jobs reach it.";
    return new ClusterError(reason, detail, { transient: true, hint });
  }
  const blame = ["SiteFull", "LibraryFull", "TicketRefused"].includes(reason) ? "operator" : "user";
  return new Refusal("CourseUnpublished", detail, "Correct this, then publish the course again.", blame);
}

async function storeVersion({ app, spoke }: SpokeSite, run: PublishRun): Promise<void> {
  const { id: operationId, payload: { courseId }, requester, progress: { published } } = run.job;
  run.throwIfStopped();
  const version = { ...published!, spokeId: spoke.id, operationId, courseId };
  const stored = await app.db.transact((tx) => storeCourseVersion(tx, requester, spoke.federationId, version))
    .catch((error) => throwRefusal(error, "Publish a new version of an existing course instead."));
  await run.saveProgress({ release: formatCourseRelease(stored) });
  await addNotes(run, [`Version ${stored.version} of ${published!.title} is published`]);
}

/** How often to try again if somebody else changes the policy at the same time. */
const TRIES = 5;

/** Makes the version the one that the hub gives to its spokes, unless a newer one was published meanwhile. */
async function deliverVersion({ app, spoke }: SpokeSite, run: PublishRun): Promise<void> {
  const { payload: { deliver }, requester, progress } = run.job, release = progress.release!;
  const { course, version } = parseCourseRelease(release);
  for (let left = TRIES; deliver && left > 0; left--) {
    const hub = await findFederation(app.db.rows, spoke.federationId, "shown");
    const { values, version: base = 0 } = hub?.policy?.courses ?? {}, before = values?.releases ?? [];
    const current = before.map(parseCourseRelease).find((each) => each.course === course);
    if (!hub || (current && current.version >= version)) return;
    const releases = [...before.filter((each) => parseCourseRelease(each).course !== course), release];
    run.throwIfStopped();
    try {
      await changePolicy(app, requester, hub, { courses: { releases }, ifVersion: { courses: base } });
      return;
    } catch (error) {
      const isChanged = error instanceof Fault && error.code === "policy_changed";
      if (left === 1 || !isChanged) {
        throwRefusal(error, "The version is published. Give it to the spokes on the hub's page.");
      }
    }
  }
}

/** Throws a fault as a refusal, with which the operation ends. Throws other errors as they are. */
function throwRefusal(error: unknown, hint: string): never {
  if (!(error instanceof Fault) || error.kind === "unavailable") throw error;
  throw new Refusal("CourseUnpublished", error.message, hint, "user");
}
