/** Renders what a hub shares with its spokes: the forms, and how far the sites have the last change. */
import { type Markup, markup } from "#lib/http/page.ts";
import { sharesCourses } from "#lib/model/mode.ts";
import {
  type AnyPolicyField,
  listPolicyFields,
  MAX_SCSS,
  OVERRIDABLE_SECTIONS,
  POLICY_SECTIONS,
  type PolicySection,
} from "#lib/model/policy.ts";
import { formatPolicyText, getPolicyFieldType, parsePolicyText } from "#lib/model/policy-text.ts";
import type {
  CatalogOffer,
  CheckedSignIn,
  Hub,
  HubPolicyView,
  PolicyHistory,
  PreviewedPolicy,
} from "#lib/portal/components/api-types.ts";
import { checkboxField, type FormField, type RefusedSubmission, renderPostForm } from "#lib/portal/components/forms.ts";
import * as ui from "#lib/portal/components/parts.ts";
import type { PageView } from "#lib/portal/components/view.ts";
import { hubHeader } from "#lib/portal/hubs/hub.ts";
import {
  buildCoursesRequest,
  type CoursesOfHub,
  coursesPanel,
  isCoursesForm,
} from "#lib/portal/hubs/courses-policy.ts";
import { policyVersionsPanel, previewPanel } from "#lib/portal/hubs/policy-changes.ts";
import { describeAddonChoice, FIELD_WORDS, ROLLOUT_WORDS, SECTION_TITLES } from "#lib/portal/hubs/policy-words.ts";
import { buildSignInRequest, isSignInForm, SIGN_IN_FORM_FIELDS, signInPanel } from "#lib/portal/hubs/sign-in-policy.ts";

interface SharedProps {
  readonly hub: Hub;
  readonly policy: HubPolicyView;
  readonly history: PolicyHistory;
  readonly catalog: CatalogOffer;
  readonly courses: CoursesOfHub;
  /** The values of the form; absent until the user submits the form. */
  readonly form?: Readonly<Record<string, string>> | undefined;
  readonly preview?: PreviewedPolicy | undefined;
  /** The result of a check of the identity provider. */
  readonly check?: CheckedSignIn | undefined;
  readonly submission?: RefusedSubmission | undefined;
}

const REFRESH_INTERVAL = 5; // seconds

/** The sections that the form with a preview changes. The sign-in has its own form, because a preview would repeat its secret. */
const FORM_SECTIONS = OVERRIDABLE_SECTIONS;

export const SHARED_FORM_FIELDS: readonly string[] = [
  ...FORM_SECTIONS.flatMap((section) => [
    `version:${section}`,
    ...listPolicyFields(section).flatMap((field) => [`${section}.${field}`, `allow:${section}.${field}`]),
  ]),
  ...SIGN_IN_FORM_FIELDS,
  "version:courses",
];

export function sharedView(
  { hub, policy, history, catalog, courses, form, preview, check, submission }: SharedProps,
): PageView {
  const { id, mode } = hub, isSignIn = isSignInForm(form ?? {}), isCourses = isCoursesForm(form ?? {});
  const settings = settingsPanel(id, policy, catalog, isSignIn || isCourses ? {} : { form, submission });
  const coursesSection = coursesPanel(hub, policy, courses, isCourses ? { form, submission } : {});
  // Admins of a hub with courses publish and choose versions more often than they change settings.
  const panels = sharesCourses(mode) || courses.courses.length > 0
    ? [coursesSection, settings]
    : [settings, coursesSection];
  return {
    ...hubHeader(hub, true, `/hubs/${id}/policy`),
    lead:
      "What you set here applies to every site of this hub, now and later. Leave a field empty to let each site decide.",
    ...(policy.rollout?.state === "running" && !preview && { poll: REFRESH_INTERVAL }),
    body: markup`${
      preview ? previewPanel(id, { preview, form: form ?? {}, courses: courses.courses }) : progressPanel(policy)
    }${panels}${signInPanel(hub, policy, isSignIn ? { form, check, submission } : {})}${
      policyVersionsPanel(id, policy, history, courses.courses)
    }`,
  };
}

function settingsPanel(
  id: string,
  policy: HubPolicyView,
  catalog: CatalogOffer,
  { form, submission }: Pick<SharedProps, "form" | "submission">,
): Markup {
  return ui.panel(
    "Shared with spokes",
    renderPostForm(
      {
        action: `/hubs/${id}/policy`,
        button: "Preview",
        submission,
        hidden: {
          preview: "yes",
          ...Object.fromEntries(
            FORM_SECTIONS.map((section) => [
              `version:${section}`,
              form?.[`version:${section}`] || String(policy[section].version),
            ]),
          ),
        },
      },
      ...FORM_SECTIONS.flatMap((section) => sectionFields(section, policy, catalog, form)),
    ),
    { id: "shared" },
  );
}

function sectionFields(
  section: PolicySection,
  policy: HubPolicyView,
  catalog: CatalogOffer,
  form: Readonly<Record<string, string>> | undefined,
): (FormField | Markup)[] {
  const values: Readonly<Record<string, unknown>> = policy[section].values;
  return [
    markup`<h3>${SECTION_TITLES[section]}</h3>`,
    ...listPolicyFields(section).flatMap((field): (FormField | Markup)[] => {
      const name = `${section}.${field}`, isAllowed = policy[section].overridable.includes(field);
      return [
        buildPolicyFormField(section, field, {
          value: form?.[name] ?? formatPolicyText(values[field]),
          empty: "Each site decides",
          catalog,
        }),
        markup`<div class="allow">${
          checkboxField(`allow:${name}`, "Spokes may change this", form ? form[`allow:${name}`] === "on" : isAllowed)
        }</div>`,
      ];
    }),
  ];
}

interface PolicyFieldProps {
  readonly value: string;
  /** The choice that leaves a switch to others. */
  readonly empty: string;
  /** Replaces the field's own hint. */
  readonly hint?: string;
  readonly catalog?: CatalogOffer;
}

export function buildPolicyFormField(
  section: PolicySection,
  field: AnyPolicyField,
  { value, empty, catalog, ...words }: PolicyFieldProps,
): FormField {
  const [label, usualHint] = FIELD_WORDS[field], { hint = usualHint } = words;
  const control = { name: `${section}.${field}`, label, value, ...(hint !== undefined && { hint }) };
  if (getPolicyFieldType(section, field) === "boolean") {
    return { ...control, options: [["", empty], ["true", "On"], ["false", "Off"]] };
  }
  if (field === "preset") {
    return { ...control, options: [["", "None"], ...(catalog?.brands ?? []).map((brand) => [brand.name] as const)] };
  }
  if (field === "components" && words.hint === undefined) return { ...control, hint: describeAddonChoice(catalog) };
  return field === "scss" ? { ...control, type: "textarea", maxLength: MAX_SCSS } : control;
}

function progressPanel({ rollout, spokes, ...policy }: HubPolicyView): Markup {
  const rows = POLICY_SECTIONS.filter((section) => policy[section].version > 0).map((section) => {
    const { in_sync: inSync, behind, differs, excluded } = spokes[section];
    return [SECTION_TITLES[section], `Version ${policy[section].version}`, inSync, behind, differs, excluded];
  });
  if (rows.length === 0) {
    return ui.panel("On the sites", markup`<p class="small">This hub shares nothing yet.</p>`, {
      id: "progress",
      live: true,
    });
  }
  return ui.panel(
    "On the sites",
    markup`${ui.dataTable("Sites by state", ["Section", "Newest", "In sync", "Behind", "Differ", "Excluded"], rows)}${
      rollout === null
        ? ""
        : markup`<p class="small">${
          rollout.reason ?? ROLLOUT_WORDS[rollout.state]
        }. <a href="/rollouts/${rollout.id}">Show the rollout</a>.</p>`
    }`,
    { id: "progress", live: true },
  );
}

/** Builds the API request from the values of the form. An empty value is left to the sites. */
export function buildPolicyRequest(form: Readonly<Record<string, string>>, policy: HubPolicyView): object {
  if (isSignInForm(form)) return buildSignInRequest(form);
  if (isCoursesForm(form)) return buildCoursesRequest(form, policy);
  const sections = FORM_SECTIONS.map((section) => {
    const values = listPolicyFields(section).map((field) => {
      const typed = (form[`${section}.${field}`] ?? "").trim().replaceAll("\r\n", "\n");
      return [field, parsePolicyText(section, field, typed)];
    });
    return [section, Object.fromEntries(values)] as const;
  });
  return {
    ...Object.fromEntries(sections),
    overridable: Object.fromEntries(
      FORM_SECTIONS.map((section) => [
        section,
        listPolicyFields(section).filter((field) => form[`allow:${section}.${field}`] === "on"),
      ]),
    ),
    ifVersion: Object.fromEntries(FORM_SECTIONS.map((section) => [section, Number(form[`version:${section}`])])),
  };
}
