/** Implements `wheelwright courses`, which lists, publishes and deletes the courses that a hub offers to its spokes. */
import { defineCommand } from "./command.ts";
import { resolveSpokeId } from "./find-spoke.ts";
import { showChange, showList, showRecord } from "./output.ts";
import { formatSize } from "./usage.ts";
import { parseWaitTime, throwOperationFailures, WAIT_OPTIONS, waitForOperations } from "./wait-for-operations.ts";

export const coursesCommands = [
  defineCommand({
    name: "list",
    summary: "List the courses of a hub with their versions",
    words: ["HUB"],
    examples: ["courses list north", "courses list north --json=id,title,delivered"],
    async run(cli, { words: [federationId] }) {
      const courses = await cli.api.listFederationCourses({ federationId });
      showList(cli, courses, [
        ["COURSE", (one) => one.id],
        ["TITLE", (one) => one.title],
        ["NEWEST", (one) => one.versions[0]?.version ?? null, "number"],
        ["DELIVERED", (one) => one.delivered, "number"],
        ["SIZE", (one) => formatSize(one.versions[0]?.bytes ?? null)],
        ["PUBLISHED", (one) => one.versions[0]?.publishedAt ?? null, "time"],
        ["BACKED UP", (one) => one.versions[0]?.backedUpAt ?? null, "time"],
      ], ({ id }) => id);
    },
  }),
  defineCommand({
    name: "publish",
    summary: "Publish a course of a spoke, without its people, as a new version of a course of the hub",
    words: ["HUB", "SPOKE", "SHORTNAME"],
    options: {
      course: { type: "string", value: "COURSE", help: "the hub's course that gets the version; else a new course" },
      "no-deliver": { type: "boolean", help: "do not give the version to the hub's spokes yet" },
      ...WAIT_OPTIONS,
    },
    more:
      "To give a published version to the spokes, or to take it back: policy set HUB courses.releases=COURSE@VERSION",
    examples: [
      "courses publish north north/ash BIO-D",
      "courses publish north north/ash BIO-D --course crs_0123456789abcdefghjkmnpqrs --no-deliver",
    ],
    async run(cli, { words: [federationId, spoke, course], options }) {
      const waitTime = parseWaitTime(options), spokeId = await resolveSpokeId(cli.api, spoke);
      const operation = await cli.api.createFederationCourse({ federationId }, {
        spokeId,
        course,
        courseId: options.course,
        deliver: !options["no-deliver"],
      });
      const started = [{ label: course, operation }], result = await waitForOperations(cli, started, waitTime);
      const [done] = result.operations;
      if (!done) showChange(cli, operation, `${course} is being published`);
      else if (done.state === "succeeded") showChange(cli, done, done.notes[0] ?? `${course} is published`);
      throwOperationFailures(started, result);
    },
  }),
  defineCommand({
    name: "library",
    summary: "Show the space that the packages of a hub's courses use, and their backups",
    words: ["HUB"],
    examples: ["courses library north"],
    async run(cli, { words: [federationId] }) {
      const library = await cli.api.getFederationLibrary({ federationId });
      showRecord(cli, library, (record) => [
        ["Packages", record.packages],
        ["Size", formatSize(record.packageBytes)],
        ["Used", formatSize(record.usedBytes)],
        ["Capacity", formatSize(record.capacityBytes)],
        ["Missing", record.missing.join(", ") || null],
        ["Checked", record.checkedAt, "time"],
        ["Backed up", record.backedUpAt, "time"],
        ["Problem", record.error],
      ], library.federationId);
    },
  }),
  defineCommand({
    name: "delete",
    summary: "Delete a version of a course that no site needs any longer, and its package",
    words: ["HUB", "COURSE", "VERSION"],
    options: WAIT_OPTIONS,
    examples: ["courses delete north crs_0123456789abcdefghjkmnpqrs 1"],
    async run(cli, { words: [federationId, courseId, version], options }) {
      const waitTime = parseWaitTime(options), label = `${courseId} ${version}`;
      const operation = await cli.api.deleteFederationCourseVersion({ federationId, courseId, version });
      const started = [{ label, operation }], result = await waitForOperations(cli, started, waitTime);
      const [done] = result.operations;
      showChange(cli, done ?? operation, done?.notes[0] ?? `Version ${version} of ${courseId} is being deleted`);
      throwOperationFailures(started, result);
    },
  }),
];
