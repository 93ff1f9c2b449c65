/** Computes the add-ons that a site should have, and reads the result of the script that changes them. Pure. */
import type { WantedAddon } from "#lib/model/addon.ts";
import type { SharedInputs, SpokeInputs } from "#lib/moodle/inputs.ts";

type SharedAddons = NonNullable<SharedInputs["addons"]>;

/** Returns the version of the catalog that the site should have; null if the catalog lists none for its Moodle. */
export type FindAddon = (component: string) => WantedAddon | null;

/** Returns the add-ons, and a sentence for each that the site cannot have. An add-on that it has stays. */
export function planAddons(
  components: readonly string[],
  current: SharedAddons | undefined,
  find: FindAddon,
): Pick<SharedAddons, "list" | "skipped"> {
  const planned = components.map((component) => {
    const kept = current?.list.find((addon) => addon.component === component) ?? null, newest = find(component);
    return { component, newest, addon: newest ?? kept };
  });
  const skipped = planned.flatMap(({ component, newest }) => newest ? [] : [describeMissingAddon(component)]);
  return { list: planned.flatMap(({ addon }) => addon ?? []), ...(skipped.length > 0 && { skipped }) };
}

export function describeMissingAddon(component: string): string {
  return `${component}: the catalog lists no version for the site's Moodle`;
}

export interface AddonChanges {
  readonly installed: readonly string[];
  readonly upgraded: readonly string[];
  readonly removed: readonly string[];
}

/** Compares what Wheelwright has installed with what the site should have. */
export function compareAddons(before: SharedInputs | undefined, after: SharedInputs | undefined): AddonChanges {
  const old = before?.addons?.list ?? [], next = after?.addons?.list ?? [];
  const versionIn = (list: readonly WantedAddon[], { component }: WantedAddon) =>
    list.find((each) => each.component === component)?.version;
  const names = (list: readonly WantedAddon[]) => list.map(({ component }) => component);
  return {
    installed: names(next.filter((addon) => versionIn(old, addon) === undefined)),
    upgraded: names(next.filter((addon) => ![undefined, addon.version].includes(versionIn(old, addon)))),
    removed: names(old.filter((addon) => versionIn(next, addon) === undefined)),
  };
}

/** Returns the add-ons that the site no longer has in this version or a later one, according to its report. */
export function listLostAddons(
  list: readonly WantedAddon[],
  reported: Readonly<Record<string, number>> | null,
): readonly string[] {
  if (reported === null) return [];
  return list.flatMap(({ component, version }) => (reported[component] ?? 0) < version ? [component] : []);
}

/** Marks the add-ons as not verified, because a restore or an upgrade may have changed them. */
export function forgetAddons<Inputs extends Pick<SpokeInputs, "shared">>(inputs: Inputs): Inputs {
  const { shared } = inputs;
  return shared?.addons ? { ...inputs, shared: { ...shared, addons: { ...shared.addons, version: 0 } } } : inputs;
}

/** Replaces the add-ons in the shared values by those that the site has. */
export function withAddonsOf(
  shared: SharedInputs | undefined,
  current: SharedInputs | undefined,
): SharedInputs | undefined {
  const { addons: _, ...rest } = shared ?? {};
  const all = { ...rest, ...(current?.addons && { addons: current.addons }) };
  return Object.keys(all).length === 0 ? undefined : all;
}

const RESULTS = [
  "unchanged",
  "checked",
  "done",
  "interrupted",
  "refused",
  "restored",
  "partly",
  "locked",
  "stale",
] as const;

export interface AddonsResult {
  /** The result in the last line. Null if the script was killed. */
  readonly result: (typeof RESULTS)[number] | null;
  /** The rest of the last line, such as the reason of a refusal. */
  readonly detail: string;
  /** Lines such as `installs: mod_attendance 2024101100`. */
  readonly changes: readonly string[];
  readonly skipped: readonly string[];
}

const LEFT_OUT = "left out: ";

/** Parses the output of addons.php. */
export function parseAddonsResult(log: readonly string[]): AddonsResult {
  const lines = log.map((line) => line.trim()).filter((line) => line !== "");
  const [, word, detail = ""] = /^(\w+)(?:: (.*))?$/.exec(lines.at(-1) ?? "") ?? [];
  return {
    result: RESULTS.find((each) => each === word) ?? null,
    detail,
    changes: lines.filter((line) => /^(?:installs|upgrades|removes): /.test(line)),
    skipped: lines.filter((line) => line.startsWith(LEFT_OUT)).map((line) => line.slice(LEFT_OUT.length)),
  };
}
