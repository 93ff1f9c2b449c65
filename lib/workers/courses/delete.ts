/** Deletes the package of a version that a hub no longer has. */
import type { App } from "#lib/app.ts";
import { requestLibraryCheck } from "#lib/domains/courses/library-store.ts";
import { LIBRARY_PVC_NAME, listPackages } from "#lib/moodle/library-jobs.ts";
import { PVC } from "#lib/moodle/storage-objects.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import { createJobHandler, type JobHandler, type JobRun } from "#lib/scheduler/handler.ts";
import { runLibraryJob } from "#lib/steps/library-job.ts";
import { addNotes, type HubSite, openHubSite, type OperationRun } from "#lib/steps/site.ts";

export function deleteCourseHandler(app: App): JobHandler {
  return createJobHandler(OPERATIONS["delete-course"].kind, (run: JobRun) => openHubSite(app, run), {
    package: deletePackage,
  }, { hooks: {} });
}

/** Deletes the package, unless another version has the same one, or the library has no volume. */
async function deletePackage(site: HubSite, run: OperationRun<"delete-course">): Promise<void> {
  const { hub } = site, { title, version, sha256, bytes } = run.job.payload;
  if (listPackages(hub.courses).some((each) => each.sha256 === sha256)) {
    return await addNotes(run, ["The package was kept, because another version of a course has the same one"]);
  }
  if (hub.namespaceUid === null || !await site.space.get({ ...PVC, name: LIBRARY_PVC_NAME }, run)) {
    return await addNotes(run, ["The hub's library has no volume, so there was no package to delete"]);
  }
  run.throwIfStopped();
  await runLibraryJob(site, run, { mode: "delete", packages: [{ sha256, bytes }] });
  await run.write((tx) => requestLibraryCheck(tx, hub.id)); // updates the used space
  await addNotes(run, [`Version ${version} of ${title} was deleted`]);
}
