/** Lists the shapes of a value: one for each type, and one for each form of an object. */
import type { SchemaNode, Surface } from "#test/contract/parse-surface.ts";

export interface SchemaShape {
  /** A JSON type, or `any`. */
  readonly type: string;
  readonly node: SchemaNode;
  /** The named schema that defines it, or null. */
  readonly name: string | null;
}

export function listShapes(node: SchemaNode, surface: Surface, above: readonly string[] = []): readonly SchemaShape[] {
  const forms = [...node.parts].filter(([step]) => step.startsWith("<")).map(([, form]) => form);
  return node.types.flatMap((type): readonly SchemaShape[] => {
    if (above.includes(type)) return []; // a recursive option adds nothing to the other options
    const named = surface.schemas.get(type);
    if (named) {
      return listShapes(named, surface, [...above, type]).map((shape) => ({ ...shape, name: shape.name ?? type }));
    }
    return (type === "object" && forms.length > 0 ? forms : [node]).map((each) => ({ type, node: each, name: null }));
  });
}

/** Returns a function that reports whether a node of both surfaces refers only to unchanged schemas. */
export function isUnchanged(before: Surface, after: Surface): (node: SchemaNode) => boolean {
  const same = new Set(
    [...before.texts].filter(([name, text]) => after.texts.get(name) === text).map(([name]) => name),
  );
  const isUnchanged = ({ types, parts }: SchemaNode): boolean =>
    types.every((type) => same.has(type) || !before.schemas.has(type)) && [...parts.values()].every(isUnchanged);
  for (let size = -1; size !== same.size;) {
    size = same.size;
    for (const name of same) if (!isUnchanged(before.schemas.get(name)!)) same.delete(name);
  }
  return isUnchanged;
}
