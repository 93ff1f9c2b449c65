/**
 * In which fields two states of one object of the cluster differ, as a person would name them.
 *
 * For what an action would change and for what somebody has changed: both compare an object as it stands with the one that
 * the API server says would stand there after an apply (`space.dryRun`), so what the server fills in is on both sides alike.
 * What it keeps count of by itself is passed over, and two ways to write one amount are one amount.
 */
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { amountOf } from "#lib/drivers/cluster/trouble/quantity.ts";

export interface Difference {
  /** `spec.template.spec.containers[moodle].image`; empty for an object that is not there yet. */
  readonly path: string;
  /** Null where there is nothing. */
  readonly from: unknown;
  readonly to: unknown;
}

/** Who it is, how it is, and what the API server counts: nothing that anybody asks for. */
const PASSED_OVER = new Set(["apiVersion", "kind", "status"]);
const PASSED_OVER_METADATA = new Set([
  ...["uid", "resourceVersion", "generation", "managedFields", "creationTimestamp", "selfLink"],
  ...["deletionTimestamp", "deletionGracePeriodSeconds"],
]);
/** Fields that tell the items of a list apart, where each item has one and no two have the same. */
const KEYS = ["name", "mountPath", "host", "containerPort", "port", "key"] as const;
/** Maps of amounts. */
const AMOUNTS = new Set(["limits", "requests", "hard", "max", "min", "default", "defaultRequest", "capacity"]);
/** What stands for a value that is nobody's to read. That it differs may be told. */
const CONCEALED = "(concealed)";
const HIDDEN = new Set<unknown>(["data", "stringData"]);

/** Of a Secret that it differs, and where, but never what it holds. `before` is null for what is not there yet. */
export function differences(before: KubeObject | null, after: KubeObject): Difference[] {
  const conceal = after.kind === "Secret";
  if (before === null) return [{ path: "", from: null, to: conceal ? concealed(strip(after)) : strip(after) }];
  const found = compare([], strip(before), strip(after));
  return found.map(({ at, from, to }) => {
    const hidden = conceal && HIDDEN.has(at[0]);
    return { path: pathOf(at), from: hidden ? maskOf(from) : from, to: hidden ? maskOf(to) : to };
  });
}

interface Found {
  readonly at: readonly Step[];
  readonly from: unknown;
  readonly to: unknown;
}

/** The name of a field, or which item of a list: its place, or what it is told by. */
type Step = string | { readonly item: string | number };

function compare(at: readonly Step[], from: unknown, to: unknown): Found[] {
  if (same(at, from, to)) return [];
  if (isMap(from) && isMap(to)) {
    const names = new Set([...Object.keys(from), ...Object.keys(to)]);
    return [...names].flatMap((name) => compare([...at, name], from[name], to[name]));
  }
  if (Array.isArray(from) && Array.isArray(to) && isListOfMaps(from) && isListOfMaps(to)) {
    const left = keyed(from, to), right = keyed(to, from);
    const items = new Set([...left.keys(), ...right.keys()]);
    return [...items].flatMap((item) => compare([...at, { item }], left.get(item), right.get(item)));
  }
  return [{ at, from: from ?? null, to: to ?? null }];
}

function same(at: readonly Step[], from: unknown, to: unknown): boolean {
  if ((from ?? null) === (to ?? null)) return true;
  const holder = at.at(-2);
  if (typeof holder === "string" && AMOUNTS.has(holder) && isAmount(from) && isAmount(to)) {
    return amountOf(String(from)) === amountOf(String(to));
  }
  if (!Array.isArray(from) || !Array.isArray(to) || from.length !== to.length) return false;
  return from.every((item, i) => !isMap(item) && !Array.isArray(item) && item === to[i]);
}

/** The items by what they are told by, the same for both lists; by their places where nothing tells them apart. */
function keyed(list: readonly Fields[], other: readonly Fields[]): Map<string | number, Fields> {
  const key = KEYS.find((each) => tellsApart(list, each) && tellsApart(other, each));
  return new Map(list.map((item, i) => [key === undefined ? i : String(item[key]), item]));
}

function tellsApart(list: readonly Fields[], key: string): boolean {
  const values = list.map((item) => item[key]);
  return values.every((value) => typeof value === "string" || typeof value === "number") &&
    new Set(values).size === values.length;
}

type Fields = Record<string, unknown>;

function isMap(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isListOfMaps(list: readonly unknown[]): list is Fields[] {
  return list.every(isMap);
}

function isAmount(value: unknown): boolean {
  return (typeof value === "string" || typeof value === "number") && !Number.isNaN(amountOf(String(value)));
}

function strip(object: KubeObject): Fields {
  const { metadata, ...rest } = object;
  return {
    metadata: without(metadata as unknown as Fields, PASSED_OVER_METADATA),
    ...without(rest, PASSED_OVER),
  };
}

function without(map: Fields, names: ReadonlySet<string>): Fields {
  return Object.fromEntries(Object.entries(map).filter(([name]) => !names.has(name)));
}

function concealed(secret: Fields): Fields {
  return Object.fromEntries(
    Object.entries(secret).map(([name, value]) => [name, HIDDEN.has(name) ? maskOf(value) : value]),
  );
}

function maskOf(value: unknown): unknown {
  if (value === null) return null;
  return isMap(value) ? Object.fromEntries(Object.keys(value).map((name) => [name, CONCEALED])) : CONCEALED;
}

/** Names that hold a dot or a slash stand in brackets, as list items do: `metadata.labels[app.kubernetes.io/name]`. */
function pathOf(at: readonly Step[]): string {
  return at.reduce<string>((path, step) => {
    if (typeof step !== "string") return `${path}[${step.item}]`;
    if (!/^[A-Za-z0-9_-]+$/.test(step)) return `${path}[${step}]`;
    return path === "" ? step : `${path}.${step}`;
  }, "");
}
