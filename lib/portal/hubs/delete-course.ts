/** Renders the page on which a user confirms that a version of a course is deleted. */
import { formatBytes } from "#lib/domains/usage/words.ts";
import { markup } from "#lib/http/page.ts";
import type { Hub } from "#lib/portal/components/api-types.ts";
import { type RefusedSubmission, renderPostForm } from "#lib/portal/components/forms.ts";
import * as ui from "#lib/portal/components/parts.ts";
import type { PageView } from "#lib/portal/components/view.ts";
import type { CourseItem } from "#lib/portal/hubs/course-words.ts";

interface CourseDeletionProps {
  readonly hub: Hub;
  /** The version; undefined if the hub does not have it. */
  readonly version: CourseItem["versions"][number] | undefined;
  /** The values that the form sends. */
  readonly values: Readonly<Record<"course" | "version", string>>;
  readonly submission?: RefusedSubmission | undefined;
}

export function deleteCourseView({ hub: { id, name }, version, values, submission }: CourseDeletionProps): PageView {
  const shared = `/hubs/${id}/policy`, back = ui.linkButton(["Cancel", shared]);
  return {
    title: "Delete a version of a course",
    section: "hubs",
    crumbs: [["Hubs", "/hubs"], [name, `/hubs/${id}`], ["Shared with spokes", shared]],
    body: version === undefined
      ? ui.emptyState("No such version", "Somebody may have deleted it.", ui.linkButton(["Show the courses", shared]))
      : ui.panel(
        `${version.title}, version ${version.version}`,
        markup`<p>The package of ${
          formatBytes(version.bytes)
        } is deleted, and the hub can no longer give this version to its sites. Courses on sites stay as they are.</p>${
          renderPostForm(
            {
              action: `/hubs/${id}/courses/delete`,
              button: "Delete the version",
              variant: "danger",
              also: back,
              submission,
              hidden: values,
            },
          )
        }`,
        { id: "deletion" },
      ),
  };
}
