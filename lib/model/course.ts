/** Declares the courses of a hub: families of versions, each with a package that the hub's namespace stores. */
import * as v from "valibot";
import { boundedList } from "#lib/base/schema.ts";

/** The maximum number of courses of a hub, and of versions of a course. They are part of the hub's row and record. */
export const MAX_COURSES = 50, MAX_COURSE_VERSIONS = 20;

const COURSE_ID = "must be the ID of a course, such as crs_06fj2c4v7tq0w1x9n3m8k5r2dg";
const ID = /^crs_[0-9a-z]{26}$/;
export const CourseId = v.pipe(v.string(COURSE_ID), v.regex(ID, COURSE_ID));

const RELEASE = "must be the ID of a course, @ and a version, such as crs_06fj2c4v7tq0w1x9n3m8k5r2dg@2";
/** A version of a course as text: the course's ID, `@` and the version. */
const CourseRelease = v.pipe(v.string(RELEASE), v.regex(/^crs_[0-9a-z]{26}@[1-9]\d{0,5}$/, RELEASE));

const RELEASES = "must be versions of courses such as crs_06fj2c4v7tq0w1x9n3m8k5r2dg@2, at most one of each course";
export const CourseReleases = v.pipe(
  boundedList(CourseRelease, 0, MAX_COURSES, RELEASES),
  v.check((list) => new Set(list.map((each) => parseCourseRelease(each).course)).size === list.length, RELEASES),
);

export const CourseVersionSchema = v.object({
  version: v.pipe(v.number(), v.integer(), v.minValue(1)),
  /** The title and short name that the course had on the site that published this version. */
  title: v.string(),
  shortname: v.string(),
  /** The SHA-256 of the package, a Moodle backup without users, which is also the package's name. */
  sha256: v.string(),
  bytes: v.number(),
  /** The components of add-ons that the course needs. */
  plugins: v.array(v.string()),
  /** The branch of the Moodle that made the package, such as 4.5. An older Moodle cannot restore it. */
  branch: v.string(),
  /** The number of that Moodle's version, such as 2024100712. */
  moodle: v.number(),
  spokeId: v.string(),
  /** The operation that published this version. */
  operationId: v.string(),
  publishedAt: v.string(),
  /** The email address of the user who published this version. */
  publishedBy: v.string(),
});
export type CourseVersion = v.InferOutput<typeof CourseVersionSchema>;

const HubCourseSchema = v.object({
  id: v.string(),
  /** The title of the newest version. */
  title: v.string(),
  /** The versions, oldest first. */
  versions: v.array(CourseVersionSchema),
  /** The greatest number of a deleted version. No later version gets it again. */
  lastDeleted: v.optional(v.number()),
});
export type HubCourse = v.InferOutput<typeof HubCourseSchema>;

/** The courses of a hub, as its row stores them. */
export const HubCoursesSchema = v.array(HubCourseSchema);

export interface ParsedRelease {
  readonly course: string;
  readonly version: number;
}

export function parseCourseRelease(release: string): ParsedRelease {
  const [course, version] = release.split("@");
  return { course: course!, version: Number(version) };
}

export function formatCourseRelease({ course, version }: ParsedRelease): string {
  return `${course}@${version}`;
}

/** Returns the course and the version that a release names; null if the hub does not have it. */
export function findCourseRelease(
  courses: readonly HubCourse[],
  release: string,
): { readonly course: HubCourse; readonly version: CourseVersion } | null {
  const { course: id, version: number } = parseCourseRelease(release);
  const course = courses.find((each) => each.id === id);
  const version = course?.versions.find((each) => each.version === number);
  return course && version ? { course, version } : null;
}

/** How a site gets new versions of the hub's courses. */
export const CONTENT_MODES = ["subscribe", "pull", "mirror"] as const;
export type ContentMode = (typeof CONTENT_MODES)[number];

/** Returns the mode; `subscribe` for a site without a mode, or with a text that means nothing. */
export function readContentMode(text: string | null): ContentMode {
  return CONTENT_MODES.find((mode) => mode === text) ?? "subscribe";
}
