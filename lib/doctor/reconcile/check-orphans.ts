/**
 * Reports VolumeSnapshotContents and volumes that no database row refers to. Does not delete them, because they may
 * contain the last copy of a site's data.
 */
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { findSlug, findUnknownBackups } from "#lib/doctor/reconcile/check-backups.ts";
import type { ClusterComparison, Discrepancy } from "#lib/doctor/reconcile/discrepancy.ts";
import { formatCount } from "#lib/base/text.ts";
import { isNeededSandbox } from "#lib/domains/templates/store.ts";
import { type OrphanedSnapshotContent, parseOrphanedContent } from "#lib/moodle/storage-objects.ts";

export function checkOrphanedVolumes(compared: ClusterComparison): Discrepancy[] {
  const { contents, released } = compared.survey, isKnown = createKnownCheck(compared);
  const orphanContents = [...contents?.values() ?? []].flatMap((object) =>
    parseOrphanedContent(object, compared.isOwn) ?? []
  );
  const unknownContents = orphanContents.filter((content) => !isKnown(content));
  const inSandbox = ({ namespace }: { readonly namespace: string }): boolean => namespace.startsWith("sandbox-");
  const isUnused = ({ namespace }: { readonly namespace: string }): boolean =>
    !compared.survey.namespaces.has(namespace) && !isNeededSandbox(compared.rows.neededSandboxes, namespace);
  return [
    ...reportSandboxOrphans([...unknownContents.filter(inSandbox), ...released.filter(inSandbox)].filter(isUnused)),
    ...groupByNamespace(unknownContents.filter((content) => !inSandbox(content) && content.kind === "cut"))
      .map(([namespace, orphans]) => reportBackupContents(compared, namespace, orphans)),
    ...groupByNamespace(unknownContents.filter((content) => !inSandbox(content) && content.kind === "source"))
      .map(([namespace, orphans]) => reportSourceContents(namespace, orphans)),
    ...groupByNamespace(released.filter((volume) => !inSandbox(volume))).map(([namespace, orphans]) => ({
      check: "storage",
      fact: `${formatCount(orphans.length, "volume")} of ${namespace} ${
        beVerb(orphans)
      } retained but not used by a PVC: ${formatNames(orphans)}`,
      hint: `May hold the only copy of a site's data. To delete it: ${
        buildPatchCommand("persistentvolume", orphans, "persistentVolumeReclaimPolicy")
      }`,
    })),
  ];
}

interface OrphanInNamespace {
  readonly object: KubeObject;
  readonly namespace: string;
}

/** Returns a test for whether a VolumeSnapshotContent belongs to a database row that exists or will be added. */
function createKnownCheck(compared: ClusterComparison): (content: OrphanedSnapshotContent) => boolean {
  const { survey, rows } = compared;
  const spokes = new Map([...rows.spokes.values()].map((row) => [row.namespace, row]));
  const backups = [...findUnknownBackups(compared).values()].flat();
  const adoptedContents = new Set(backups.flatMap(({ volumes }) => volumes.map(({ content }) => content)));
  return ({ object: { metadata: { name }, spec }, namespace, kind, id }) => {
    if (rows.neededSandboxes.contents.has(name) || adoptedContents.has(name)) return true;
    const spoke = spokes.get(namespace);
    // Counts these snapshots as known: the finding about the spoke's missing namespace lists them.
    if (spoke && spoke.state !== "removed" && !survey.namespaces.has(namespace)) return true;
    if (kind === "source") {
      return spoke ? spoke.state !== "removed" && rows.operationSuffixes.has(id) : survey.namespaces.has(namespace);
    }
    const backup = rows.backupsBySuffix.get(id);
    if (!backup || backup.state === "deleted") return false;
    if (backup.contents.includes(name)) return true;
    // Counts a failed backup's snapshots as known, because the backup's row lists them for deletion.
    return spoke?.state !== "removed" && survey.snapshotUids.has(spec?.volumeSnapshotRef?.uid);
  };
}

function reportSandboxOrphans(orphans: readonly OrphanInNamespace[]): Discrepancy[] {
  if (orphans.length === 0) return [];
  const fact = `${formatCount(orphans.length, "object")} of deleted sandboxes ${beVerb(orphans)} left in the storage: ${
    formatNames(orphans)
  }`;
  return [{ check: "storage", fact, hint: "serve deletes them within an hour" }];
}

function reportBackupContents(
  { rows }: ClusterComparison,
  namespace: string,
  orphans: readonly OrphanedSnapshotContent[],
): Discrepancy {
  const backups = [...new Set(orphans.flatMap(({ id }) => rows.backupsBySuffix.get(id) ?? []))];
  const descriptions = backups.map(({ id, ownerId, state }) =>
    `the ${state} backup ${id} of ${findSlug(rows, ownerId)}`
  );
  const fact =
    `${formatCount(orphans.length, "snapshot")} of ${namespace} ${
      beVerb(orphans)
    } in the storage but not in the database: ` +
    `${formatNames(orphans)}${descriptions.length > 0 ? `, taken for ${descriptions.join(", ")}` : ""}`;
  return {
    check: "storage",
    fact,
    hint: `May hold the only copy of a site's data. To delete it: ${
      buildPatchCommand("volumesnapshotcontent", orphans, "deletionPolicy")
    } && kubectl delete volumesnapshotcontent ${joinNames(orphans)}`,
  };
}

/** Reports VolumeSnapshotContents with the deletionPolicy `Retain` that remain after a site was created. */
function reportSourceContents(namespace: string, orphans: readonly OrphanedSnapshotContent[]): Discrepancy {
  const handles = orphans.map(({ object }) => String(object["spec"].source.snapshotHandle));
  return {
    check: "storage",
    fact: `${formatCount(orphans.length, "snapshot content")} of ${namespace} ${
      beVerb(orphans)
    } left from creating a site and no longer needed: ${formatNames(orphans)}`,
    hint: `The storage keeps the snapshots (${
      handles.join(", ")
    }). To delete the objects: kubectl delete volumesnapshotcontent ${joinNames(orphans)}`,
  };
}

function groupByNamespace<F extends OrphanInNamespace>(orphans: readonly F[]): [namespace: string, orphans: F[]][] {
  return [...Map.groupBy(orphans, ({ namespace }) => namespace)];
}

function buildPatchCommand(kind: string, orphans: readonly OrphanInNamespace[], policy: string): string {
  return `kubectl patch ${kind} ${joinNames(orphans)} --type merge -p '{"spec":{"${policy}":"Delete"}}'`;
}

function joinNames(orphans: readonly OrphanInNamespace[]): string {
  return orphans.map(({ object }) => object.metadata.name).sort().join(" ");
}

function formatNames(orphans: readonly OrphanInNamespace[]): string {
  return joinNames(orphans).replaceAll(" ", ", ");
}

function beVerb(orphans: readonly OrphanInNamespace[]): "is" | "are" {
  return orphans.length === 1 ? "is" : "are";
}
