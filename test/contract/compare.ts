/** Two versions of an endpoint: at which addresses and by whom it may be called, what it takes and what it answers. */
import { asksFor, narrowness, spoken } from "#test/contract/credentials.ts";
import { type Change, change, type Place } from "#test/contract/place.ts";
import type { Endpoint, Node, Surface } from "#test/contract/read.ts";
import { findRenamed } from "#test/contract/renamed.ts";
import { compareNodes, comparePresence, isAlike } from "#test/contract/schemas.ts";

/** The headers that say that it is deprecated: they go when it is not any more. */
const OF_DEPRECATION = /header (?:deprecation|sunset|link)$/i;

export type Whole = Pick<Place, "before" | "after" | "isUnchanged">;

export function compareEndpoints(before: Endpoint, after: Endpoint, whole: Whole) {
  const request: Place = { ...whole, direction: "request", root: "address", path: "", within: null, above: [] };
  return [
    ...compareAddresses(before, after, request),
    ...compareCallers(before, after, { ...request, root: "credentials" }),
    ...compareCodes(before, after, { ...request, root: "codes" }),
    ...compareParameters(before, after, request),
    ...compareBodies(placesOf(before, "body"), placesOf(after, "body"), { ...request, root: "the body" }),
    ...compareAnswers(before, after, { ...request, direction: "response" }),
  ];
}

/** An endpoint that stayed may be at fewer addresses than it was. */
function compareAddresses(before: Endpoint, after: Endpoint, at: Place): readonly Change[] {
  return [
    ...at.before.servers.filter((url) => !at.after.servers.includes(url)).map((url) => `under the server ${url}`),
    ...before.aliases.filter((path) => !after.aliases.includes(path)).map((path) => `at ${path}`),
  ].map((address) => change(at, "endpoint_moved", `It is no longer ${address}`));
}

/** A credential that was enough and is not any more is refused like a value that is no good any more. */
function compareCallers(before: Endpoint, after: Endpoint, at: Place): readonly Change[] {
  const gone = before.credentials.filter((one) => !after.credentials.includes(one)).map(spoken);
  const tell = (says: string, within: string | null = null) => change({ ...at, within }, "validation_tightened", says);
  return [
    ...(gone.length > 0 ? [tell(`It can no longer be called with ${gone.join(" or ")}`)] : []),
    ...(narrowness(after.access) > narrowness(before.access)
      ? [tell(`Fewer may call it: the access was "${before.access}", is "${after.access}" now`)]
      : []),
    ...[...at.before.credentials].filter(([name, how]) =>
      asksFor(name, before.credentials) && at.after.credentials.get(name) !== how
    ).map(([name]) => tell(`The credential \`${name}\` is sent in another way now`, `the scheme ${name}`)),
  ];
}

/** Not to be refused any more breaks nobody, but programs go by the codes of what they are still refused. */
function compareCodes(was: Endpoint, is: Endpoint, at: Place): readonly Change[] {
  const { before: { codes: before }, after: { codes: after } } = at;
  const fresh = [...after].filter(([code]) => !before.has(code) && isOf(code, is, at.after));
  const changed = [...before].filter(([code, status]) => after.get(code) !== status && isOf(code, was, at.before));
  return changed.flatMap(([code, status]) => {
    const now = after.get(code), other = fresh.find(([, its]) => its === status)?.[0];
    if (now === undefined && other === undefined) return [];
    const says = now === undefined
      ? `\`${code}\` is gone; \`${other}\` is new and comes with ${status}, too: is it the same under another name?`
      : `\`${code}\` comes with ${now} now, and came with ${status}`;
    return [change({ ...at, within: "Problem.code" }, "enum_changed", says)];
  });
}

/** Those that no endpoint has for itself are of all. */
function isOf(code: string, { faults }: Endpoint, { endpoints }: Surface): boolean {
  return faults.includes(code) || ![...endpoints.values()].some((endpoint) => endpoint.faults.includes(code));
}

type Places = ReadonlyMap<string, readonly [place: string, Node]>;

/** Those that begin so. One of the path is known by its position, a header in any case of its letters. */
function placesOf({ name, places }: Endpoint, ...beginnings: readonly string[]): Places {
  const positions = [...name.matchAll(/\{([^}]*)\}/g)].map(([, one]) => `path ${one}`);
  return new Map(
    [...places].filter(([place]) => beginnings.includes(place.split(" ")[0]!)).map(([place, node]) => {
      const key = place.replace(/header .*/, (header) => header.toLowerCase());
      return [positions.includes(place) ? `path ${positions.indexOf(place)}` : key, [place, node]];
    }),
  );
}

function compareParameters(before: Endpoint, after: Endpoint, at: Place): readonly Change[] {
  const [was, is] = [before, after].map((one) => placesOf(one, "path", "query", "header", "cookie")) as [
    Places,
    Places,
  ];
  const gone = [...was.keys()].filter((key) => !is.has(key)), fresh = [...is.keys()].filter((key) => !was.has(key));
  const kindOf = (key: string) => key.split(" ")[0];
  const renamed = findRenamed(
    gone,
    fresh,
    (key, other) => kindOf(key) === kindOf(other) && isAlike(was.get(key)![1], is.get(other)![1], at),
  );
  const replaced = [...renamed].filter(([key]) => !was.get(key)![1].optional).map(([, other]) => other);
  return [
    ...[...was].flatMap(([key, [place, node]]) => {
      const root = called(place), [name, other] = is.get(key) ?? [];
      if (!name || !other) {
        return [change({ ...at, root }, "field_renamed", goneParameter(root, is.get(renamed.get(key) ?? "")))];
      }
      const called_ = `${root} is \`${nameIn(name)}\` now: generated clients call it by its name`;
      return [
        ...(kindOf(key) === "path" && name !== place ? [change({ ...at, root }, "field_renamed", called_)] : []),
        ...comparePresence(node, other, { ...at, root }),
        ...compareNodes(node, other, { ...at, root }),
      ];
    }),
    ...fresh.filter((key) => !is.get(key)![1].optional && !replaced.includes(key)).map((key) => {
      const root = called(is.get(key)![0]);
      return change({ ...at, root }, "validation_tightened", `${root} has to be sent now`);
    }),
  ];
}

function goneParameter(root: string, now: readonly [place: string, Node] | undefined): string {
  if (!now) return `${root} is no longer read: what is sent there is lost`;
  return `${root} is gone; \`${nameIn(now[0])}\` is new and of the same type: is it the same under another name?`;
}

function called(place: string): string {
  return `the ${place.split(" ")[0]}'s \`${nameIn(place)}\``;
}

function nameIn(place: string): string {
  return place.slice(place.lastIndexOf(" ") + 1);
}

function compareBodies(was: Places, is: Places, at: Place): readonly Change[] {
  const isRequired = [...is.values()].some(([, { optional }]) => !optional);
  if (was.size === 0) return isRequired ? [change(at, "validation_tightened", "A body has to be sent now")] : [];
  if (is.size === 0) return [change(at, "field_renamed", "The body is no longer read: what is sent there is lost")];
  return [...was].flatMap(([key, [place, node]]) => {
    const other = is.get(key)?.[1];
    if (!other) return [change(at, "type_changed", `${at.root} can no longer be sent as ${nameIn(place)}`)];
    return [...comparePresence(node, other, at), ...compareNodes(node, other, at)];
  });
}

function compareAnswers(before: Endpoint, after: Endpoint, at: Place): readonly Change[] {
  const was = placesOf(before, ...statusesOf(before)),
    is = placesOf(after, ...statusesOf(after)),
    kept = statusesOf(after);
  const lost = statusesOf(before).filter((status) => /^[23]/.test(status) && !kept.includes(status));
  const others = kept.filter((status) => /^[23]/.test(status)).join(" or ") || "no success at all";
  const isOver = (place: string) => before.deprecated && !after.deprecated && OF_DEPRECATION.test(place);
  return [
    ...lost.map((status) =>
      change(
        { ...at, root: `answer ${status}` },
        "response_field_removed",
        `It no longer answers ${status}, with all that this had; only ${others}`,
      )
    ),
    // Not to be refused any more breaks nobody.
    ...[...was].filter(([key, [place]]) => kept.includes(key.slice(0, 3)) && !isOver(place)).flatMap(
      ([key, [place, node]]) => {
        const other = is.get(key)?.[1], [status, ...rest] = place.split(" "), header = rest[1];
        const root = `answer ${status}${header === undefined ? "" : `, header ${header}`}`, inner = { ...at, root };
        if (other) return [...comparePresence(node, other, inner), ...compareNodes(node, other, inner)];
        if (header !== undefined) return [change(inner, "response_field_removed", `The header ${header} is gone`)];
        return rest[0] === "nothing" ? [] : [change(inner, "type_changed", `${root} no longer comes as ${rest[0]}`)];
      },
    ),
  ];
}

function statusesOf({ places }: Endpoint): readonly string[] {
  return [...new Set([...places.keys()].map((place) => place.split(" ")[0]!).filter((word) => /^\d/.test(word)))];
}
