/** Renders the courses that a hub gives to its spokes: the form that chooses their versions, and what each version needs. */
import { formatCount } from "#lib/base/text.ts";
import { formatBytes } from "#lib/domains/usage/words.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import { sharesCourses } from "#lib/model/mode.ts";
import type { Hub, HubPolicyView } from "#lib/portal/components/api-types.ts";
import { type FormField, type RefusedSubmission, renderPostForm } from "#lib/portal/components/forms.ts";
import * as ui from "#lib/portal/components/parts.ts";
import { courseFieldName, listVersionOptions, readChosenReleases } from "#lib/portal/hubs/course-choices.ts";
import { type CourseItem, type LibraryItem, readReleases } from "#lib/portal/hubs/course-words.ts";

type Form = Readonly<Record<string, string>>;

/** Whether the values come from the form for the courses. */
export function isCoursesForm(form: Form): boolean {
  return (form["version:courses"] ?? "") !== "";
}

export interface CoursesOfHub {
  readonly courses: readonly CourseItem[];
  /** Whether a spoke of the hub uses the hub's courses. */
  readonly areUsed: boolean;
  readonly library: LibraryItem;
}

interface CoursesForm {
  /** The values of the form; absent until the user submits the form. */
  readonly form?: Form | undefined;
  readonly submission?: RefusedSubmission | undefined;
}

export function coursesPanel(
  hub: Hub,
  policy: HubPolicyView,
  { courses, areUsed, library }: CoursesOfHub,
  { form, submission }: CoursesForm,
): Markup {
  const publish = ["Publish a course", `/hubs/${hub.id}/courses/publish`] as const;
  if (courses.length === 0) {
    const empty = ui.emptyState("No courses yet", EMPTY_TEXT, ui.linkButton(publish, "main"));
    return ui.panel("Courses", markup`${usageNote(hub, areUsed)}${empty}`, { id: "courses" });
  }
  return ui.panel(
    "Courses",
    markup`${usageNote(hub, areUsed)}${
      renderPostForm(
        {
          action: `/hubs/${hub.id}/policy`,
          button: "Preview the courses",
          submission,
          hidden: { preview: "yes", "version:courses": form?.["version:courses"] ?? String(policy.courses.version) },
        },
        ...courses.map((course) => courseField(hub.id, course, form)),
      )
    }<h3>Published versions</h3>${libraryNote(library)}${courses.map((course) => versionList(hub.id, course))}`,
    { id: "courses", lead: LEAD, actions: ui.linkButton(publish) },
  );
}

const LEAD = "Choose the version of each course that the sites get. When a site gets another version, the version " +
  "before it stays if somebody has used it, closed for new people; otherwise it is replaced.";
const EMPTY_TEXT =
  "Build a course once, on any site of this hub, and publish it here: every site that uses the hub's " +
  "courses gets its own copy, without the people of the first site. Later versions replace the copy or stand next to it.";

function usageNote({ id, mode }: Hub, areUsed: boolean): Markup {
  if (!sharesCourses(mode)) {
    return ui.callout(
      "info",
      markup`The hub's mode is ${
        mode ?? "not set"
      }, so the sites get no courses: choose content or both in <a href="/hubs/${id}/settings">the hub's settings</a>.`,
    );
  }
  if (areUsed) return markup``;
  return ui.callout(
    "info",
    markup`No site uses the hub's courses: turn on “Shared courses” in the settings of <a href="/hubs/${id}">each site</a> that should get them.`,
  );
}

function courseField(hubId: string, course: CourseItem, form: Form | undefined): FormField {
  const { id, title, delivered, versions: [newest] } = course, name = courseFieldName(id);
  return {
    name,
    label: title,
    value: form?.[name] ?? String(delivered ?? ""),
    options: listVersionOptions(course, {
      none: "Not given to the sites",
      current: delivered ?? undefined,
      notes: { [newest!.version]: " (newest)" },
    }),
    hint: markup`Newest: version ${newest!.version}, ${ui.renderTime(newest!.publishedAt)}, by ${
      newest!.publishedBy
    }. <a href="/hubs/${hubId}/courses/publish?of=${id}">Publish a new version<span class="visually-hidden"> of ${title}</span></a>`,
  };
}

/** Shows how full the library is, and when it was backed up. */
function libraryNote({ packageBytes, capacityBytes, backedUpAt, error }: LibraryItem): Markup {
  const capacity = capacityBytes === null ? "" : ` of ${formatBytes(capacityBytes)}`;
  const usage = markup`<p>The packages use ${formatBytes(packageBytes)}${capacity}. Last backup: ${
    ui.renderTime(backedUpAt)
  }.</p>`;
  return error === null ? usage : markup`${usage}${ui.callout("warn", `${error}.`)}`;
}

function versionList(hubId: string, { id, title, delivered, versions }: CourseItem): Markup {
  const rows = versions.map(({ version, publishedAt, publishedBy, bytes, branch, plugins, backedUpAt, isMissing }) => [
    markup`${version} ${version === delivered ? ui.badge("good", "done", "Given to the sites") : ""}${
      isMissing ? ui.badge("bad", "cross", "The package is missing") : ""
    }`,
    ui.renderTime(publishedAt),
    publishedBy,
    formatBytes(bytes),
    ui.renderTime(backedUpAt),
    markup`Moodle ${branch}${plugins.map((plugin) => markup`, <code>${plugin}</code>`)}`,
    version === delivered
      ? ""
      : markup`<a href="/hubs/${hubId}/courses/delete?course=${id}&version=${version}">Delete<span class="visually-hidden"> version ${version} of ${title}</span></a>`,
  ]);
  return markup`<details><summary>${title}: ${formatCount(versions.length, "version")}</summary>
${ui.dataTable(`Versions of ${title}`, VERSION_HEADS, rows)}</details>`;
}

const VERSION_HEADS = ["Version", "Published", "By", "Size", "Backed up", "Needs", "Delete"];

/** Builds the API request from the values of the form. */
export function buildCoursesRequest(form: Form, policy: HubPolicyView): object {
  const before = policy.courses.values["releases"] ?? null, releases = readChosenReleases(form, readReleases(before));
  return {
    courses: { releases: releases.length === 0 && before === null ? null : releases },
    ifVersion: { courses: Number(form["version:courses"]) },
  };
}
