/**
 * Which operations need no look: they are the same letter by letter, and so is all that they refer to.
 *
 * One change is of a few operations; without this each check would walk through the same schemas hundreds of times.
 */
import type { OpenApiDocument, Operation } from "#lib/docs/contract/document.ts";

/** Says of two versions of an operation that nothing in it can have changed. */
export type Unchanged = (once: Operation, then: Operation) => boolean;

export function unchangedBetween(released: OpenApiDocument, present: OpenApiDocument): Unchanged {
  // What holds for all operations is referred to by none: the servers, and how credentials are sent.
  if (commonOf(released) !== commonOf(present)) return () => false;
  const changed = changedBetween(componentsOf(released), componentsOf(present));
  return (once, then) => {
    const text = textOf(once);
    return text === textOf(then) && !referredIn(text).some((name) => changed.has(name));
  };
}

function commonOf({ servers, security, components }: OpenApiDocument): string {
  return JSON.stringify([servers, security, components?.securitySchemes]);
}

function textOf({ path, declaration, parameters, servers }: Operation): string {
  return JSON.stringify([path, declaration, parameters, servers]);
}

/** Each component as text, by its reference. Examples promise nothing. */
function componentsOf({ components = {} }: OpenApiDocument): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(components).filter(([section]) => section !== "examples").flatMap(([section, entries]) =>
      Object.entries(entries).map(([name, part]) => [`#/components/${section}/${name}`, JSON.stringify(part)] as const)
    ),
  );
}

/** The components that are others or refer to one that is, by however many steps. */
function changedBetween(was: ReadonlyMap<string, string>, is: ReadonlyMap<string, string>): ReadonlySet<string> {
  const changed = new Set([...was.keys()].filter((name) => was.get(name) !== is.get(name)));
  for (let size = -1; size !== changed.size;) {
    size = changed.size;
    for (const [name, text] of was) if (referredIn(text).some((other) => changed.has(other))) changed.add(name);
  }
  return changed;
}

function referredIn(text: string): readonly string[] {
  return [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, name]) => name!);
}
