/** Renders the objects of a blueprint's manifest files. */
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { addOwnerMetadata, type ObjectOwner } from "#lib/moodle/owner-labels.ts";
import type { ParsedBlueprint } from "#lib/moodle/parse-blueprint.ts";
import { fillPlaceholders, type PlaceholderValues } from "#lib/moodle/render.ts";

/** The IDs of the owner of objects, without the revision of the blueprint. */
export type OwnerOfObjects = Omit<ObjectOwner, "revision">;

/** Renders the objects of a file, with the labels of their owner. */
export type RenderObjects = (file: string, values: PlaceholderValues, owner: OwnerOfObjects) => KubeObject[];

export function createObjectRenderer({ manifests, revision }: ParsedBlueprint): RenderObjects {
  return (file, values, owner) =>
    manifests.get(file)!.map((template) => fillPlaceholders(template, values))
      .filter((object) => object !== undefined)
      .map((object) => addOwnerMetadata(object as KubeObject, { ...owner, revision }));
}
