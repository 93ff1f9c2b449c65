/** Describes the API fields of the courses of a hub. */
import { EXAMPLE_IDS, type GlossaryEntriesByField } from "#lib/reference/glossary/entry.ts";

const COURSE = "crs_06fj2d1m7q4w9z2xbc8v5n3t1y";

export const COURSE_FIELD_ENTRIES: GlossaryEntriesByField = {
  "Course.id": ["The course's ID", COURSE],
  "Course.title | versions.title": ["The title; of a course, that of its newest version", "Biology"],
  "Course.delivered": ["The version that the hub gives to its spokes; null if it gives them none", 2],
  "Course.versions": "The versions, newest first",
  "versions.version": ["The version's number", 2],
  "versions.release": ["The text that names this version in the policy", `${COURSE}@2`],
  "versions.shortname": ["The short name that the course had on its site", "BIO-D"],
  "versions.sha256": [
    "The SHA-256 hash of the package, a Moodle backup without users",
    "9f2c4e1b7a6d5c3e8f0a1b2c3d4e5f60718293a4b5c6d7e8f901a2b3c4d5e6f7",
  ],
  "versions.bytes": ["The size of the package in bytes", 21_004_532],
  "versions.plugins": ["The add-ons that the course needs", ["mod_attendance"]],
  "versions.branch": ["The oldest branch of Moodle that can use this version", "4.5"],
  "versions.spokeId": [
    "The spoke from which the version was published; null unless you manage the hub",
    EXAMPLE_IDS.spoke,
  ],
  "versions.publishedAt": ["When the version was published", "2026-11-21T12:00:00.000Z"],
  "versions.publishedBy": ["The user who published the version; null unless you manage the hub", "ada@school.example"],
  "versions.backedUpAt": [
    "The time of the newest backup that contains the package; null without one",
    "2026-11-21T12:05:00.000Z",
  ],
  "versions.isMissing": "Whether the hub's library no longer has the package, so that no site can get this version",
  "path.courseId": ["The course's ID", COURSE],
  "path.version": ["The version's number", "2"],
  "Library.packages": ["The number of packages that the hub's courses name", 12],
  "Library.packageBytes": ["The size of these packages in bytes", 252_000_000],
  "Library.usedBytes": ["The space that is used on the volume, in bytes; null before the first check", 260_000_000],
  "Library.capacityBytes": ["The size of a new library's volume, in bytes", 21_474_836_480],
  "Library.checkedAt": ["When the library was last checked", "2026-11-21T12:05:00.000Z"],
  "Library.missing": ["The versions whose package the last check did not find", [`${COURSE}@1`]],
  "Library.backupsAvailable": "Whether the hub's cluster can take backups of the library",
  "Library.backedUpAt": ["The time of the newest backup; null if there is none", "2026-11-21T12:05:00.000Z"],
  "Library.error": ["Why the last check or backup failed, or why the cluster takes no backups", null],
  "Library.backups": "The backups from which an operator can restore the library, newest first",
  "backups.id": ["The backup's ID", "lib_06fj2d1m7q4w9z2xbc8v5n3t1y"],
  "backups.sizeBytes": ["The size of the snapshot in bytes; null if the storage does not report it", 300_000_000],
  "backups.packages": ["The number of packages in the backup", 12],
  "CoursePublication.": ["", { spokeId: EXAMPLE_IDS.spoke, course: "BIO-D" }],
  "CoursePublication.spokeId": ["The spoke whose site has the course", EXAMPLE_IDS.spoke],
  "CoursePublication.course": ["The short name of the course on that site", "BIO-D"],
  "CoursePublication.courseId": [
    "The hub's course that gets a new version; without it, the hub gets a new course",
    COURSE,
  ],
  "CoursePublication.deliver": ["Whether the hub's spokes get the version at once; true if absent", true],
};
