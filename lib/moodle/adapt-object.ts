/** Adapts a rendered object to its site: the source of its volumes, the isolation of a sandbox, and the hub's tier. */
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { addFilesSnapshotSource } from "#lib/moodle/origin.ts";
import { isolateSandbox } from "#lib/moodle/sandbox.ts";
import { applyTier } from "#lib/moodle/tier-inputs.ts";

export function adaptObject(object: KubeObject, inputs: SpokeInputs): KubeObject {
  return applyTier(isolateSandbox(addFilesSnapshotSource(object, inputs), inputs), inputs.tier);
}
