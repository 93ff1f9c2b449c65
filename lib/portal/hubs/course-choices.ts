/** Reads the form fields that choose a version of each course. */
import { parseCourseRelease } from "#lib/model/course.ts";
import type { SelectOption } from "#lib/portal/components/forms.ts";
import type { CourseItem } from "#lib/portal/hubs/course-words.ts";

const PREFIX = "course:";

/** Returns the name of the field that chooses a version of the course. */
export function courseFieldName(id: string): string {
  return `${PREFIX}${id}`;
}

export function hasCourseFields(form: Readonly<Record<string, string>>): boolean {
  return Object.keys(form).some((name) => name.startsWith(PREFIX));
}

interface VersionOptions {
  /** The label of the option that chooses no version. */
  readonly none: string;
  /** A version that can be chosen even if the hub no longer offers it. */
  readonly current: number | undefined;
  /** Texts to put behind versions. */
  readonly notes: Readonly<Record<number, string>>;
}

export function listVersionOptions(
  { versions }: Pick<CourseItem, "versions">,
  { none, current, notes }: VersionOptions,
): readonly SelectOption[] {
  const offered = versions.map(({ version }) => version);
  const isFormer = current !== undefined && !offered.includes(current);
  return [
    ["", none],
    ...offered.map((version) => [String(version), `Version ${version}${notes[version] ?? ""}`] as const),
    ...(isFormer ? [[String(current), `Version ${current} (no longer offered)`] as const] : []),
  ];
}

/**
 * Returns the releases after the choices of the form. A course that the form does not contain keeps its version. The order
 * stays, because another order counts as a change.
 */
export function readChosenReleases(
  form: Readonly<Record<string, string>>,
  before: readonly string[],
): readonly string[] {
  const chosen = new Map(
    Object.entries(form).filter(([name]) => name.startsWith(PREFIX))
      .map(([name, version]) => [name.slice(PREFIX.length), version.trim()]),
  );
  const after = new Map<string, string>(before.map((release) => [parseCourseRelease(release).course, release]));
  for (const [course, version] of chosen) after.set(course, version === "" ? "" : `${course}@${version}`);
  return [...after.values()].filter((release) => release !== "");
}
