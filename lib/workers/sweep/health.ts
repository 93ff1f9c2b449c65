/** Determines the health of spokes. Before an unlisted object counts as missing, it is read by name, up to a limit. */
import { ClusterError, type ObjectRef } from "#lib/drivers/cluster/cluster.ts";
import { findNamespaceProblem, findObjectProblem, listObjectsToCheck } from "#lib/domains/spokes/health.ts";
import { formatObjectTitle } from "#lib/moodle/expected-objects.ts";
import { sleep } from "#lib/base/time.ts";
import { findTaskProblems, toTaskHealth } from "#lib/domains/usage/task-health.ts";
import { findRestartLoop, findSilence, getMeasuredAt } from "#lib/workers/sweep/pod-facts.ts";
import type { ClusterCheck, SpokeObservations } from "#lib/workers/sweep/spoke-facts.ts";
import type { SpokeHealth } from "#lib/workers/sweep/rows.ts";

/**
 * Returns the health of all spokes. Objects that no list contained, for example because they lost their labels, are
 * read by name. The number of such reads is limited; beyond the limit, unlisted objects count as missing.
 */
export async function determineHealth(check: ClusterCheck): Promise<SpokeHealth[]> {
  const healths: SpokeHealth[] = [];
  let left = check.pace.maxReads;
  for (const facts of check.facts.values()) {
    const unlisted = [
      ...facts.problems.has("Namespace")
        ? listObjectsToCheck(facts.spoke).filter((part) => isUnlisted(facts, part))
        : [null],
    ];
    if (unlisted.length > 0 && hasNoListedProblem(facts) && left > 0) {
      left -= unlisted.length;
      await sleep(check.pace.pauseMs, check.run.signal);
      await confirm(check, facts);
    }
    healths.push({ id: facts.spoke.id, problem: describeProblems(facts, check.startedAt) });
  }
  return healths;
}

function isUnlisted({ problems }: SpokeObservations, { kind, name }: ObjectRef): boolean {
  return !problems.has(formatObjectTitle({ kind, metadata: { name } }));
}

/** Returns whether all listed objects are healthy, so that only an unlisted object can be the problem. */
function hasNoListedProblem({ problems }: SpokeObservations): boolean {
  return [...problems.values()].every((problem) => problem === null);
}

async function confirm({ cluster, run }: ClusterCheck, { spoke, problems }: SpokeObservations): Promise<void> {
  if (!problems.has("Namespace")) {
    const found = await cluster.findNamespace(spoke.namespace, run);
    problems.set("Namespace", findNamespaceProblem(found, spoke.namespaceUid));
  }
  if (problems.get("Namespace") !== null) return;
  const space = cluster.space(spoke.namespace, spoke.namespaceUid);
  for (const part of listObjectsToCheck(spoke)) {
    const title = formatObjectTitle({ kind: part.kind, metadata: { name: part.name } });
    if (problems.has(title)) continue;
    try {
      problems.set(title, findObjectProblem(part, await space.get(part, run)));
    } catch (error) {
      if (!(error instanceof ClusterError) || error.transient) throw error;
      return void problems.set("Namespace", error.message); // the namespace has just been deleted or replaced
    }
  }
}

/**
 * Returns the problems that the site's pods show. Scheduled tasks do not run in maintenance mode. After an operation,
 * they have time until they count as silent.
 */
export function findPodProblems({ spoke, pods }: SpokeObservations, now: Date): string[] {
  const times = [pods.tasksAt, spoke.usage?.tasksAt ?? null].filter((time) => time !== null);
  const silence = spoke.maintenance || times.length === 0
    ? null
    : findSilence(new Date(Math.max(...[...times, spoke.updatedAt].map((time) => time.getTime()))), now);
  const found = [findRestartLoop(pods, now), silence].filter((problem) => problem !== null);
  return spoke.maintenance ? found : [...found, ...findReportedProblems({ spoke, pods }, now)];
}

/** Returns the problems in what the site last reported. A line in the cluster is newer than what is stored. */
function findReportedProblems(
  { spoke: { usage }, pods: { line } }: Pick<SpokeObservations, "spoke" | "pods">,
  now: Date,
): string[] {
  if (line) return findTaskProblems(toTaskHealth(line.usage), getMeasuredAt(line), now);
  return usage?.taskHealth && usage.measuredAt ? findTaskProblems(usage.taskHealth, usage.measuredAt, now) : [];
}

/**
 * Returns a description of a spoke's problems, or null if the spoke is healthy. If the namespace itself has a problem,
 * the description contains only this problem.
 */
function describeProblems(facts: SpokeObservations, now: Date): string | null {
  const { spoke, problems } = facts;
  const namespace = problems.has("Namespace") ? problems.get("Namespace")! : findNamespaceProblem(null, "");
  if (namespace !== null) return namespace;
  const wrong = listObjectsToCheck(spoke).flatMap((part) => {
    const title = formatObjectTitle({ kind: part.kind, metadata: { name: part.name } });
    return (problems.has(title) ? problems.get(title)! : findObjectProblem(part, null)) ?? [];
  });
  wrong.push(...findPodProblems(facts, now));
  return wrong.length > 0 ? wrong.join("; ") : null;
}
