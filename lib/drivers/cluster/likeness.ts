/**
 * Where an object, as it stands in the cluster, does not have what a manifest says: a first look at thousands of objects,
 * without a call.
 *
 * It is no verdict: only the API server knows its own defaults, so what differs here is asked of it by a dry run. It may
 * call something different that is not; what it finds alike must be. Fields that a manifest does not name are passed over.
 */
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { amountOf } from "#lib/drivers/cluster/trouble/quantity.ts";

/** Who it is. Text of a Secret is kept elsewhere than it was written, and is nobody's to compare. */
const PASSED_OVER = new Set(["apiVersion", "kind", "status", "stringData"]);
/** What tells the items of a list apart; in any other list each item has its place. */
const KEYS = ["name", "mountPath", "containerPort"] as const;
/** What is one value for the API server, with all that is inside: one more or less of anything is a difference. */
const WHOLE_LISTS = new Set(["envFrom", "tolerations", "rules", "tls", "ingress", "egress", "limits"]);
const WHOLE_MAPS = new Set(["selector", "podSelector", "namespaceSelector", "labelSelector"]);
/** Maps of amounts, which may be written in several ways. */
const AMOUNTS = new Set(["limits", "requests", "hard", "max", "min", "default", "defaultRequest"]);

/** The paths of what differs, such as `spec.template.spec.containers[moodle].image`; none where all of it is there. */
export function unlike(manifest: KubeObject, standing: KubeObject): string[] {
  const found: string[] = [];
  for (const [name, wanted] of Object.entries(manifest)) {
    if (!PASSED_OVER.has(name)) compare({ path: name, name, whole: false }, wanted, standing[name], found);
  }
  return found;
}

interface Place {
  readonly path: string;
  /** Of the field; empty for an item of a list. */
  readonly name: string;
  /** Whether it is part of what is one value as a whole. */
  readonly whole: boolean;
}

function compare(place: Place, wanted: unknown, there: unknown, found: string[]): void {
  if (wanted === undefined || wanted === there) return;
  if (isMap(wanted)) {
    if (isMap(there)) return compareMaps(place, wanted, there, found);
    // An empty map and no map at all may be the same, or not: that is asked.
  } else if (Array.isArray(wanted) && Array.isArray(there)) {
    return compareLists(place, wanted, there, found);
  }
  found.push(place.path);
}

function compareMaps({ path, name, whole: within }: Place, wanted: Fields, there: Fields, found: string[]): void {
  const whole = within || WHOLE_MAPS.has(name);
  if (whole && Object.keys(there).some((key) => !Object.hasOwn(wanted, key))) return void found.push(path);
  for (const [key, value] of Object.entries(wanted)) {
    if (AMOUNTS.has(name) && isAmount(value) && isAmount(there[key])) {
      if (amountOf(String(value)) !== amountOf(String(there[key]))) found.push(into(path, key));
    } else compare({ path: into(path, key), name: key, whole }, value, there[key], found);
  }
}

function compareLists(
  { path, name, whole: within }: Place,
  wanted: readonly unknown[],
  there: readonly unknown[],
  found: string[],
): void {
  const whole = within || WHOLE_LISTS.has(name);
  const key = whole ? undefined : KEYS.find((each) => wanted.length > 0 && tellsApart(wanted, each));
  if (key === undefined) {
    if (wanted.length !== there.length) return void found.push(path);
    return wanted.forEach((item, i) => compare({ path: `${path}[${i}]`, name: "", whole }, item, there[i], found));
  }
  for (const item of wanted as readonly Fields[]) {
    const other = there.find((each) => isMap(each) && each[key] === item[key]);
    compare({ path: `${path}[${item[key]}]`, name: "", whole }, item, other, found);
  }
}

function tellsApart(list: readonly unknown[], key: string): boolean {
  const values = list.map((item) => isMap(item) ? item[key] : undefined);
  return values.every((value) => typeof value === "string" || typeof value === "number") &&
    new Set(values).size === values.length;
}

type Fields = Record<string, unknown>;

function isMap(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isAmount(value: unknown): boolean {
  return (typeof value === "string" || typeof value === "number") && !Number.isNaN(amountOf(String(value)));
}

/** As lib/drivers/cluster/difference.ts names them. */
function into(path: string, key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? `${path}.${key}` : `${path}[${key}]`;
}
