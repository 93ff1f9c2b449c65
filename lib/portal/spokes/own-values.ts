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
import { buildPolicyFormField, describePolicyValue } from "#lib/portal/hubs/policy.ts";
import { SECTION_TITLES } from "#lib/portal/hubs/policy-words.ts";
import { type SpokePageData, subpageHeader } from "#lib/portal/spokes/spoke-page.ts";

export const OWN_VALUES_FIELDS: readonly string[] = [
  "decides-exclusion",
  ...POLICY_SECTIONS.flatMap((section) => [
    `exclude:${section}`,
    ...listPolicyFields(section).map((field) => `${section}.${field}`),
  ]),
];

interface OwnValuesProps {
  readonly spokePage: SpokePageData;
  readonly shared: SharedWithSpoke;
  readonly submission?: RefusedSubmission | undefined;
}

export function ownValuesView({ spokePage, shared, submission }: OwnValuesProps): PageView {
  const { spoke, canManageHub } = spokePage;
  const sections = POLICY_SECTIONS.map((section) => sectionContent(section, shared, canManageHub)).filter((fields) =>
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
function sectionContent(section: PolicySection, shared: SharedWithSpoke, canManageHub: boolean): FormContent[] {
  const { hubVersion } = shared[section], fields = listOwnFields(section, shared);
  const content: readonly FormContent[] = [
    ...fields.map((field) => valueField(section, field, shared)),
    ...(canManageHub && hubVersion > 0 ? [exclusionField(section, shared.excluded.includes(section))] : []),
  ];
  return content.length === 0 ? [] : [markup`<h3>${SECTION_TITLES[section]}</h3>`, ...content];
}

/** Returns the fields that the spoke may override. The brand of the catalog is one of the spoke's settings. */
function listOwnFields(section: PolicySection, shared: SharedWithSpoke) {
  const { overridable } = shared[section];
  return listPolicyFields(section).filter((field) => overridable.includes(field) && field !== "preset");
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
  return {
    ...Object.fromEntries(changed),
    ...(form["decides-exclusion"] === "yes" && {
      excluded: POLICY_SECTIONS.filter((section) => form[`exclude:${section}`] === "on"),
    }),
  };
}
