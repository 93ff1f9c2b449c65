/** Renders the preview of a change of a hub's policy, and the policy's older versions. */
import { type Markup, markup } from "#lib/http/page.ts";
import type { AnyPolicyField } from "#lib/model/policy.ts";
import { formatPolicyText } from "#lib/model/policy-text.ts";
import type { HubPolicyView, PolicyHistory, PreviewedPolicy } from "#lib/portal/components/api-types.ts";
import * as ui from "#lib/portal/components/parts.ts";
import { type CourseItem, describeReleases, listCourseChanges, readReleases } from "#lib/portal/hubs/course-words.ts";
import { EFFECT_WORDS, FIELD_WORDS, SECTION_TITLES } from "#lib/portal/hubs/policy-words.ts";
import { formatSpokes } from "#lib/portal/rollouts/rollout.ts";

interface PreviewProps {
  readonly preview: PreviewedPolicy;
  /** The previewed values, which the button sends again. */
  readonly form: Readonly<Record<string, string>>;
  readonly courses: readonly CourseItem[];
}

export function previewPanel(id: string, { preview, form, courses }: PreviewProps): Markup {
  const { changes, counts, downtime, spokes, more, notes } = preview;
  if (changes.length === 0) {
    return ui.panel("Nothing changes", markup`<p class="small">The form has the values that the hub has already.</p>`, {
      id: "preview",
    });
  }
  const changeRows = changes.flatMap((change) => listChangeRows(change, courses));
  const spokeRows = spokes.map(({ spokeId, domain, effect, reason }) => [
    markup`<a href="/spokes/${spokeId}">${domain}</a>`,
    EFFECT_WORDS[effect],
    reason ?? "",
  ]);
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

function listChangeRows(
  { section, field, from, to }: PreviewedPolicy["changes"][number],
  courses: readonly CourseItem[],
): (readonly [string, string, string])[] {
  if (section === "courses") return listCourseChanges(courses, readReleases(from), readReleases(to));
  const label = field === "overridable" ? `${SECTION_TITLES[section]}: sites may choose` : labelField(field);
  return [[label, describePolicyValue(from), describePolicyValue(to)]];
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

export function policyVersionsPanel(
  id: string,
  policy: HubPolicyView,
  history: PolicyHistory,
  courses: readonly CourseItem[],
): Markup {
  if (history.length === 0) return markup``;
  const rows = history.map(({ section, version, changedAt, changedBy, values }) => [
    SECTION_TITLES[section],
    version,
    ui.renderTime(changedAt),
    changedBy,
    section === "courses"
      ? describeReleases(courses, readReleases(values.releases)) || "no course"
      : Object.keys(values).map(labelField).join(", ") || "nothing set",
    version === policy[section].version ? "Newest" : ui.renderPostButton(`/hubs/${id}/policy`, "Use again", {
      about: `${SECTION_TITLES[section]}, version ${version}`,
      fields: { rollback: `${section}:${version}` },
    }),
  ]);
  return ui.panel(
    "Versions",
    ui.dataTable("Versions of the sections", ["Section", "Version", "Changed", "By", "Sets", "Action"], rows),
    { id: "history" },
  );
}
