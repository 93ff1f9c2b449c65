/** Parses the surface from its lines. surface.ts and schema-lines.ts describe their format. */
import type { NamedValues } from "#test/contract/openapi-document.ts";

/** A field, or another place with a schema. */
export interface SchemaNode {
  /** JSON types, `any`, or the name of a schema. */
  types: readonly string[];
  optional: boolean;
  rules: NamedValues<unknown>;
  readonly values: unknown[];
  /** The parts by step: `.slug`, `[]`, `{*}`, `<available=true>`. */
  readonly parts: Map<string, SchemaNode>;
}

export interface SurfaceEndpoint {
  /** The name as in the reference: `GET /api/spokes/{spokeId}`. */
  readonly name: string;
  access: string;
  credentials: readonly string[];
  /** ISO dates. */
  deprecated: { readonly since: string; readonly sunset: string } | null;
  readonly aliases: string[];
  readonly faults: string[];
  /** The request and response parts by place: `query`, `body application/json`, `202 header`. */
  readonly places: Map<string, SchemaNode>;
  /** The endpoint's lines, unchanged. */
  readonly lines: string[];
}

export interface Surface {
  readonly servers: string[];
  /** How each credential is sent. */
  readonly credentials: Map<string, string>;
  /** The status of each error code. */
  readonly codes: Map<string, string>;
  readonly endpoints: Map<string, SurfaceEndpoint>;
  readonly schemas: Map<string, SchemaNode>;
  /** The lines of each schema, unchanged. */
  readonly texts: Map<string, string>;
  /** The lines that belong to no endpoint and no schema. */
  common: string;
}

const PLACE = /^(path|query|header|cookie|(?:every|\d{3}) header|(?:body|\d{3}) \S+)(?: (.+))?$/;
const SCHEMA = /^(?:([.<{[]\S*) )?(?:= (.+)|([\w|]+)(\??)((?: \w+=(?:"(?:[^"\\]|\\.)*"|\S+))*))$/;
const RULE = / (\w+)=("(?:[^"\\]|\\.)*"|\S+)/g;
const STEP = /\.[^.[{<]+|\[\]|\{\*\}|<[^>]*>/g;
const TYPES = ["string", "number", "integer", "boolean", "null", "array", "object", "any"];

/** Parses the surface. Throws on an invalid or missing line, as a merge may leave. */
export function parseSurface(text: string): Surface {
  const surface: Surface = {
    servers: [],
    credentials: new Map(),
    codes: new Map(),
    endpoints: new Map(),
    schemas: new Map(),
    texts: new Map(),
    common: "",
  };
  const refusals = new Map<string, SchemaNode>(), refused: (readonly [SurfaceEndpoint, string])[] = [];
  for (const line of text.split("\n").filter(Boolean)) {
    const [, owner = "", rest = ""] = /^([A-Z]+ \/\S*|\w+) (.+)$/.exec(line) ?? [];
    const [first = "", ...others] = rest.split(" ");
    if (owner.includes(" ")) {
      const endpoint = memo(surface.endpoints, owner, () => newEndpoint(owner));
      endpoint.lines.push(rest);
      if (first === "refuses") refused.push(...others.map((status) => [endpoint, status] as const));
      else readEndpoint(endpoint, rest, line);
    } else if (/^[A-Z]/.test(owner)) {
      readNode(memo(surface.schemas, owner, newNode), rest, line);
      surface.texts.set(owner, `${surface.texts.get(owner) ?? ""}${line}\n`);
    } else {
      surface.common += `${line}\n`;
      if (owner === "server") surface.servers.push(rest);
      else if (owner === "credential") surface.credentials.set(first, rest);
      else if (owner === "code") surface.codes.set(first, others.join(" "));
      else if (owner === "refusal") readPlace(refusals, rest, line);
      else throw new Error(`No line of a surface: ${line}`);
    }
  }
  for (const [{ places }, status] of refused) {
    const shared = [...refusals].filter(([place]) => place.startsWith(`${status} `));
    if (shared.length === 0) throw new Error(`The surface has no line that says how ${status} is refused`);
    for (const [place, node] of shared) places.set(place, node);
  }
  for (const { places } of surface.endpoints.values()) spread(places);
  check(surface);
  return surface;
}

function newEndpoint(name: string): SurfaceEndpoint {
  return { name, access: "", credentials: [], deprecated: null, aliases: [], faults: [], places: new Map(), lines: [] };
}

function readEndpoint(endpoint: SurfaceEndpoint, rest: string, line: string): void {
  const [, access, credentials = ""] = /^by (".*") with (.*)$/.exec(rest) ?? [];
  const [, since = "", sunset = ""] = /^deprecated since (.*) until (.*)$/.exec(rest) ?? [];
  const [, list, one = ""] = /^(alias|fault) (.*)$/.exec(rest) ?? [];
  if (access) Object.assign(endpoint, { access: JSON.parse(access), credentials: credentials.split(" ") });
  else if (since) endpoint.deprecated = { since, sunset };
  else if (list) (list === "alias" ? endpoint.aliases : endpoint.faults).push(one);
  else readPlace(endpoint.places, rest, line);
}

function readPlace(places: Map<string, SchemaNode>, rest: string, line: string): void {
  const [, place, schema] = PLACE.exec(rest) ?? [];
  if (place === undefined) throw new Error(`No line of a surface: ${line}`);
  // Parameters and headers are fields of an object. A response without content has no schema.
  const types = /^(?:body|\d{3} (?!header))/.test(place) ? [] : ["object"];
  const normalized = place.endsWith("header") ? schema?.replace(/^\S+/, (name) => name.toLowerCase()) : schema;
  readNode(memo(places, place, () => newNode(types)), normalized ?? "any", line);
}

function newNode(types: readonly string[] = []): SchemaNode {
  return { types, optional: false, rules: {}, values: [], parts: new Map() };
}

function readNode(root: SchemaNode, text: string, line: string): void {
  const [, path = "", value, types = "", mark, rules = ""] = SCHEMA.exec(text) ?? [];
  if (value === undefined && types === "") throw new Error(`No line of a surface: ${line}`);
  const node = (path.match(STEP) ?? []).reduce((at, step) => memo(at.parts, step, newNode), root);
  if (value !== undefined) node.values.push(JSON.parse(value));
  else {
    const pairs = [...rules.matchAll(RULE)].map(([, rule, said]) => [rule, JSON.parse(said!)]);
    Object.assign(node, { types: types.split("|"), optional: mark === "?", rules: Object.fromEntries(pairs) });
  }
}

/** Copies the headers of every response to each response. */
function spread(places: Map<string, SchemaNode>): void {
  const every = places.get("every header");
  places.delete("every header");
  for (const status of new Set([...places.keys()].flatMap((place) => /^\d{3}/.exec(place)?.[0] ?? []))) {
    const own = places.get(`${status} header`);
    if (every) places.set(`${status} header`, { ...every, parts: new Map([...every.parts, ...own?.parts ?? []]) });
  }
}

function check({ endpoints, schemas }: Surface): void {
  const checkNode = ({ types, parts }: SchemaNode, at: string): void => {
    if (types.length === 0) throw new Error(`The surface has no line that says what ${at} is`);
    const unknown = types.find((type) => !TYPES.includes(type) && !schemas.has(type));
    if (unknown) throw new Error(`The surface has no schema ${unknown}, of which ${at} is`);
    for (const [step, part] of parts) checkNode(part, at + step);
  };
  for (const [name, node] of schemas) checkNode(node, `${name} `);
  for (const { name, access, places } of endpoints.values()) {
    if (!access) throw new Error(`The surface has no line that says by whom ${name} may be called`);
    for (const [place, node] of places) {
      checkNode(node, `${name} ${place} `);
      const [, status] = /^(\d{3}) header$/.exec(place) ?? [];
      const comes = !status || [...places.keys()].some((other) => other !== place && other.startsWith(status));
      if (!comes) throw new Error(`The surface has no line that says as what ${name} answers ${status}`);
    }
  }
}

function memo<T>(map: Map<string, T>, key: string, make: () => T): T {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}
