/** Brings the hub's courses to a site. */
import { requestLibraryCheck } from "#lib/domains/courses/library-store.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { findCourseRelease } from "#lib/model/course.ts";
import { type Delivery, parseDelivery } from "#lib/moodle/course-jobs.ts";
import { addSkippedParts, listChangedSections } from "#lib/moodle/policy-values.ts";
import { allowLibrary, openLibrary } from "#lib/steps/library.ts";
import { requireCompleteLog, requireJobSuccessAndDelete } from "#lib/steps/site-jobs.ts";
import { addNotes, buildClusterWaitOptions, type OperationRun, type SpokeSite } from "#lib/steps/site.ts";
import { getInputsAfterChange } from "#lib/workers/configure/address.ts";

type ConfigureRun = OperationRun<"configure">;

/** The reason if the hub's library is in another cluster than the site. */
const OTHER_CLUSTER = "OtherCluster";
/** Reasons that remain until the site changes. The operation succeeds without such a course. */
const LASTING_REASONS: readonly (string | undefined)[] = ["MissingPlugin", "OlderMoodle", OTHER_CLUSTER];
/** A reason that another attempt may find gone. */
const PASSING_REASON = "DownloadFailed";

/** The reason if the library lacks a package. The delivery cannot succeed until somebody brings the package back. */
const MISSING_REASON = "PackageMissing";
const CORRECT_HINT = "The other courses are in place. Correct the cause, then configure the site again.";

/** Brings the courses that the site should have, and closes those that it should no longer have. */
export async function bringCourses(site: SpokeSite, run: ConfigureRun): Promise<void> {
  const after = getInputsAfterChange(site, run), { shared } = after;
  if (!shared || !listChangedSections(site.inputs.shared, shared).includes("courses")) return;
  const releases = shared.courses?.values?.releases ?? [];
  const { titles, delivery } = await deliver({ ...site, inputs: after }, run, releases);
  const missed = delivery.courses.filter(({ outcome }) => outcome === "skipped").map((each) =>
    each.reason === MISSING_REASON ? { ...each, detail: "its package is missing from the hub's library" } : each
  );
  const failed = missed.filter(({ reason }) => !LASTING_REASONS.includes(reason));
  const skipped = missed.map(({ family, reason, detail }) =>
    `the course ${titles.get(family) ?? family}: ${detail ?? reason ?? "it was skipped"}`
  );
  const unclosed = delivery.removed.filter(({ outcome }) => outcome === "failed").map(({ family }) =>
    `the course ${titles.get(family) ?? family}: it could not be closed`
  );
  await addNotes(run, [...skipped, ...unclosed, ...describeDelivery(delivery, titles)]);
  await run.saveProgress({ after: { ...run.job.progress.after!, shared: addSkippedParts(shared, skipped) } });
  if (failed.length + unclosed.length === 0) return;
  const message = `Not all courses could be brought: ${[...skipped, ...unclosed].join("; ")}`;
  throw new ClusterError("CoursesUndelivered", message, {
    transient: unclosed.length === 0 && failed.every(({ reason }) => reason === PASSING_REASON),
    blame: "operator",
    hint: failed.some(({ reason }) => reason === MISSING_REASON) ? await restoreHint(site) : CORRECT_HINT,
  });
}

/** Returns how to get a missing package back. Lets the library be checked, which shows the package as missing. */
async function restoreHint({ app, spoke: { federationId } }: SpokeSite): Promise<string> {
  await app.db.transact((tx) => requestLibraryCheck(tx, federationId));
  const { slug } = await app.db.rows.selectFrom("federations").select("slug").where("id", "=", federationId)
    .executeTakeFirstOrThrow();
  return "The other courses are in place. Publish the course again, or ask an operator to run: wheelwright restore " +
    `--library --hub ${slug}. Then configure the site again.`;
}

interface Delivered {
  /** The titles of the hub's courses, by ID. */
  readonly titles: ReadonlyMap<string, string>;
  readonly delivery: Delivery;
}

async function deliver(site: SpokeSite, run: ConfigureRun, releases: readonly string[]): Promise<Delivered> {
  const { app, blueprint, inputs, space, spoke } = site;
  const { courses, cluster } = await app.db.rows.selectFrom("federations").select(["courses", "cluster"])
    .where("id", "=", spoke.federationId).executeTakeFirstOrThrow();
  const titles = new Map((courses ?? []).map(({ id, title }) => [id, title]));
  // The site that published a version has the course already.
  const found = releases.map((release) => findCourseRelease(courses ?? [], release))
    .filter((each) => each !== null && each.version.spokeId !== spoke.id);
  if (cluster !== spoke.cluster && found.length > 0) {
    const skipped = { outcome: "skipped", reason: OTHER_CLUSTER, detail: "the hub's library is in another cluster" };
    const all = found.map((each) => ({ family: each!.course.id, version: each!.version.version, ...skipped }));
    return { titles, delivery: { courses: all, removed: [] } };
  }
  await allowLibrary(site, run);
  // A site that only loses courses does not need the library.
  const library = found.length === 0 ? null : await openLibrary(site, run);
  const wanted = found.map((each) => {
    const { course, version: { version, title, sha256, bytes, plugins, moodle } } = each!;
    const ticket = library!.sign("GET", `/packages/${sha256}`);
    return { family: course.id, version, title, sha256, bytes, plugins, moodle, ticket };
  });
  const job = blueprint.jobObject(inputs, "deliver-courses", run.job.fence, {
    courses: JSON.stringify(wanted),
    libraryUrl: library?.url ?? "",
  });
  const result = await space.run(job, buildClusterWaitOptions(run));
  await requireJobSuccessAndDelete(site, run, result, "The hub's courses could not be brought");
  const delivery = parseDelivery(result.log);
  if (!delivery) {
    await requireCompleteLog(site, run, result);
    throw new ClusterError("DeliveryUnread", "The Job that brings the hub's courses ended without a result", {
      transient: false,
      blame: "operator",
      hint: "The blueprint's deliver-courses.php must print `delivered` and JSON as its last line.",
      evidence: { log: result.log, events: [] },
    });
  }
  return { titles, delivery };
}

const OUTCOMES: Readonly<Record<string, string>> = { restored: "was added", reopened: "was opened again" };
const FORMER_OUTCOMES: Readonly<Record<string, string>> = {
  closed: "closed for new people",
  deleted: "deleted, because nobody had used it",
};

function describeDelivery({ courses, removed }: Delivery, titles: Delivered["titles"]): string[] {
  return [
    ...courses.filter(({ outcome }) => OUTCOMES[outcome]).map(({ family, version, outcome, former = "none" }) => {
      const end = FORMER_OUTCOMES[former] ? `; the version before it was ${FORMER_OUTCOMES[former]}` : "";
      return `Version ${version} of the course ${titles.get(family) ?? family} ${OUTCOMES[outcome]}${end}`;
    }),
    ...removed.filter(({ outcome }) => FORMER_OUTCOMES[outcome]).map(({ family, outcome }) =>
      `The course ${titles.get(family) ?? family} was ${FORMER_OUTCOMES[outcome]}`
    ),
  ];
}
