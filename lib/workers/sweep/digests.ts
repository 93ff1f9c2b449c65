/**
 * What each object of many spokes looked like, in four bytes: all of it but its status, and of its status whether the part
 * that it is of a site is well. Most of what a watch tells are statuses that say nothing new (each run of the scheduled tasks
 * changes a CronJob and a quota), and to keep the objects themselves would take a thousand times the memory.
 */
import { titleOf } from "#lib/moodle/expected.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { findPartProblem, PART_KINDS } from "#lib/domains/spokes/health.ts";

export interface Digests {
  /** Notes how the object looks now. Returns whether it looked otherwise before, or was not known. */
  note(namespace: string, object: KubeObject): boolean;
  forget(namespace: string, object: KubeObject): void;
  /** Of which something is noted. */
  namespaces(): readonly string[];
}

/** Objects of a spoke: those of the built-in blueprint fit, and a larger one makes it grow. */
const WIDTH = 32;

/** One table for all, a row a spoke and a column a title, since all spokes have the same titles. */
export function openDigests(): Digests {
  const rows = new Map<string, number>(), columns = new Map<string, number>();
  let width = WIDTH, table = new Int32Array(width * 64);

  const placeOf = (namespace: string, title: string): number => {
    const row = rows.get(namespace) ?? rows.size, column = columns.get(title) ?? columns.size;
    rows.set(namespace, row);
    columns.set(title, column);
    if (column >= width) widen();
    if ((row + 1) * width > table.length) {
      const larger = new Int32Array(Math.ceil(table.length * 1.5));
      larger.set(table);
      table = larger;
    }
    return row * width + column;
  };
  const widen = (): void => {
    const wider = new Int32Array(table.length * 2);
    for (let row = 0; row < rows.size; row++) {
      wider.set(table.subarray(row * width, (row + 1) * width), row * width * 2);
    }
    width *= 2;
    table = wider;
  };
  return {
    note(namespace, object) {
      const place = placeOf(namespace, titleOf(object)), digest = digestOf(object);
      const isNews = table[place] !== digest;
      table[place] = digest;
      return isNews;
    },
    forget: (namespace, object) => void (table[placeOf(namespace, titleOf(object))] = 0),
    namespaces: () => [...rows.keys()],
  };
}

/** Never 0, which is the place of what is not known. What it is stands in lists in another place than in watches. */
function digestOf(object: KubeObject): number {
  const { apiVersion: _, kind: __, status: ___, metadata: { labels, annotations, deletionTimestamp, uid }, ...rest } =
    object;
  const phase = object.kind === "Namespace" ? object["status"]?.phase : undefined;
  const isPart = PART_KINDS.some(({ kind }) => kind === object.kind);
  const ailment = isPart ? findPartProblem({ kind: object.kind, name: object.metadata.name }, object) : null;
  return hashOf(JSON.stringify([labels, annotations, deletionTimestamp, uid, rest, phase, ailment])) || 1;
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash | 0;
}
