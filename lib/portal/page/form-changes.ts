/** Finds out which form fields a user changed, so that saving does not undo changes by other users. */

/** The name of the hidden form field that stores the value that field `K` had when the form was first shown. */
export type OriginalField<K extends string> = `was:${K}`;

export function originalFieldNames<K extends string>(names: readonly K[]): readonly OriginalField<K>[] {
  return names.map((name) => `was:${name}` as const);
}

/** Returns the hidden fields' values: those that the submitted form contains or, by default, the current values. */
export function originalValues<K extends string>(
  names: readonly K[],
  current: Readonly<Record<K, string | null>>,
  form: Readonly<Record<string, string>> = {},
): Record<OriginalField<K>, string> {
  const values = names.map((name) => [`was:${name}`, form[`was:${name}`] || (current[name] ?? "")] as const);
  return Object.fromEntries(values) as Record<OriginalField<K>, string>;
}

/** Returns the key of the flash message that reports whether a form changed anything (flash-messages.ts). */
export function flashKeyForChanges(changes: object): "changed" | "unchanged" {
  return Object.keys(changes).length > 0 ? "changed" : "unchanged";
}

/** Returns the fields that the user changed. Fields that the user emptied count as unchanged. */
export function findChangedFields<K extends string>(
  names: readonly K[],
  current: Readonly<Record<K, string | null>>,
  form: Readonly<Record<string, string>>,
): Partial<Record<K, string>> {
  const changed = names.map((name) => [name, (form[name] ?? "").trim()] as const)
    .filter(([name, text]) => text !== "" && text !== form[`was:${name}`] && text !== current[name]);
  return Object.fromEntries(changed) as Partial<Record<K, string>>;
}
