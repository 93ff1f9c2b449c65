/** Pods that are to end, for a sentence: on which node, and since when one is over its time. Pure. */
import { nodeOf, timeOf } from "#lib/drivers/cluster/trouble/belongs.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { minuteOf } from "#lib/drivers/cluster/trouble/words.ts";
import { SECOND } from "#lib/base/time.ts";

/** What a kubelet may be late by. */
const LATE = 15 * SECOND;

/**
 * "db-0 (on node b)". A pod that is deleted says until when it has to be gone; on a node that is lost nobody sees to that,
 * and nothing else says so.
 */
export function endingOf(pod: KubeObject, now: number): string {
  const { name, deletionTimestamp } = pod.metadata;
  const node = nodeOf(pod), due = timeOf(deletionTimestamp);
  if (!node) return name;
  const over = due !== undefined && now > due + LATE;
  const late = over ? `, over its time since ${minuteOf(deletionTimestamp!)}: see whether that node is up` : "";
  return `${name} (on node ${node}${late})`;
}
