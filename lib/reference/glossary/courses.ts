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
  "CoursePublication.": ["", { spokeId: EXAMPLE_IDS.spoke, course: "BIO-D" }],
  "CoursePublication.spokeId": ["The spoke whose site has the course", EXAMPLE_IDS.spoke],
  "CoursePublication.course": ["The short name of the course on that site", "BIO-D"],
  "CoursePublication.courseId": [
    "The hub's course that gets a new version; without it, the hub gets a new course",
    COURSE,
  ],
  "CoursePublication.deliver": ["Whether the hub's spokes get the version at once; true if absent", true],
};
