/**
 * Finds snapshot contents and volumes in the storage that no row refers to. They are reported but not deleted, because
 * they may be the last copy of someone's data. Remains of sandboxes are deleted by the upkeep within an hour.
 */
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { findUnknownBackups } from "#lib/doctor/reconcile/check-backups.ts";
import type { ComparedCluster } from "#lib/doctor/reconcile/compare-rows.ts";
import type { Discrepancy } from "#lib/doctor/reconcile/discrepancy.ts";
import { countOf } from "#lib/doctor/finding.ts";
import { isNeededSandbox } from "#lib/domains/templates/needed.ts";
import { readSnapshotContent, type RemainingContent } from "#lib/workers/orphans/read-orphans.ts";

export function checkOrphans(compared: ComparedCluster): Discrepancy[] {
  const { contents, released } = compared.survey, isKnown = knowledgeOf(compared);
  const found = [...contents?.values() ?? []].flatMap((object) => readSnapshotContent(object, compared.isOwn) ?? []);
  const unknown = found.filter((content) => !isKnown(content));
  const inSandbox = ({ namespace }: { readonly namespace: string }): boolean => namespace.startsWith("sandbox-");
  const isGone = ({ namespace }: { readonly namespace: string }): boolean =>
    !compared.survey.namespaces.has(namespace) && !isNeededSandbox(compared.known.needed, namespace);
  return [
    ...ofSandboxes([...unknown.filter(inSandbox), ...released.filter(inSandbox)].filter(isGone)),
    ...byNamespace(unknown.filter((content) => !inSandbox(content) && content.kind === "cut"))
      .map(([namespace, all]) => cutMatter(compared, namespace, all)),
    ...byNamespace(unknown.filter((content) => !inSandbox(content) && content.kind === "source"))
      .map(([namespace, all]) => sourceMatter(namespace, all)),
    ...byNamespace(released.filter((volume) => !inSandbox(volume))).map(([namespace, all]) => ({
      check: "storage",
      fact: `${countOf(all.length, "volume")} of ${namespace} ${beVerb(all)} used by no claim and retained: ${
        names(all)
      }`,
      hint: `May hold the only copy of a site's data. If nobody needs it: ${
        patchCommand("persistentvolume", all, "persistentVolumeReclaimPolicy")
      }`,
    })),
  ];
}

interface Found {
  readonly object: KubeObject;
  readonly namespace: string;
}

/** Returns a function that checks a content: whether a row refers to it, or will after adoption. */
function knowledgeOf(compared: ComparedCluster): (content: RemainingContent) => boolean {
  const { survey, known } = compared;
  const spokes = new Map([...known.spokes.values()].map((row) => [row.namespace, row]));
  const backups = [...findUnknownBackups(compared).values()].flat();
  const adopted = new Set(backups.flatMap(({ volumes }) => volumes.map(({ content }) => content)));
  return ({ object: { metadata: { name }, spec }, namespace, kind, id }) => {
    if (known.needed.contents.has(name) || adopted.has(name)) return true;
    const spoke = spokes.get(namespace);
    // The finding about the missing namespace already lists these contents.
    if (spoke && spoke.state !== "removed" && !survey.namespaces.has(namespace)) return true;
    if (kind === "source") {
      return spoke ? spoke.state !== "removed" && known.turns.has(id) : survey.namespaces.has(namespace);
    }
    const backup = known.cut.get(id);
    if (!backup || backup.state === "deleted") return false;
    if (backup.contents.includes(name)) return true;
    // The row of a failed backup lists its snapshots, so retention deletes them with their contents.
    return spoke?.state !== "removed" && survey.snapshotUids.has(spec?.volumeSnapshotRef?.uid);
  };
}

function ofSandboxes(all: readonly Found[]): Discrepancy[] {
  if (all.length === 0) return [];
  const fact = `${countOf(all.length, "object")} of sandboxes that are gone ${beVerb(all)} in the storage: ${
    names(all)
  }`;
  return [{ check: "storage", fact, hint: "Nobody's data is in them: serve removes them within an hour" }];
}

function cutMatter({ known }: ComparedCluster, namespace: string, all: readonly RemainingContent[]): Discrepancy {
  const backups = [...new Set(all.flatMap(({ id }) => known.cut.get(id) ?? []))];
  const whose = backups.map(({ id, spokeId, state }) =>
    `the ${state} backup ${id} of ${known.spokes.get(spokeId)?.slug ?? spokeId}`
  );
  const fact = `${countOf(all.length, "snapshot")} of ${namespace} ${beVerb(all)} in the storage, and no row names ` +
    `${all.length === 1 ? "it" : "them"}: ${names(all)}${whose.length > 0 ? `, cut for ${whose.join(", ")}` : ""}`;
  return {
    check: "storage",
    fact,
    hint: `May hold the only copy of a site's data. If nobody needs it: ${
      patchCommand("volumesnapshotcontent", all, "deletionPolicy")
    } && kubectl delete volumesnapshotcontent ${list(all)}`,
  };
}

/** Reports contents with the deletionPolicy `Retain`. If they are deleted, the storage still keeps the data. */
function sourceMatter(namespace: string, all: readonly RemainingContent[]): Discrepancy {
  const handles = all.map(({ object }) => String(object["spec"].source.snapshotHandle));
  return {
    check: "storage",
    fact:
      `${countOf(all.length, "snapshot content")} of ${namespace} ${
        beVerb(all)
      } left of a site that was created from ` +
      `snapshots, and no operation needs ${all.length === 1 ? "it" : "them"}: ${names(all)}`,
    hint: `The storage keeps the snapshots (${handles.join(", ")}): kubectl delete volumesnapshotcontent ${list(all)}`,
  };
}

function byNamespace<F extends Found>(all: readonly F[]): [namespace: string, found: F[]][] {
  return [...Map.groupBy(all, ({ namespace }) => namespace)];
}

function patchCommand(kind: string, all: readonly Found[], policy: string): string {
  return `kubectl patch ${kind} ${list(all)} --type merge -p '{"spec":{"${policy}":"Delete"}}'`;
}

function list(all: readonly Found[]): string {
  return all.map(({ object }) => object.metadata.name).sort().join(" ");
}

function names(all: readonly Found[]): string {
  return list(all).replaceAll(" ", ", ");
}

function beVerb(all: readonly Found[]): "is" | "are" {
  return all.length === 1 ? "is" : "are";
}
