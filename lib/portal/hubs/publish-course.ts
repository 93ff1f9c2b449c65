/** Renders the form that publishes a course of a site as a new version of a course of the hub. */
import { markup } from "#lib/http/page.ts";
import type { Hub, Spoke } from "#lib/portal/components/api-types.ts";
import { checkboxField, type RefusedSubmission, renderPostForm } from "#lib/portal/components/forms.ts";
import * as ui from "#lib/portal/components/parts.ts";
import type { PageView } from "#lib/portal/components/view.ts";
import type { CourseItem } from "#lib/portal/hubs/course-words.ts";

export const PUBLICATION_FIELDS = ["spokeId", "course", "courseId", "deliver"] as const;
export type PublicationValues = Readonly<Record<(typeof PUBLICATION_FIELDS)[number], string>>;

interface PublicationProps {
  readonly hub: Hub;
  /** The spokes from which a course can be published. */
  readonly spokes: readonly Spoke[];
  readonly courses: readonly CourseItem[];
  /** The values with which the form starts. */
  readonly values: PublicationValues;
  readonly submission?: RefusedSubmission | undefined;
}

export function publishCourseView({ hub, spokes, courses, values, submission }: PublicationProps): PageView {
  const { id, name } = hub;
  return {
    title: "Publish a course",
    section: "hubs",
    crumbs: [["Hubs", "/hubs"], [name, `/hubs/${id}`], ["Shared with spokes", `/hubs/${id}/policy`]],
    lead: "Makes a package of a course, without people and what they did in it, and adds it to the hub's courses. " +
      "The course on the site stays as it is, and the site stays available.",
    body: spokes.length === 0
      ? ui.emptyState(
        "No site is active",
        "A course is published from an active site of this hub.",
        ui.linkButton(["Go to the hub", `/hubs/${id}`]),
      )
      : ui.panel(
        "Course",
        renderPostForm(
          {
            action: `/hubs/${id}/courses/publish`,
            button: "Publish the course",
            also: ui.linkButton(["Cancel", `/hubs/${id}/policy`]),
            submission,
          },
          {
            name: "spokeId",
            label: "Site",
            value: values.spokeId,
            options: spokes.map((spoke) => [spoke.id, `${spoke.displayName} (${spoke.domain})`]),
            hint: "The active site on which the course was built.",
          },
          {
            name: "course",
            label: "Short name of the course",
            value: values.course,
            required: true,
            maxLength: 255,
            hint: markup`Moodle shows it in the settings of the course, next to “Course short name”.`,
          },
          {
            name: "courseId",
            label: "Publish as",
            value: values.courseId,
            options: [
              ["", "A new course"],
              ...courses.map((each) => [each.id, `A new version of ${each.title}`] as const),
            ],
          },
          checkboxField(
            "deliver",
            "Give it to the sites as soon as it is published",
            (submission?.values ?? values)["deliver"] === "on",
            "Without this, choose the version later on the page “Shared with spokes”, where a preview shows what each site gets.",
          ),
        ),
        { id: "publication" },
      ),
  };
}
