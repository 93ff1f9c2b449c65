/** What a form changes: what differs from what it showed. What others have changed meanwhile is theirs, and stays. */

/** The hidden field that says what the form showed. */
export type OriginalField<K extends string> = `was:${K}`;

export function originalFields<K extends string>(names: readonly K[]): readonly OriginalField<K>[] {
  return names.map((name) => `was:${name}` as const);
}

/** The values of those fields: what the form showed at first, where it comes back, or what there is now. */
export function originalValues<K extends string>(
  names: readonly K[],
  current: Readonly<Record<K, string | null>>,
  form: Readonly<Record<string, string>> = {},
): Record<OriginalField<K>, string> {
  const values = names.map((name) => [`was:${name}`, form[`was:${name}`] || (current[name] ?? "")] as const);
  return Object.fromEntries(values) as Record<OriginalField<K>, string>;
}

/** The word in the address of the page that follows (look/said.ts). */
export function changeResult(changes: object): "changed" | "unchanged" {
  return Object.keys(changes).length > 0 ? "changed" : "unchanged";
}

/** What was emptied stays as it is. */
export function changedFields<K extends string>(
  names: readonly K[],
  current: Readonly<Record<K, string | null>>,
  form: Readonly<Record<string, string>>,
): Partial<Record<K, string>> {
  const changed = names.map((name) => [name, (form[name] ?? "").trim()] as const)
    .filter(([name, text]) => text !== "" && text !== form[`was:${name}`] && text !== current[name]);
  return Object.fromEntries(changed) as Partial<Record<K, string>>;
}
