/**
 * Stores a four-byte digest of each Kubernetes object, to detect changes with little memory. A digest covers all fields
 * except the status, which changes often, and also covers whether the object is healthy.
 */
import { formatObjectTitle } from "#lib/moodle/expected-objects.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { findObjectProblem, HEALTH_OBJECT_KINDS } from "#lib/domains/spokes/health.ts";

export interface DigestRecorder {
  /** Stores the object's digest. Returns whether the object is new or has changed. */
  record(namespace: string, object: KubeObject): boolean;
  forget(namespace: string, object: KubeObject): void;
  /** Returns the namespaces with at least one recorded object. */
  namespaces(): readonly string[];
}

/** The initial number of objects per spoke, enough for the built-in blueprint. The table can grow. */
const WIDTH = 32;

/**
 * Creates a table of digests with a row per namespace and a column per object title (kind and name). All spokes can
 * share the columns, because their objects have the same titles.
 */
export function createDigestRecorder(): DigestRecorder {
  const rows = new Map<string, number>(), columns = new Map<string, number>();
  let width = WIDTH, table = new Int32Array(width * 64);

  const indexOf = (namespace: string, title: string): number => {
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
    record(namespace, object) {
      const index = indexOf(namespace, formatObjectTitle(object)), digest = digestOf(object);
      const hasChanged = table[index] !== digest;
      table[index] = digest;
      return hasChanged;
    },
    forget: (namespace, object) => void (table[indexOf(namespace, formatObjectTitle(object))] = 0),
    namespaces: () => [...rows.keys()],
  };
}

/**
 * Returns the digest of an object, but never 0, which stands for an unknown digest. Picks the fields one by one,
 * because lists and watches return them in different orders.
 */
function digestOf(object: KubeObject): number {
  const { apiVersion: _, kind: __, status: ___, metadata: { labels, annotations, deletionTimestamp, uid }, ...rest } =
    object;
  const phase = object.kind === "Namespace" ? object["status"]?.phase : undefined;
  const isPart = HEALTH_OBJECT_KINDS.some(({ kind }) => kind === object.kind);
  const problem = isPart ? findObjectProblem({ kind: object.kind, name: object.metadata.name }, object) : null;
  return hashOf(JSON.stringify([labels, annotations, deletionTimestamp, uid, rest, phase, problem])) || 1;
}

/** Returns the 32-bit FNV-1a hash of the text. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash | 0;
}
