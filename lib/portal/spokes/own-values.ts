/** Renders the form for a spoke's own values where its hub allows them. Hub admins can also exclude the spoke here. */
import { type Markup, markup } from "#lib/http/page.ts";
import { listPolicyFields, POLICY_SECTIONS, type PolicySection } from "#lib/model/policy.ts";
import { formatPolicyText, parsePolicyText } from "#lib/model/policy-text.ts";
import type { SharedWithSpoke } from "#lib/portal/components/api-types.ts";
import {
  checkboxField,
  type FormContent,
  type RefusedSubmission,
  renderPostForm,
} from "#lib/portal/components/forms.ts";
import { panel } from "#lib/portal/components/parts.ts";
import type { PageView } from "#lib/portal/components/view.ts";
import type { CourseItem } from "#lib/portal/hubs/course-words.ts";
import { buildPolicyFormField } from "#lib/portal/hubs/policy.ts";
import { describePolicyValue } from "#lib/portal/hubs/policy-changes.ts";
import { SECTION_TITLES } from "#lib/portal/hubs/policy-words.ts";
import { type SpokePageData, subpageHeader } from "#lib/portal/spokes/spoke-page.ts";
import { buildTakenCourses, takenCourseFields, takesCourses } from "#lib/portal/spokes/taken-courses.ts";

/** The fields of the form. It also has a field for each course of the hub. */
export const OWN_VALUES_FIELDS: readonly string[] = [
  "decides-exclusion",
  ...POLICY_SECTIONS.flatMap((section) => [
    `exclude:${section}`,
    ...listTextFields(section).map((field) => `${section}.${field}`),
  ]),
];

interface OwnValuesProps {
  readonly spokePage: SpokePageData;
  readonly shared: SharedWithSpoke;
  /** The courses of the hub. */
  readonly courses: readonly CourseItem[];
  readonly submission?: RefusedSubmission | undefined;
}

export function ownValuesView(props: OwnValuesProps): PageView {
  const { spokePage, submission } = props, { spoke, canManageHub } = spokePage;
  const sections = POLICY_SECTIONS.map((section) => sectionContent(section, props)).filter((fields) =>
    fields.length > 0
  );
  return {
    ...subpageHeader(spokePage),
    title: "Own values",
    lead: "Where the hub allows it, this site can have its own values. Leave a field empty to use the hub's value.",
    body: panel(
      "What this site decides",
      sections.length === 0
        ? markup`<p class="small">The hub decides everything that it shares with this site.</p>`
        : renderPostForm(
          {
            action: `/spokes/${spoke.id}/policy`,
            button: "Save",
            submission,
            hidden: canManageHub ? { "decides-exclusion": "yes" } : {},
          },
          ...sections.flat(),
        ),
      { id: "own-values" },
    ),
  };
}

/** Returns the fields of a section that the user can change; none if there are none. */
function sectionContent(section: PolicySection, { spokePage, shared, courses }: OwnValuesProps): FormContent[] {
  const { hubVersion } = shared[section], { canManageHub } = spokePage, fields = listOwnFields(section, shared);
  const content: readonly FormContent[] = [
    ...fields.map((field) => valueField(section, field, shared)),
    ...(section === "courses" && takesCourses(spokePage) ? takenCourseFields(courses, shared) : []),
    ...(canManageHub && hubVersion > 0 ? [exclusionField(section, shared.excluded.includes(section))] : []),
  ];
  return content.length === 0 ? [] : [markup`<h3>${SECTION_TITLES[section]}</h3>`, ...content];
}

/** Returns the fields that the spoke may override. The brand of the catalog is one of the spoke's settings. */
function listOwnFields(section: PolicySection, shared: SharedWithSpoke) {
  const { overridable } = shared[section];
  return listTextFields(section).filter((field) => overridable.includes(field) && field !== "preset");
}

/** Returns the fields of a section that have a form field of their own. Courses are chosen one by one. */
function listTextFields(section: PolicySection) {
  return section === "courses" ? [] : listPolicyFields(section);
}

function valueField(section: PolicySection, field: ReturnType<typeof listOwnFields>[number], shared: SharedWithSpoke) {
  const overrides: Readonly<Record<string, unknown>> = shared[section].overrides;
  const values: Readonly<Record<string, unknown>> = shared[section].values, own = overrides[field] ?? null;
  return buildPolicyFormField(section, field, {
    value: formatPolicyText(own),
    empty: "As the hub decides",
    ...(own === null && { hint: `The hub's value: ${describePolicyValue(values[field] ?? null)}` }),
  });
}

function exclusionField(section: PolicySection, isExcluded: boolean): Markup {
  const label = "Exclude this site: it keeps what it has, and gets no later changes";
  return markup`<div class="allow">${checkboxField(`exclude:${section}`, label, isExcluded)}</div>`;
}

/** Builds the API request from the values of the form. An empty value returns to the hub's. */
export function buildOwnValuesRequest(shared: SharedWithSpoke, form: Readonly<Record<string, string>>): object {
  const sections = POLICY_SECTIONS.map((section) => {
    const values = listOwnFields(section, shared).map((field) => {
      const typed = (form[`${section}.${field}`] ?? "").trim().replaceAll("\r\n", "\n");
      return [field, parsePolicyText(section, field, typed)];
    });
    return [section, Object.fromEntries(values)] as const;
  });
  const changed = sections.filter(([, values]) => Object.keys(values).length > 0);
  const taken = buildTakenCourses(shared, form);
  return {
    ...Object.fromEntries(changed),
    ...(taken && { courses: taken }),
    ...(form["decides-exclusion"] === "yes" && {
      excluded: POLICY_SECTIONS.filter((section) => form[`exclude:${section}`] === "on"),
    }),
  };
}
