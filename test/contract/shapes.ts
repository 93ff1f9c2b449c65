/** The ways in which a value can be had: one for each type, and for each form of an object. */
import type { Node, Surface } from "#test/contract/read.ts";

export interface Shape {
  /** Of JSON, or `any`. */
  readonly type: string;
  readonly node: Node;
  /** The named schema that it comes from, or null. */
  readonly name: string | null;
}

export function shapesOf(node: Node, surface: Surface, above: readonly string[] = []): readonly Shape[] {
  const forms = [...node.parts].filter(([step]) => step.startsWith("<")).map(([, form]) => form);
  return node.types.flatMap((type): readonly Shape[] => {
    if (above.includes(type)) return []; // an option of itself adds nothing to its other options
    const known = surface.schemas.get(type);
    if (known) {
      return shapesOf(known, surface, [...above, type]).map((shape) => ({ ...shape, name: shape.name ?? type }));
    }
    return (type === "object" && forms.length > 0 ? forms : [node]).map((each) => ({ type, node: each, name: null }));
  });
}

/** Tells of a node of both whether it refers to nothing that has changed. */
export function unchangedIn(before: Surface, after: Surface): (node: Node) => boolean {
  const same = new Set(
    [...before.texts].filter(([name, text]) => after.texts.get(name) === text).map(([name]) => name),
  );
  const isUnchanged = ({ types, parts }: Node): boolean =>
    types.every((type) => same.has(type) || !before.schemas.has(type)) && [...parts.values()].every(isUnchanged);
  for (let size = -1; size !== same.size;) {
    size = same.size;
    for (const name of same) if (!isUnchanged(before.schemas.get(name)!)) same.delete(name);
  }
  return isUnchanged;
}
