/** What a look makes of the spokes' health. What no list has shown is looked for by name, before it is called missing. */
import { ClusterError, type Ref } from "#lib/drivers/cluster/cluster.ts";
import { findNamespaceProblem, findPartProblem, partsOf } from "#lib/domains/spokes/health.ts";
import { titleOf } from "#lib/moodle/expected.ts";
import { sleep } from "#lib/base/time.ts";
import type { Sight, SweepLook } from "#lib/workers/sweep/sight.ts";
import type { Health } from "#lib/workers/sweep/rows.ts";

/**
 * An object whose labels somebody took off stands in no list, and the site behind it runs. Where very many are missing,
 * not all of them are looked for: those count as missing.
 */
export async function confirmHealth(look: SweepLook): Promise<Health[]> {
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

function isUnseen({ ailments }: Sight, { kind, name }: Ref): boolean {
  return !ailments.has(titleOf({ kind, metadata: { name } }));
}

/** Whether nothing is known to be wrong but that something was not seen. */
function isUnseenOnly({ ailments }: Sight): boolean {
  return [...ailments.values()].every((ailment) => ailment === null);
}

async function confirm({ cluster, run }: SweepLook, { spoke, ailments }: Sight): Promise<void> {
  if (!ailments.has("Namespace")) {
    const found = await cluster.findNamespace(spoke.namespace, run);
    ailments.set("Namespace", findNamespaceProblem(found, spoke.namespaceUid));
  }
  if (ailments.get("Namespace") !== null) return;
  const space = cluster.space(spoke.namespace, spoke.namespaceUid);
  for (const part of partsOf(spoke)) {
    const title = titleOf({ kind: part.kind, metadata: { name: part.name } });
    if (ailments.has(title)) continue;
    try {
      ailments.set(title, findPartProblem(part, await space.get(part, run)));
    } catch (error) {
      if (!(error instanceof ClusterError) || error.transient) throw error;
      return void ailments.set("Namespace", error.message); // it is gone or another one, since a moment ago
    }
  }
}

/** The worst first: without a namespace nothing else is worth a word. */
function ailmentOf({ spoke, ailments }: Sight): string | null {
  const namespace = ailments.has("Namespace") ? ailments.get("Namespace")! : findNamespaceProblem(null, "");
  if (namespace !== null) return namespace;
  const wrong = partsOf(spoke).flatMap((part) => {
    const title = titleOf({ kind: part.kind, metadata: { name: part.name } });
    return (ailments.has(title) ? ailments.get(title)! : findPartProblem(part, null)) ?? [];
  });
  return wrong.length > 0 ? wrong.join("; ") : null;
}
