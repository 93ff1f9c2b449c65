/** Renders the courses that a site takes itself from its hub, and shows which courses of the hub a site has. */
import { formatList } from "#lib/base/text.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import { parseCourseRelease, readContentMode } from "#lib/model/course.ts";
import { sharesCourses } from "#lib/model/mode.ts";
import type { SharedWithSpoke } from "#lib/portal/components/api-types.ts";
import type { FormContent } from "#lib/portal/components/forms.ts";
import {
  courseFieldName,
  hasCourseFields,
  listVersionOptions,
  readChosenReleases,
} from "#lib/portal/hubs/course-choices.ts";
import { type CourseItem, findCourseTitle, readReleases } from "#lib/portal/hubs/course-words.ts";
import type { SpokePageData } from "#lib/portal/spokes/spoke-page.ts";

/** Whether the admins of the site take versions of the hub's courses. */
export function takesCourses({ spoke, hub }: SpokePageData): boolean {
  return spoke.content && readContentMode(spoke.contentMode) === "pull" && hub !== null && sharesCourses(hub.mode);
}

/** Returns a choice for each course that the hub offers. */
export function takenCourseFields(
  courses: readonly CourseItem[],
  { courses: { overrides } }: SharedWithSpoke,
): FormContent[] {
  const offered = courses.filter(({ delivered }) => delivered !== null);
  if (offered.length === 0) return [markup`<p class="small">The hub offers no course yet.</p>`];
  const taken = new Map(
    readReleases(overrides["releases"]).map(parseCourseRelease).map(({ course, version }) => [course, version]),
  );
  return [
    markup`<p class="small">The site gets a course, or another version of it, when you choose it here. A version that somebody has used stays, closed for new people.</p>`,
    ...offered.map((course) => courseChoice(course, taken.get(course.id))),
  ];
}

function courseChoice(course: CourseItem, taken: number | undefined): FormContent {
  const { id, title, delivered, versions } = course;
  const needs = versions.filter(({ plugins }) => plugins.length > 0).map(({ version, plugins }) =>
    `Version ${version} needs ${formatList(plugins)}.`
  );
  return {
    name: courseFieldName(id),
    label: title,
    value: String(taken ?? ""),
    options: listVersionOptions(course, {
      none: "Not on this site",
      current: taken,
      notes: { [delivered!]: " (chosen by the hub)" },
    }),
    ...(needs.length > 0 && { hint: needs.join(" ") }),
  };
}

/** Builds the section `courses` of the API request; undefined if the form chooses no version of a course. */
export function buildTakenCourses(
  { courses: { overrides } }: SharedWithSpoke,
  form: Readonly<Record<string, string>>,
): object | undefined {
  if (!hasCourseFields(form)) return undefined;
  const releases = readChosenReleases(form, readReleases(overrides["releases"]));
  return { releases: releases.length === 0 ? null : releases };
}

/** Names the courses of the hub that the site has. A course that could not be brought is not among them. */
export function siteCourses(courses: readonly CourseItem[], { courses: section }: SharedWithSpoke): Markup | string {
  const releases = readReleases(section.values["releases"]).map(parseCourseRelease);
  if (releases.length === 0) return "No course";
  return markup`${
    releases.map(({ course, version }) => {
      const title = findCourseTitle(courses, course);
      const isMissed = section.reasons.some((reason) => reason.startsWith(`the course ${title}: `));
      return markup`<div>${title}, ${isMissed ? "not " : ""}version\u00a0${version}</div>`;
    })
  }`;
}
