/** Renders what a spoke's site has of what its hub shares. */
import { type Markup, markup } from "#lib/http/page.ts";
import { POLICY_SECTIONS } from "#lib/model/policy.ts";
import type { SharedWithSpoke } from "#lib/portal/components/api-types.ts";
import * as ui from "#lib/portal/components/parts.ts";
import type { CourseItem } from "#lib/portal/hubs/course-words.ts";
import { SECTION_TITLES } from "#lib/portal/hubs/policy-words.ts";
import type { SpokePageData } from "#lib/portal/spokes/spoke-page.ts";
import { siteCourses, takesCourses } from "#lib/portal/spokes/taken-courses.ts";

const BADGES = {
  in_sync: ui.badge("good", "done", "In sync"),
  behind: ui.badge("warn", "wait", "Behind"),
  differs: ui.badge("info", "warning", "Differs"),
  excluded: ui.badge("still", "minus", "Excluded"),
} as const;

/** Describes what a site has of its hub. `courses` are those of the hub, with their titles. */
export interface SharedByHub {
  readonly shared: SharedWithSpoke;
  readonly courses: readonly CourseItem[];
}

/** Returns the panel; empty if the hub has never shared anything. */
export function sharedPanel({ shared, courses }: SharedByHub, spokePage: SpokePageData): Markup {
  const sections = POLICY_SECTIONS.filter((section) => shared[section].hubVersion > 0);
  if (sections.length === 0) return markup`<div id="shared" data-live></div>`;
  const rows = sections.map((section) => {
    const { version, state, reasons, overriddenBy } = shared[section];
    const by = overriddenBy === null ? [] : [`Its own values were set by ${overriddenBy}`];
    return [
      SECTION_TITLES[section],
      version === null ? "–" : section === "courses" ? siteCourses(courses, shared) : `Version ${version}`,
      BADGES[state],
      [...reasons, ...by].join(". "),
    ];
  });
  return ui.panel("From the hub", ui.dataTable("Sections from the hub", ["Section", "Has", "State", "Reason"], rows), {
    id: "shared",
    live: true,
    actions: markup`${
      ui.linkButton([
        takesCourses(spokePage) ? "Own values and courses" : "Own values",
        `/spokes/${shared.spokeId}/policy`,
      ])
    }${spokePage.canManageHub ? ui.linkButton(["Shared with spokes", `/hubs/${shared.federationId}/policy`]) : ""}`,
  });
}
