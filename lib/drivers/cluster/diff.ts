/**
 * Compares Kubernetes objects. `findManifestMismatches` finds every difference between a manifest and an object, without
 * API calls. It does not know the API server's defaults, so a dry run must confirm each difference. `diffObjects`
 * compares an object with the result of that dry run, so both sides include the defaults.
 */
import { escapeInvisibleCharacters, escapeInvisibleCharactersDeep } from "#lib/base/readable.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";

export interface FieldDifference {
  /** The field's path, for example `spec.template.spec.containers[moodle].image`. Empty for a new object. */
  readonly path: string;
  /** The field's previous value. Null if the field did not exist. */
  readonly from: unknown;
  readonly to: unknown;
}

/** Fields that are not compared. The API server stores the content of `stringData` in `data`. */
const IGNORED_FIELDS = new Set(["apiVersion", "kind", "status", "stringData"]);
/** Metadata fields that are not compared, because the API server sets them. */
const IGNORED_METADATA = new Set([
  ...["uid", "resourceVersion", "generation", "managedFields", "creationTimestamp", "selfLink"],
  ...["deletionTimestamp", "deletionGracePeriodSeconds"],
]);
/** Fields that can identify the items in a list. A field is used only if all items have different values for it. */
const LIST_KEYS = ["name", "mountPath", "host", "containerPort", "port", "key"] as const;
/** Lists that the API server treats as a single value, so an extra item counts as a difference. */
const ATOMIC_LISTS = new Set<unknown>([
  ...["envFrom", "tolerations", "rules", "tls", "ingress", "egress", "limits", "items", "matchExpressions"],
]);
const ATOMIC_MAPS = new Set<unknown>(["selector", "podSelector", "namespaceSelector", "labelSelector"]);
/** Fields whose values are maps of quantities. A quantity can be written in several ways, such as `1` and `1000m`. */
const QUANTITY_MAPS = new Set(["limits", "requests", "hard", "max", "min", "default", "defaultRequest", "capacity"]);
/** The text that is shown instead of a secret value. A changed secret value is still reported as a difference. */
const CONCEALED = "(concealed)";
const SECRET_FIELD = "data";

/** Returns the paths of the fields in which the observed object does not match the manifest. */
export function findManifestMismatches(manifest: KubeObject, observed: KubeObject): string[] {
  return compare([], strip(manifest), strip(observed), "ignore").map(({ at }) => pathOf(at));
}

/** Returns the differences between two states of an object, without secret values. A new object has no `before`. */
export function diffObjects(before: KubeObject | null, after: KubeObject): FieldDifference[] {
  const conceal = after.kind === "Secret";
  if (before === null) return [readableDifference("", null, conceal ? concealSecret(strip(after)) : strip(after))];
  return compare([], strip(before), strip(after), "report").map(({ at, from, to }) => {
    const hidden = conceal && at[0] === SECRET_FIELD;
    return readableDifference(pathOf(at), hidden ? maskOf(from) : from, hidden ? maskOf(to) : to);
  });
}

/** Escapes invisible characters in the path and the values, because they may come from untrusted writers. */
function readableDifference(path: string, from: unknown, to: unknown): FieldDifference {
  return {
    path: escapeInvisibleCharacters(path),
    from: escapeInvisibleCharactersDeep(from),
    to: escapeInvisibleCharactersDeep(to),
  };
}

interface RawDifference {
  readonly at: readonly Step[];
  readonly from: unknown;
  readonly to: unknown;
}

type Step = string | { readonly item: string | number };

/**
 * The treatment of fields and list items that exist only in the second of two states: report them, ignore them, or
 * report the whole value that contains them.
 */
type ExtraFields = "report" | "ignore" | "compare whole";

function compare(at: readonly Step[], from: unknown, to: unknown, extra: ExtraFields): RawDifference[] {
  if (isSame(at, from, to) || (extra !== "report" && from === undefined)) return [];
  const extraFields = extra === "ignore" && isAtomic(at, from) ? "compare whole" : extra;
  if (isMap(from) && isMap(to)) return compareMaps(at, from, to, extraFields);
  if (isListOfMaps(from) && isListOfMaps(to)) return compareLists(at, from, to, extraFields);
  return [{ at, from: from ?? null, to: to ?? null }];
}

function compareMaps(at: readonly Step[], from: Fields, to: Fields, extraFields: ExtraFields): RawDifference[] {
  const more = Object.keys(to).filter((name) => !Object.hasOwn(from, name));
  if (extraFields === "compare whole" && more.length > 0) return [{ at, from, to }];
  const names = extraFields === "report" ? [...Object.keys(from), ...more] : Object.keys(from);
  return names.flatMap((name) => compare([...at, name], from[name], to[name], extraFields));
}

function compareLists(
  at: readonly Step[],
  from: readonly Fields[],
  to: readonly Fields[],
  extraFields: ExtraFields,
): RawDifference[] {
  const key = extraFields === "compare whole"
    ? undefined
    : LIST_KEYS.find((each) => identifiesItems(from, each) && identifiesItems(to, each));
  const comparable = extraFields === "report" || from.length === to.length || (key !== undefined && from.length > 0);
  if (!comparable) return [{ at, from, to }];
  const left = itemsBy(key, from), right = itemsBy(key, to);
  const items = new Set(extraFields === "report" ? [...left.keys(), ...right.keys()] : left.keys());
  return [...items].flatMap((item) => compare([...at, { item }], left.get(item), right.get(item), extraFields));
}

function isAtomic(at: readonly Step[], value: unknown): boolean {
  return (Array.isArray(value) ? ATOMIC_LISTS : ATOMIC_MAPS).has(at.at(-1));
}

function isSame(at: readonly Step[], from: unknown, to: unknown): boolean {
  if ((from ?? null) === (to ?? null)) return true;
  const parent = at.at(-2);
  if (typeof parent === "string" && QUANTITY_MAPS.has(parent) && isQuantity(from) && isQuantity(to)) {
    return parseQuantity(String(from)) === parseQuantity(String(to));
  }
  if (!Array.isArray(from) || !Array.isArray(to) || from.length !== to.length) return false;
  return from.every((item, i) => !isMap(item) && !Array.isArray(item) && item === to[i]);
}

/** Returns a map of the list items, keyed by their field `key`, or by position if `key` is undefined. */
function itemsBy(key: string | undefined, list: readonly Fields[]): Map<string | number, Fields> {
  return new Map(list.map((item, i) => [key === undefined ? i : String(item[key]), item]));
}

function identifiesItems(list: readonly Fields[], key: string): boolean {
  const values = list.map((item) => item[key]);
  return values.every((value) => typeof value === "string" || typeof value === "number") &&
    new Set(values).size === values.length;
}

type Fields = Record<string, unknown>;

function isMap(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isListOfMaps(value: unknown): value is Fields[] {
  return Array.isArray(value) && value.every(isMap);
}

function isQuantity(value: unknown): boolean {
  return (typeof value === "string" || typeof value === "number") && !Number.isNaN(parseQuantity(String(value)));
}

function strip(object: KubeObject): Fields {
  const { metadata, ...rest } = object;
  return {
    metadata: omit(metadata as unknown as Fields, IGNORED_METADATA),
    ...omit(rest, IGNORED_FIELDS),
  };
}

function omit(map: Fields, names: ReadonlySet<string>): Fields {
  return Object.fromEntries(Object.entries(map).filter(([name]) => !names.has(name)));
}

function concealSecret(secret: Fields): Fields {
  return Object.fromEntries(
    Object.entries(secret).map(([name, value]) => [name, name === SECRET_FIELD ? maskOf(value) : value]),
  );
}

function maskOf(value: unknown): unknown {
  if (value === null) return null;
  return isMap(value) ? Object.fromEntries(Object.keys(value).map((name) => [name, CONCEALED])) : CONCEALED;
}

/**
 * Formats the path of a field. List items and names with a dot or slash are put in brackets, for example
 * `metadata.labels[app.kubernetes.io/name]`.
 */
function pathOf(at: readonly Step[]): string {
  return at.reduce<string>((path, step) => {
    if (typeof step !== "string") return `${path}[${step.item}]`;
    if (!/^[A-Za-z0-9_-]+$/.test(step)) return `${path}[${step}]`;
    return path === "" ? step : `${path}.${step}`;
  }, "");
}
