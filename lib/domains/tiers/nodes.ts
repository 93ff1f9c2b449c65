/** Checks before a change of a tier whether the clusters have nodes on which its pods can run. Changes nothing. */
import type { App } from "#lib/app.ts";
import { toTierInputs } from "#lib/catalog/tier.ts";
import { ClusterError, type KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { TierInputs } from "#lib/moodle/tier-inputs.ts";

const NODE = { apiVersion: "v1", kind: "Node" };

/** Returns a sentence for each cluster that has no such node, or whose nodes cannot be read. */
export async function findNodeProblems(
  { catalog, clusters }: Pick<App, "catalog" | "clusters">,
  names: readonly string[],
  tierName: string | null,
  signal: AbortSignal,
): Promise<string[]> {
  const tier = toTierInputs(catalog.tierOf(tierName));
  const problems = await Promise.all(names.map(async (name) => {
    try {
      const nodes = await (await clusters.open(name)).listAll(NODE, "", { signal });
      return nodes.some((node) => canRunPods(node, tier)) ? [] : [
        `No node of the cluster ${name} has the labels that the tier needs, without taints that it does not tolerate: ` +
        "sites would not start",
      ];
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      return [`The nodes of the cluster ${name} could not be checked`];
    }
  }));
  return problems.flat();
}

/** Whether the scheduler may place the tier's pods on the node. Does not consider free resources. */
export function canRunPods(
  { metadata, spec }: KubeObject,
  { nodeSelector = {}, tolerations = [] }: TierInputs = {},
): boolean {
  const taints: readonly Taint[] = spec?.taints ?? [];
  return spec?.unschedulable !== true &&
    Object.entries(nodeSelector).every(([label, value]) => metadata.labels?.[label] === value) &&
    taints.every((taint) =>
      taint.effect === "PreferNoSchedule" || tolerations.some((each) => isTolerated(taint, each))
    );
}

interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

type TierToleration = NonNullable<TierInputs["tolerations"]>[number];

function isTolerated(taint: Taint, { key, operator = "Equal", value = "", effect }: TierToleration): boolean {
  return (key === undefined || key === taint.key) && (effect === undefined || effect === taint.effect) &&
    (operator === "Exists" || value === (taint.value ?? ""));
}
