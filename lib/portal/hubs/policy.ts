/** Renders what a hub shares with its spokes: the form, the preview of a change, its progress, and older versions. */
import { type Markup, markup } from "#lib/http/page.ts";
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
  describeAddonChoice,
  EFFECT_WORDS,
  FIELD_WORDS,
  ROLLOUT_WORDS,
  SECTION_TITLES,
} from "#lib/portal/hubs/policy-words.ts";
import { buildSignInRequest, isSignInForm, SIGN_IN_FORM_FIELDS, signInPanel } from "#lib/portal/hubs/sign-in-policy.ts";
import { formatSpokes } from "#lib/portal/rollouts/rollout.ts";

interface SharedProps {
  readonly hub: Hub;
  readonly policy: HubPolicyView;
  readonly history: PolicyHistory;
  readonly catalog: CatalogOffer;
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
];

export function sharedView({ hub, policy, history, catalog, form, preview, check, submission }: SharedProps): PageView {
  const { id } = hub, isSignIn = isSignInForm(form ?? {});
  return {
    ...hubHeader(hub, true, `/hubs/${id}/policy`),
    lead:
      "What you set here applies to every site of this hub, now and later. Leave a field empty to let each site decide.",
    ...(policy.rollout?.state === "running" && !preview && { poll: REFRESH_INTERVAL }),
    body: markup`${preview ? previewPanel(id, preview, form ?? {}) : progressPanel(policy)}${
      ui.panel(
        "Shared with spokes",
        renderPostForm(
          {
            action: `/hubs/${id}/policy`,
            button: "Preview",
            submission: isSignIn ? undefined : submission,
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
          ...FORM_SECTIONS.flatMap((section) => sectionFields(section, policy, catalog, isSignIn ? undefined : form)),
        ),
        { id: "shared" },
      )
    }${signInPanel(hub, policy, isSignIn ? { form, check, submission } : {})}${historyPanel(id, policy, history)}`,
  };
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

function previewPanel(id: string, preview: PreviewedPolicy, form: Readonly<Record<string, string>>): Markup {
  const { changes, counts, downtime, spokes, more, notes } = preview;
  const changeRows = changes.map(({ section, field, from, to }) => [
    field === "overridable" ? `${SECTION_TITLES[section]}: sites may choose` : labelField(field),
    describePolicyValue(from),
    describePolicyValue(to),
  ]);
  const spokeRows = spokes.map(({ spokeId, domain, effect, reason }) => [
    markup`<a href="/spokes/${spokeId}">${domain}</a>`,
    EFFECT_WORDS[effect],
    reason ?? "",
  ]);
  if (changes.length === 0) {
    return ui.panel("Nothing changes", markup`<p class="small">The form has the values that the hub has already.</p>`, {
      id: "preview",
    });
  }
  return ui.panel(
    `${formatSpokes(counts.changes)} would change now`,
    markup`${ui.dataTable("Changes", ["Value", "Now", "Afterwards"], changeRows)}
<p class="small">${downtime ? "" : "No site becomes unavailable. "}${notes.map((note) => `${note}. `)}</p>
${spokeRows.length === 0 ? "" : ui.dataTable("Sites", ["Site", "Effect", "Reason"], spokeRows)}
${more === 0 ? "" : markup`<p class="small soft">And ${more} more.</p>`}
${ui.renderPostButton(`/hubs/${id}/policy`, "Apply to the sites", { variant: "main", fields: { ...form } })}`,
    { id: "preview" },
  );
}

export function describePolicyValue(value: unknown): string {
  if (value === null) return "each site decides";
  if (Array.isArray(value)) {
    return value.map(labelField).join(", ") || "nothing";
  }
  return value === true ? "on" : value === false ? "off" : formatPolicyText(value);
}

/** Returns the label of a field. A later release may have stored a field that this one does not know. */
function labelField(field: string): string {
  return Object.hasOwn(FIELD_WORDS, field) ? FIELD_WORDS[field as AnyPolicyField][0] : field;
}

function historyPanel(id: string, policy: HubPolicyView, history: PolicyHistory): Markup {
  if (history.length === 0) return markup``;
  const rows = history.map(({ section, version, changedAt, changedBy, values }) => [
    SECTION_TITLES[section],
    version,
    ui.renderTime(changedAt),
    changedBy,
    Object.keys(values).map(labelField).join(", ") || "nothing set",
    version === policy[section].version ? "Newest" : ui.renderPostButton(`/hubs/${id}/policy`, "Use again", {
      about: `${SECTION_TITLES[section]}, version ${version}`,
      fields: { rollback: `${section}:${version}` },
    }),
  ]);
  return ui.panel(
    "Versions",
    ui.dataTable("Versions", ["Section", "Version", "Changed", "By", "Sets", "Action"], rows),
    { id: "history" },
  );
}

/** Builds the API request from the values of the form. An empty value is left to the sites. */
export function buildPolicyRequest(form: Readonly<Record<string, string>>): object {
  if (isSignInForm(form)) return buildSignInRequest(form);
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
