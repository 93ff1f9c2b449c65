/** Defines the API schemas for the courses of a hub. */
import * as v from "valibot";
import { boundedText, Flag, NullableTimestamp, optionalOrNull, Timestamp } from "#lib/base/schema.ts";
import { CourseId } from "#lib/model/course.ts";

/** The course to publish. */
export const CoursePublication = v.object({
  /** The spoke whose site has the course. */
  spokeId: boundedText(1, 100),
  /** The short name of the course on that site. */
  course: boundedText(1, 255),
  /** The hub's course that gets a new version. If absent, the hub gets a new course. */
  courseId: optionalOrNull(CourseId),
  /** Whether the hub's spokes get the version as soon as it is published; true if absent. */
  deliver: optionalOrNull(Flag),
});
export type CoursePublication = v.InferOutput<typeof CoursePublication>;

export const CourseView = v.object({
  id: v.string(),
  /** The title of the newest version. */
  title: v.string(),
  /** The version that the hub gives to its spokes; null if it gives them none. */
  delivered: v.nullable(v.number()),
  /** The versions, newest first. */
  versions: v.array(v.object({
    version: v.number(),
    /** The text that names this version in the section `courses` of the policy. */
    release: v.string(),
    title: v.string(),
    shortname: v.string(),
    /** The SHA-256 and the size, in bytes, of the package: a Moodle backup without users. */
    sha256: v.string(),
    bytes: v.number(),
    /** The components of add-ons that the course needs. */
    plugins: v.array(v.string()),
    /** The oldest branch of Moodle that can restore this version. */
    branch: v.string(),
    /** The spoke from which the version was published. Null for viewers who do not manage the hub, as is `publishedBy`. */
    spokeId: v.nullable(v.string()),
    publishedAt: Timestamp,
    /** The time of the newest backup that contains the package; null if no backup contains it. */
    backedUpAt: NullableTimestamp,
    /** Whether the last check of the hub's library did not find the package, so that no site can get the version. */
    isMissing: v.boolean(),
    /** The email address of the user who published the version. */
    publishedBy: v.nullable(v.string()),
  })),
});
export type CourseRecord = v.InferInput<typeof CourseView>;

export const LibraryView = v.object({
  federationId: v.string(),
  /** The number of the packages that the hub's courses name, and their size in bytes. */
  packages: v.number(),
  packageBytes: v.number(),
  /** The space that is used on the volume, in bytes. Null before the first check. */
  usedBytes: v.nullable(v.number()),
  /** The size of a new library's volume, in bytes. */
  capacityBytes: v.nullable(v.number()),
  /** The time of the last check. Null before the first check. */
  checkedAt: NullableTimestamp,
  /** The versions whose package the last check did not find, such as `crs_06fj2c4v7tq0w1x9n3m8k5r2dg@2`. */
  missing: v.array(v.string()),
  /** Whether the hub's cluster can take backups of the library. */
  backupsAvailable: v.boolean(),
  /** The time of the newest backup. Null if there is none. */
  backedUpAt: NullableTimestamp,
  /** Why the last check or backup failed, or why the cluster can take no backups. */
  error: v.nullable(v.string()),
  /** The backups from which an operator can restore the library, newest first. */
  backups: v.array(v.object({
    id: v.string(),
    createdAt: Timestamp,
    sizeBytes: v.nullable(v.number()),
    /** The number of packages in the backup. */
    packages: v.number(),
  })),
});
export type LibraryRecord = v.InferInput<typeof LibraryView>;
