/**
 * Keeps a four-byte digest of each object of many spokes. The digest covers all fields except the status. Of the status
 * it covers only whether a part of the site is healthy, because most watch events change nothing else. Storing the
 * objects instead would need a thousand times the memory.
 */
import { formatObjectTitle } from "#lib/moodle/expected-objects.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { findObjectProblem, HEALTH_OBJECT_KINDS } from "#lib/domains/spokes/health.ts";

export interface DigestRecorder {
  /** Stores the object's digest. Returns whether it was new or has changed. */
  record(namespace: string, object: KubeObject): boolean;
  forget(namespace: string, object: KubeObject): void;
  /** Namespaces with at least one digest. */
  namespaces(): readonly string[];
}

/** Objects per spoke. The number fits the built-in blueprint; the table grows for larger ones. */
const WIDTH = 32;

/**
 * Opens a table with a row per spoke and a column per object title. One table is enough, because all spokes have the
 * same titles.
 */
export function openDigestRecorder(): DigestRecorder {
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
 * Returns the digest of an object. The digest is never 0, because 0 means unknown. Fields are picked one by one,
 * because their order differs between lists and watches.
 */
function digestOf(object: KubeObject): number {
  const { apiVersion: _, kind: __, status: ___, metadata: { labels, annotations, deletionTimestamp, uid }, ...rest } =
    object;
  const phase = object.kind === "Namespace" ? object["status"]?.phase : undefined;
  const isPart = HEALTH_OBJECT_KINDS.some(({ kind }) => kind === object.kind);
  const problem = isPart ? findObjectProblem({ kind: object.kind, name: object.metadata.name }, object) : null;
  return hashOf(JSON.stringify([labels, annotations, deletionTimestamp, uid, rest, phase, problem])) || 1;
}

/** Returns the FNV-1a hash of the text. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash | 0;
}
