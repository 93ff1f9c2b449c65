/** Determines the health of spokes. An object that is in no list is read by name before it counts as missing. */
import { ClusterError, type Ref } from "#lib/drivers/cluster/cluster.ts";
import { findNamespaceProblem, findPartProblem, partsOf } from "#lib/domains/spokes/health.ts";
import { objectTitle } from "#lib/moodle/expected-objects.ts";
import { sleep } from "#lib/base/time.ts";
import type { SpokeFacts, SweepCheck } from "#lib/workers/sweep/spoke-facts.ts";
import type { Health } from "#lib/workers/sweep/rows.ts";

/**
 * Returns the health of all spokes. Reads unlisted objects by name, because an object that lost its labels is in no
 * list. The number of reads is limited; beyond the limit, unlisted objects count as missing.
 */
export async function confirmHealth(look: SweepCheck): Promise<Health[]> {
  const healths: Health[] = [];
  let left = look.pace.confirms;
  for (const sight of look.sights.values()) {
    const unseen = [
      ...sight.ailments.has("Namespace") ? partsOf(sight.spoke).filter((part) => isUnseen(sight, part)) : [null],
    ];
    if (unseen.length > 0 && isUnseenOnly(sight) && left > 0) {
      left -= unseen.length;
      await sleep(look.pace.pauseMs, look.run.signal);
      await confirm(look, sight);
    }
    healths.push({ id: sight.spoke.id, ailment: ailmentOf(sight) });
  }
  return healths;
}

function isUnseen({ ailments }: SpokeFacts, { kind, name }: Ref): boolean {
  return !ailments.has(objectTitle({ kind, metadata: { name } }));
}

/** Returns whether no listed object has a problem, so that only an unlisted object can be the problem. */
function isUnseenOnly({ ailments }: SpokeFacts): boolean {
  return [...ailments.values()].every((ailment) => ailment === null);
}

async function confirm({ cluster, run }: SweepCheck, { spoke, ailments }: SpokeFacts): Promise<void> {
  if (!ailments.has("Namespace")) {
    const found = await cluster.findNamespace(spoke.namespace, run);
    ailments.set("Namespace", findNamespaceProblem(found, spoke.namespaceUid));
  }
  if (ailments.get("Namespace") !== null) return;
  const space = cluster.space(spoke.namespace, spoke.namespaceUid);
  for (const part of partsOf(spoke)) {
    const title = objectTitle({ kind: part.kind, metadata: { name: part.name } });
    if (ailments.has(title)) continue;
    try {
      ailments.set(title, findPartProblem(part, await space.get(part, run)));
    } catch (error) {
      if (!(error instanceof ClusterError) || error.transient) throw error;
      return void ailments.set("Namespace", error.message); // the namespace has just been deleted or replaced
    }
  }
}

/**
 * Returns the problems of a spoke as a text; null if it is healthy. If the namespace has a problem, returns only that
 * one.
 */
function ailmentOf({ spoke, ailments }: SpokeFacts): string | null {
  const namespace = ailments.has("Namespace") ? ailments.get("Namespace")! : findNamespaceProblem(null, "");
  if (namespace !== null) return namespace;
  const wrong = partsOf(spoke).flatMap((part) => {
    const title = objectTitle({ kind: part.kind, metadata: { name: part.name } });
    return (ailments.has(title) ? ailments.get(title)! : findPartProblem(part, null)) ?? [];
  });
  return wrong.length > 0 ? wrong.join("; ") : null;
}
