/** What two versions of an operation take: parameters of path, query and headers, and the body. */
import type { Body, Media, Operation, Parameter } from "#lib/docs/contract/document.ts";
import { resolve } from "#lib/docs/contract/document.ts";
import { isAlike } from "#lib/docs/contract/fields.ts";
import type { Change } from "#lib/docs/contract/finding.ts";
import { change, type Place } from "#lib/docs/contract/place.ts";
import { findRenamed } from "#lib/docs/contract/renamed.ts";
import { compareSchemas } from "#lib/docs/contract/schemas.ts";
import type { JsonSchema } from "#lib/docs/json-schema.ts";

/** `at` is the request as a whole. */
export function compareRequests(once: Operation, then: Operation, at: Place): readonly Change[] {
  return [...compareParameters(once, then, at), ...compareBodies(bodyOf(once), bodyOf(then), at)];
}

function compareParameters(once: Operation, then: Operation, at: Place): readonly Change[] {
  const was = byKey(once), is = byKey(then);
  const gone = [...was.keys()].filter((key) => !is.has(key)), fresh = [...is.keys()].filter((key) => !was.has(key));
  const renamed = findRenamed(gone, fresh, (key, other) => isSameKind(was.get(key)!, is.get(other)!, at));
  const replaced = [...renamed].filter(([key]) => was.get(key)!.required).map(([, other]) => other);
  return [
    ...gone.map((key) => goneParameter(was.get(key)!, is.get(renamed.get(key) ?? ""), at)),
    ...fresh.filter((key) => is.get(key)!.required && !replaced.includes(key)).map((key) => required(is.get(key)!, at)),
    ...[...was].flatMap(([key, parameter]) => is.has(key) ? compareParameter(parameter, is.get(key)!, at) : []),
  ];
}

/** A parameter of the path is known by its position, a header in any case of its letters. */
function byKey({ path, parameters }: Operation): ReadonlyMap<string, Parameter> {
  const positions = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name);
  return new Map(parameters.map((parameter) => {
    const { in: place, name } = parameter, position = positions.indexOf(name);
    if (place === "path") return [`path ${position < 0 ? name : position}`, parameter];
    return [`${place} ${place === "header" ? name.toLowerCase() : name}`, parameter];
  }));
}

function isSameKind(once: Parameter, then: Parameter, at: Place): boolean {
  return once.in === then.in && isAlike(schemaOf(once), schemaOf(then), at, compareSchemas);
}

function goneParameter(once: Parameter, now: Parameter | undefined, at: Place): Change {
  const hint = now ? `; \`${now.name}\` is new and of the same type: is it the same under another name?` : "";
  const says = now ? "is gone" : "is no longer read: what is sent there is lost";
  return change(of(once, at), "field_renamed", `${called(once)} ${says}${hint}`);
}

function required(parameter: Parameter, at: Place): Change {
  return change(of(parameter, at), "validation_tightened", `${called(parameter)} has to be sent now`);
}

function compareParameter(once: Parameter, then: Parameter, at: Place): readonly Change[] {
  const place = of(once, at);
  const renamed = `${called(once)} is \`${then.name}\` now: generated clients call it by its name`;
  return [
    ...(once.in === "path" && once.name !== then.name ? [change(place, "field_renamed", renamed)] : []),
    ...(then.required && !once.required ? [required(then, at)] : []),
    ...(styleOf(once) === styleOf(then)
      ? []
      : [change(place, "type_changed", `${called(once)} is written in another way now`)]),
    ...compareSchemas(schemaOf(once), schemaOf(then), place),
  ];
}

/** How a list or an object is written in it; what is not said is as OpenAPI has it. */
function styleOf({ in: place, style, explode }: Parameter): string {
  const usual = style ?? (place === "query" || place === "cookie" ? "form" : "simple");
  return `${usual} ${explode ?? usual === "form"}`;
}

/** What is said of a parameter stands beside its schema. */
function schemaOf({ schema, content, description }: Parameter): JsonSchema {
  const found = schema ?? Object.values(content ?? {})[0]?.schema ?? {};
  return description === undefined ? found : { ...found, description };
}

function of(parameter: Parameter, at: Place): Place {
  return { ...at, root: called(parameter) };
}

function called({ in: place, name }: Parameter): string {
  return place === "query" ? `the query's \`${name}\`` : `the ${place}'s \`${name}\``;
}

function bodyOf({ document, declaration: { requestBody } }: Operation): Body | null {
  return requestBody ? resolve<Body>(document, requestBody) : null;
}

function compareBodies(once: Body | null, then: Body | null, outer: Place): readonly Change[] {
  const at = { ...outer, root: "the body" };
  if (!once) return then?.required ? [change(at, "validation_tightened", "A body has to be sent now")] : [];
  if (!then) return [change(at, "field_renamed", "The body is no longer read: what is sent there is lost")];
  return [
    ...(then.required && !once.required
      ? [change(at, "validation_tightened", "The body has to be sent now, and did not have to be")]
      : []),
    ...compareContent(once.content ?? {}, then.content ?? {}, at, "can no longer be sent as"),
  ];
}

/** By media type. `loss` is what to say of one that is gone. */
export function compareContent(
  once: Readonly<Record<string, Media>>,
  then: Readonly<Record<string, Media>>,
  at: Place,
  loss: string,
): readonly Change[] {
  return Object.entries(once).flatMap(([type, { schema = {} }]): readonly Change[] => {
    const other = then[type];
    if (!other) return [change(at, "type_changed", `${at.root} ${loss} ${type}`)];
    return compareSchemas(schema, other.schema ?? {}, at);
  });
}
