/** Declares the operation that publishes a course of a site to its hub. */
import * as v from "valibot";
import { HOUR, MINUTE } from "#lib/base/time.ts";
import { PublishedPackage } from "#lib/moodle/course-jobs.ts";
import { declareOperation } from "#lib/operations/operation.ts";

export const publishCourse = declareOperation({
  name: "publish-course",
  verbPhrase: "publish a course of",
  from: ["active"],
  repeatable: true,
  /** The short name of the course; the hub's course that gets the version; whether the spokes get it at once. */
  payload: v.object({ course: v.string(), courseId: v.optional(v.string()), deliver: v.boolean() }),
  progress: {
    /** The package in the library. */
    published: PublishedPackage,
    /** The version that the hub has got. */
    release: v.string(),
  },
  plan: {
    version: 1,
    limit: 4 * HOUR,
    steps: {
      library: ["Preparing the hub's library", 20 * MINUTE],
      package: ["Making a package of the course", 70 * MINUTE],
      store: ["Adding the version to the hub", MINUTE],
      deliver: ["Offering the version to the spokes", MINUTE],
    },
  },
});
