/** Compares two versions of an endpoint: its addresses, the credentials it accepts, its requests and its responses. */
import { accessRank, describeCredentials, requiresCredentials } from "#test/contract/credentials.ts";
import { type Change, createChange, positionAt, type SchemaPosition } from "#test/contract/findings.ts";
import type { SchemaNode, Surface, SurfaceEndpoint } from "#test/contract/parse-surface.ts";
import { comparePresence, compareSchemaNodes } from "#test/contract/compare-schemas.ts";

/** Headers that announce a deprecation. They are removed with it. */
const OF_DEPRECATION = [".deprecation", ".sunset", ".link"];

export type SurfacePair = Pick<SchemaPosition, "before" | "after" | "isUnchanged">;

export function compareEndpoints(before: SurfaceEndpoint, after: SurfaceEndpoint, whole: SurfacePair) {
  const request: SchemaPosition = {
    ...whole,
    direction: "request",
    root: "address",
    path: "",
    within: null,
    above: [],
  };
  return [
    ...compareAddresses(before, after, request),
    ...compareCallers(before, after, { ...request, root: "credentials" }),
    ...compareCodes(before, after, { ...request, root: "codes" }),
    ...compareParameters(before, after, request),
    ...compareBodies(before, after, { ...request, root: "the body" }),
    ...compareAnswers(before, after, { ...request, direction: "response" }),
  ];
}

/** Finds addresses that an existing endpoint lost. */
function compareAddresses(before: SurfaceEndpoint, after: SurfaceEndpoint, at: SchemaPosition): readonly Change[] {
  return [
    ...at.before.servers.filter((url) => !at.after.servers.includes(url)).map((url) => `under the server ${url}`),
    ...before.aliases.filter((path) => !after.aliases.includes(path)).map((path) => `at ${path}`),
  ].map((address) => createChange(at, "endpoint_moved", `It is no longer ${address}`));
}

/** Finds credentials that are no longer accepted. A refused credential counts like a value that is no longer valid. */
function compareCallers(before: SurfaceEndpoint, after: SurfaceEndpoint, at: SchemaPosition): readonly Change[] {
  const gone = before.credentials.filter((one) => !after.credentials.includes(one)).map(describeCredentials);
  const movedFinding = (message: string, within: string | null = null) =>
    createChange({ ...at, within }, "validation_tightened", message);
  return [
    ...(gone.length > 0 ? [movedFinding(`It can no longer be called with ${gone.join(" or ")}`)] : []),
    ...(accessRank(after.access) > accessRank(before.access)
      ? [movedFinding(`Fewer may call it: the access was "${before.access}", is "${after.access}" now`)]
      : []),
    ...[...at.before.credentials].filter(([name, how]) =>
      requiresCredentials(name, before.credentials) && at.after.credentials.get(name) !== how
    ).map(([name]) => movedFinding(`The credential \`${name}\` is now sent differently`, `the scheme ${name}`)),
  ];
}

/** Finds changed error codes. Removing an error breaks no client, but programs depend on the codes of the remaining
 * errors. */
function compareCodes(was: SurfaceEndpoint, is: SurfaceEndpoint, at: SchemaPosition): readonly Change[] {
  const { before: { codes: before }, after: { codes: after } } = at;
  const fresh = [...after].filter(([code]) => !before.has(code) && isOf(code, is, at.after));
  const changed = [...before].filter(([code, status]) => after.get(code) !== status && isOf(code, was, at.before));
  return changed.flatMap(([code, status]) => {
    const now = after.get(code), other = fresh.find(([, its]) => its === status)?.[0];
    if (now === undefined && other === undefined) return [];
    const message = now === undefined
      ? `\`${code}\` is gone; \`${other}\` is new and comes with ${status}, too: is it the same under another name?`
      : `\`${code}\` comes with ${now} now, and came with ${status}`;
    return [createChange({ ...at, within: "Problem.code" }, "enum_changed", message)];
  });
}

/** Whether the endpoint can fail with this code. Codes that no endpoint lists apply to all endpoints. */
function isOf(code: string, { faults }: SurfaceEndpoint, { endpoints }: Surface): boolean {
  return faults.includes(code) || ![...endpoints.values()].some((endpoint) => endpoint.faults.includes(code));
}

const NONE: SchemaNode = { types: ["object"], optional: true, rules: {}, values: [], parts: new Map() };

/** Compares parameters like the fields of an object. */
function compareParameters(before: SurfaceEndpoint, after: SurfaceEndpoint, at: SchemaPosition): readonly Change[] {
  const [names, others] = [namesIn(before), namesIn(after)];
  const moved = names.flatMap((name, i) => {
    const message = `\`${name}\` is now \`${others[i]}\`. Generated clients use its name`;
    return name === others[i]
      ? []
      : [createChange(positionAt({ ...at, root: "the path" }, `.${name}`), "field_renamed", message)];
  });
  // Path parameters are identified by their position.
  const parts = [...(after.places.get("path") ?? NONE).parts].map(([name, node]) =>
    [`.${names[others.indexOf(name.slice(1))]}`, node] as const
  );
  const path = { ...NONE, parts: new Map(parts) };
  return [
    ...moved,
    ...["path", "query", "header", "cookie"].flatMap((place) => {
      const is = place === "path" ? path : after.places.get(place) ?? NONE;
      return compareSchemaNodes(before.places.get(place) ?? NONE, is, { ...at, root: `the ${place}` });
    }),
  ];
}

function namesIn({ name }: SurfaceEndpoint): readonly string[] {
  return [...name.matchAll(/\{([^}]*)\}/g)].map(([, one]) => one!);
}

/** Returns the nodes of places with this prefix, keyed by the rest of their names. */
function under(place: string, { places }: SurfaceEndpoint): ReadonlyMap<string, SchemaNode> {
  const within = [...places].filter(([name]) => name.startsWith(`${place} `));
  return new Map(within.map(([name, node]) => [name.slice(place.length + 1), node]));
}

function compareBodies(before: SurfaceEndpoint, after: SurfaceEndpoint, at: SchemaPosition): readonly Change[] {
  const was = under("body", before), is = under("body", after);
  const isRequired = [...is.values()].some(({ optional }) => !optional);
  if (was.size === 0) return isRequired ? [createChange(at, "validation_tightened", "A body is now required")] : [];
  if (is.size === 0) {
    return [createChange(at, "field_renamed", "The body is no longer read")];
  }
  return [...was].flatMap(([type, node]) => {
    const other = is.get(type);
    if (!other) return [createChange(at, "type_changed", `${at.root} can no longer be sent as ${type}`)];
    return [...comparePresence(node, other, at), ...compareSchemaNodes(node, other, at)];
  });
}

function compareAnswers(before: SurfaceEndpoint, after: SurfaceEndpoint, outer: SchemaPosition): readonly Change[] {
  const statuses = statusesOf(after), others = statuses.filter((status) => /^[23]/.test(status)).join(" or ");
  return statusesOf(before).flatMap((status) => {
    const at = { ...outer, root: `answer ${status}` }, was = under(status, before), is = under(status, after);
    if (!statuses.includes(status)) {
      if (/^[45]/.test(status)) return []; // removing an error breaks no client
      const message = `The endpoint no longer responds with ${status}, only with ${others || "errors"}`;
      return [createChange(at, "response_field_removed", message)];
    }
    return [...was].flatMap(([type, node]) => {
      if (type === "header") return compareHeaders(before, after, status, at);
      const other = is.get(type);
      if (other) return compareSchemaNodes(node, other, at);
      return type === "nothing" ? [] : [createChange(at, "type_changed", `${at.root} no longer comes as ${type}`)];
    });
  });
}

function compareHeaders(
  before: SurfaceEndpoint,
  after: SurfaceEndpoint,
  status: string,
  at: SchemaPosition,
): readonly Change[] {
  const [was, is] = [before, after].map(({ places }) => places.get(`${status} header`) ?? NONE) as [
    SchemaNode,
    SchemaNode,
  ];
  const isOver = before.deprecated && !after.deprecated;
  const parts = [...was.parts].filter(([name]) => !isOver || !OF_DEPRECATION.includes(name));
  return compareSchemaNodes({ ...was, parts: new Map(parts) }, is, { ...at, root: `${at.root}, header` });
}

function statusesOf({ places }: SurfaceEndpoint): readonly string[] {
  return [...new Set([...places.keys()].flatMap((place) => /^\d{3}/.exec(place)?.[0] ?? []))];
}
