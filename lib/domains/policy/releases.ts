/** Checks the versions of courses in a hub's policy: whether the hub has them, and whether a site can use them. Pure. */
import { Fault } from "#lib/base/errors.ts";
import { formatList } from "#lib/base/text.ts";
import type { HubSpoke } from "#lib/domains/policy/store.ts";
import { findCourseRelease, type HubCourse, parseCourseRelease, readContentMode } from "#lib/model/course.ts";

/** Throws an `invalid` fault (`course_missing`) if the hub has not published one of the versions. */
export function requirePublishedReleases(
  courses: readonly HubCourse[] | null,
  before: readonly string[] | undefined,
  after: readonly string[] | undefined,
): void {
  const missing = (after ?? []).find((release) =>
    !before?.includes(release) && findCourseRelease(courses ?? [], release) === null
  );
  if (missing === undefined) return;
  const { course, version } = parseCourseRelease(missing);
  throw new Fault("invalid", "course_missing", `The hub has published no version ${version} of the course ${course}`);
}

/** Returns why the site cannot use some of the new versions, one sentence each. */
export function listReleaseProblems(
  courses: readonly HubCourse[] | null,
  { lmsVersion, addons, releases: has }: Pick<HubSpoke, "lmsVersion" | "addons" | "releases">,
  releases: readonly string[],
): string[] {
  return releases.filter((release) => !has?.includes(release)).flatMap((release) => {
    const found = findCourseRelease(courses ?? [], release);
    if (found === null) return [];
    const { version: { title, branch, plugins } } = found, missing = plugins.filter((name) => !addons.includes(name));
    return [
      ...(isOlderVersion(lmsVersion, branch) ? [`${title} needs Moodle ${branch}; the site has ${lmsVersion}`] : []),
      ...(missing.length === 0 ? [] : [`${title} needs ${formatList(missing)}, which the site has not reported`]),
    ];
  });
}

/** Compares a version such as 4.5.12 with a branch such as 5.0. */
function isOlderVersion(version: string, branch: string): boolean {
  const [a, b] = [version, branch].map((text) => text.split(".").map((part) => Number.parseInt(part, 10) || 0));
  const at = [0, 1].find((index) => a![index] !== b![index]);
  return at !== undefined && (a![at] ?? 0) < (b![at] ?? 0);
}

/** Whether a change of the hub's courses passes the site by: it takes courses itself, or keeps what it got first. */
export function keepsOwnCourses({ contentMode, releases }: Pick<HubSpoke, "contentMode" | "releases">): boolean {
  const mode = readContentMode(contentMode);
  return mode === "pull" || mode === "mirror" && releases !== null;
}
