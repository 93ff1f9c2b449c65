/** What a form changes: what differs from what it showed. What others have changed meanwhile is theirs, and stays. */

/** The hidden field that says what the form showed. */
export type Was<K extends string> = `was:${K}`;

export function wasFields<K extends string>(names: readonly K[]): readonly Was<K>[] {
  return names.map((name) => `was:${name}` as const);
}

/** The values of those fields: what the form showed at first, where it comes back, or what there is now. */
export function wasOf<K extends string>(
  names: readonly K[],
  now: Readonly<Record<K, string | null>>,
  typed: Readonly<Record<string, string>> = {},
): Record<Was<K>, string> {
  const values = names.map((name) => [`was:${name}`, typed[`was:${name}`] || (now[name] ?? "")] as const);
  return Object.fromEntries(values) as Record<Was<K>, string>;
}

/** The word in the address of the page that follows (look/said.ts). */
export function changeWord(changes: object): "changed" | "unchanged" {
  return Object.keys(changes).length > 0 ? "changed" : "unchanged";
}

/** What was emptied stays as it is. */
export function changedIn<K extends string>(
  names: readonly K[],
  now: Readonly<Record<K, string | null>>,
  typed: Readonly<Record<string, string>>,
): Partial<Record<K, string>> {
  const changed = names.map((name) => [name, (typed[name] ?? "").trim()] as const)
    .filter(([name, text]) => text !== "" && text !== typed[`was:${name}`] && text !== now[name]);
  return Object.fromEntries(changed) as Partial<Record<K, string>>;
}
