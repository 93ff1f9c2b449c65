/** Selectors: of labels, as text in a URL and as an object in a spec; of fields, as text in a URL. */
import type { Json, KubeObject } from "#lib/simulator/object.ts";
import { badRequest } from "#lib/simulator/refusal.ts";

export type Test = (object: KubeObject) => boolean;

/** `a=b,c!=d,e in (f,g),!h`: throws 400 for what is not a selector. */
export function labelSelector(text: string): Test {
  const tests = splitOutside(text).filter((part) => part.trim() !== "").map((part) => labelTest(part.trim()));
  return (object) => {
    const labels = object.metadata.labels ?? {};
    return tests.every((test) => test(labels));
  };
}

/** `metadata.name=x,status.phase!=Running`: any path to a string. */
export function fieldSelector(text: string): Test {
  const tests = text.split(",").filter((part) => part !== "").map((part) => {
    const match = /^([A-Za-z0-9_.]+)(==|!=|=)(.*)$/.exec(part);
    if (!match) throw badRequest(`invalid selector: '${part}'; can't understand '${part}'`);
    const [, path = "", sign, value] = match;
    return (object: KubeObject): boolean => {
      const found = path.split(".").reduce((at: Json, name) => at?.[name], object);
      return (String(found ?? "") === value) === (sign !== "!=");
    };
  });
  return (object) => tests.every((test) => test(object));
}

/** A spec's `selector`: matchLabels and matchExpressions. An empty one matches everything. */
export function selects(selector: Json, labels: Record<string, string> | undefined): boolean {
  const present = labels ?? {};
  const exact = Object.entries(selector?.matchLabels ?? {}).every(([name, value]) => present[name] === value);
  return exact && (selector?.matchExpressions ?? []).every((expression: Json) => {
    const value = present[expression.key];
    if (expression.operator === "Exists") return value !== undefined;
    if (expression.operator === "DoesNotExist") return value === undefined;
    const listed = value !== undefined && (expression.values ?? []).includes(value);
    return expression.operator === "In" ? listed : !listed;
  });
}

function labelTest(part: string): (labels: Record<string, string>) => boolean {
  const set = /^([\w./-]+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(part);
  if (set) {
    const [, name = "", word, list = ""] = set;
    const values = list.split(",").map((value) => value.trim());
    if (word === "in") return (labels) => labels[name] !== undefined && values.includes(labels[name]);
    return (labels) => labels[name] === undefined || !values.includes(labels[name]);
  }
  const missing = /^!\s*([\w./-]+)$/.exec(part);
  if (missing) return (labels) => labels[missing[1]!] === undefined;
  const exact = /^([\w./-]+)\s*(==|!=|=)\s*([\w.-]*)$/.exec(part);
  if (exact) {
    const [, name = "", sign, value] = exact;
    return (labels) => (labels[name] === value) === (sign !== "!=");
  }
  if (/^[\w./-]+$/.test(part)) return (labels) => labels[part] !== undefined;
  const found = /^(==|=|!=|[^\w!])/.exec(part)?.[1] ?? part;
  throw badRequest(`found '${found}', expected: !, identifier, or 'end of string'`);
}

/** At the commas that stand outside brackets. */
function splitOutside(text: string): string[] {
  return text.split(/,(?![^(]*\))/);
}
