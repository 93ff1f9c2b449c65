/**
 * Checks whether a blueprint can run a site on volumes that were created from snapshots. Computes the inputs of such a
 * site. Pure.
 */
import { isDeepStrictEqual } from "node:util";
import { JOBS, SPOKE_STEPS } from "#lib/moodle/blueprint-files.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { Blueprint } from "#lib/moodle/blueprint.ts";
import { claimNames, DATABASE, MOODLE } from "#lib/moodle/names.ts";
import { writeAmount } from "#lib/moodle/quota.ts";
import { type Disk, larger, withDisks } from "#lib/moodle/resize.ts";
import type { KubeObject, Ref } from "#lib/drivers/cluster/cluster.ts";

/** Returns the inputs with disks large enough for the snapshots. `sizes` are bytes, or null if the size is unknown. */
export function withRoomFor(inputs: SpokeInputs, sizes: Readonly<Record<Disk, number | null>>): SpokeInputs {
  const { files, database } = inputs.resources.disks;
  const held = (disk: string, bytes: number | null) => larger(disk, writeAmount("storage", bytes ?? 0));
  // The StatefulSet is recreated with the current disk size.
  const { madeDatabaseDisk: _, ...roomy } = withDisks(inputs, {
    files: held(files, sizes.files),
    database: held(database, sizes.database),
  });
  return roomy;
}

/** Returns why the blueprint cannot use the origin and PVCs of these inputs; null if it can. */
export function lackForOrigin(
  blueprint: Pick<Blueprint, "spokeObjects" | "jobObject">,
  inputs: SpokeInputs,
): string | null {
  const { origin: _, ...installed } = inputs;
  const render = (from: SpokeInputs) => SPOKE_STEPS.flatMap((step) => blueprint.spokeObjects(from, step));
  const objects = render(inputs), plain = render(installed);
  const isRef = ({ kind, name }: Ref) => (object: KubeObject) => object.kind === kind && object.metadata.name === name;
  for (const [ref, placeholder] of [[DATABASE, "ADOPT_DATABASE"], [MOODLE, "ADOPT_FILES"]] as const) {
    if (!isDeepStrictEqual(objects.find(isRef(ref)), plain.find(isRef(ref)))) continue;
    return `the ${ref.kind} ${ref.name} of the blueprint lacks the container \${${placeholder}}, which makes the data its own`;
  }
  const own = Object.values(claimNames(inputs)), usual = Object.values(claimNames({}));
  const jobs = JOBS.map((job) => blueprint.jobObject(inputs, job, "0"));
  for (const object of [...objects, ...jobs]) {
    const fixed = claimsIn(object).find((claim) => usual.includes(claim) && !own.includes(claim));
    if (fixed === undefined) continue;
    const title = `${object.kind} ${object.metadata.name.replace(/-0$/, "")}`;
    return `the ${title} of the blueprint names the volume claim ${fixed} itself, where \${FILES_CLAIM} or ` +
      "${DATA_CLAIM_TEMPLATE} belongs";
  }
  return null;
}

/** Returns the names of the PVCs that an object is, creates or uses. */
function claimsIn({ kind, metadata, spec }: KubeObject): string[] {
  const pod = (spec?.jobTemplate?.spec ?? spec)?.template?.spec;
  return [
    ...(kind === "PersistentVolumeClaim" ? [metadata.name] : []),
    ...(spec?.volumeClaimTemplates ?? []).map((claim: KubeObject) => `${claim.metadata.name}-${metadata.name}-0`),
    ...(pod?.volumes ?? []).flatMap((volume: KubeObject) => volume["persistentVolumeClaim"]?.claimName ?? []),
  ];
}
