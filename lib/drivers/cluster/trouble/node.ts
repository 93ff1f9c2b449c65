/** Why no node takes a pod, read from what the scheduler says. Pure. */
import { conditionOf, createdAt, timeOf } from "#lib/drivers/cluster/trouble/belongs.ts";
import { claimTrouble } from "#lib/drivers/cluster/trouble/claim.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { type Clock, type Diagnosis, impossible, until, waiting } from "#lib/drivers/cluster/trouble/verdict.ts";

/** What helps, by a part of the scheduler's sentence; of several the first, for each of them has to be helped. */
const HINTS: readonly (readonly [words: RegExp, hint: string])[] = [
  [
    /Insufficient ([\w./-]*\w)/,
    "Add nodes with more $1, free some of it, or lower what the size requests (sizes.yaml).",
  ],
  [/Too many pods/, "Add nodes, or end other pods: each node has as many as it may."],
  [/untolerated taint \{([^}]*)\}/, "Add nodes without the taint $1, or take it away where it no longer applies."],
  [/taints? .*didn't tolerate/, "Add nodes without these taints, or take them away where they no longer apply."],
  [/volume node affinity conflict/, "The volume is bound to a node or zone that has no room: free some there."],
  [/exceed max volume count/, "Add nodes: each one holds as many volumes as it may."],
  [/didn't match pod (anti-)?affinity/, "Make room on the node where the site's other pods are: they share a volume."],
  [/didn't match Pod's node affinity|node\(s\) didn't match node selector/, "Label a node as the pod demands it."],
  [/were unschedulable/, "Nodes are cordoned: uncordon one (kubectl uncordon), or add nodes."],
  [/available persistent volumes to bind/, "Make volumes of that class, or name a class that makes them itself."],
  [/no nodes available|^0\/0 nodes/, "The cluster has no node that works: add one."],
];
const UNKNOWN = "Add nodes to the cluster, or free resources on them.";

/** A claim that is bound only when its first pod comes makes every pod unschedulable for a moment. */
const SETTLING = /unbound immediate PersistentVolumeClaims|persistentvolumeclaim "[^"]*" not found/;

/** Of a pod whose condition PodScheduled is False. */
export function nodeTrouble(pod: KubeObject, events: readonly KubeObject[], clock: Clock): Diagnosis {
  const { reason, message = "", lastTransitionTime } = conditionOf(pod, "PodScheduled")!;
  const name = pod.metadata.name;
  const claim = claimsTrouble(pod, events, clock);
  if (claim) return claim;
  const sentence = `Waiting for a node for pod ${name}: ${message || reason}`;
  if (reason !== "Unschedulable" || SETTLING.test(message)) return waiting(sentence);
  return until(
    (timeOf(lastTransitionTime) ?? createdAt(pod)) + clock.patience.unschedulableMs,
    clock,
    sentence,
    impossible("Unschedulable", `No node can take pod ${name}: ${message}`, "operator", hintFor(message)),
  );
}

function hintFor(message: string): string {
  for (const [words, hint] of HINTS) {
    const found = words.exec(message);
    if (found) return hint.replace("$1", found[1] ?? "");
  }
  return UNKNOWN;
}

/** What keeps a claim that the pod names from being bound. */
export function claimsTrouble(pod: KubeObject, events: readonly KubeObject[], clock: Clock): Diagnosis | undefined {
  return claimNames(pod).map((name) => claimTrouble(name, events, clock)).find((found) => found);
}

function claimNames(pod: KubeObject): string[] {
  const volumes = (pod["spec"]?.volumes ?? []) as { persistentVolumeClaim?: { claimName: string } }[];
  return volumes.flatMap((volume) => volume.persistentVolumeClaim ? [volume.persistentVolumeClaim.claimName] : []);
}
