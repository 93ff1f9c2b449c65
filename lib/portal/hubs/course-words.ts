/** Describes versions of a hub's courses by title, because people do not know the courses by ID. */
import type * as v from "valibot";
import type { CourseView, LibraryView } from "#lib/domains/courses/views.ts";
import { parseCourseRelease } from "#lib/model/course.ts";

/** A course of a hub, as the API shows it. */
export type CourseItem = v.InferOutput<typeof CourseView>;
/** The library of a hub, as the API shows it. */
export type LibraryItem = v.InferOutput<typeof LibraryView>;
type Courses = readonly CourseItem[];

/** Returns the releases among the values of a policy. */
export function readReleases(value: unknown): readonly string[] {
  return Array.isArray(value) ? value : [];
}

/** Describes releases such as `crs_…@2` as `Biology, version 2; Physics, version 1`. */
export function describeReleases(courses: Courses, releases: readonly string[]): string {
  return releases.map((release) => {
    const { course, version } = parseCourseRelease(release);
    return `${findCourseTitle(courses, course)}, version ${version}`;
  }).join("; ");
}

export function findCourseTitle(courses: Courses, id: string): string {
  return courses.find((course) => course.id === id)?.title ?? "A course that the hub no longer has";
}

/** Returns a row for each course that gets another version: its title, the version before, and the version afterwards. */
export function listCourseChanges(
  courses: Courses,
  before: readonly string[],
  after: readonly string[],
): (readonly [title: string, before: string, after: string])[] {
  const old = indexVersions(before), now = indexVersions(after);
  const changed = [...new Set([...old.keys(), ...now.keys()])].filter((id) => old.get(id) !== now.get(id));
  return changed.map((id) =>
    [findCourseTitle(courses, id), describeVersion(old.get(id)), describeVersion(now.get(id))] as const
  ).sort(([a], [b]) => a.localeCompare(b));
}

function indexVersions(releases: readonly string[]): ReadonlyMap<string, number> {
  return new Map(releases.map(parseCourseRelease).map(({ course, version }) => [course, version]));
}

function describeVersion(version: number | undefined): string {
  return version === undefined ? "not given to the sites" : `version ${version}`;
}
