/** Parses and evaluates label selectors and field selectors. Syntax errors have the API server's messages. */
import { StatusError } from "#lib/dev/simulator/admission/status-error.ts";
import type { ApiKind, Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import { validateLabelKey, validateLabelValue } from "#lib/dev/simulator/admission/rules/data.ts";

export type ObjectPredicate = (object: StoredObject) => boolean;

const COMMON_FIELDS = ["metadata.name", "metadata.namespace"];
/** The extra fields that field selectors can use, keyed by kind. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  Event: [
    ..."apiVersion fieldPath kind name namespace resourceVersion uid".split(" ").map((name) =>
      `involvedObject.${name}`
    ),
    ..."reason reportingComponent source type".split(" "),
  ],
  Job: ["status.successful"],
  Namespace: ["status.phase"],
  Node: ["spec.unschedulable"],
  Pod: [
    ..."hostNetwork nodeName restartPolicy schedulerName serviceAccountName".split(" ").map((name) => `spec.${name}`),
    ..."nominatedNodeName phase podIP podIPs".split(" ").map((name) => `status.${name}`),
  ],
  ReplicaSet: ["status.replicas"],
  Secret: ["type"],
  Service: ["spec.clusterIP", "spec.type"],
};

/** Parses a field selector such as `metadata.name=x`. Throws 400 if it is invalid or names an unsupported field. */
export function parseFieldSelector(kind: ApiKind, text: string): ObjectPredicate {
  const tests = text.split(",").filter((part) => part !== "").map((part) => {
    const match = /^([A-Za-z0-9_.]+)(==|!=|=)(.*)$/.exec(part);
    if (!match) throw StatusError.badRequest(`invalid selector: '${part}'; can't understand '${part}'`);
    const [, path = "", sign, value] = match;
    requireSelectableField(kind, path);
    return (object: StoredObject): boolean => {
      const found = path.split(".").reduce((at: Json, name) => at?.[name], object);
      return (String(found ?? "") === value) === (sign !== "!=");
    };
  });
  return (object) => tests.every((test) => test(object));
}

function requireSelectableField(kind: ApiKind, path: string): void {
  const own = FIELDS[kind.kind];
  if (COMMON_FIELDS.includes(path) || own?.includes(path)) return;
  if (kind.kind === "Job") throw StatusError.badRequest(`field label "${path}" not supported for Job`);
  if (own || kind.custom) throw StatusError.badRequest(`field label not supported: ${path}`);
  const names = COMMON_FIELDS.map((each) => JSON.stringify(each)).join(", ");
  throw StatusError.badRequest(`"${path}" is not a known field selector: only ${names}`);
}

/** Whether the labels match a `selector` from a spec. An empty selector matches all labels. */
export function matchesSelector(selector: Json, labels: Record<string, string> | undefined): boolean {
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

type Labels = Readonly<Record<string, string>>;

/** Parses a label selector. Throws a 400 error if its syntax is invalid. */
export function parseLabelSelector(text: string): ObjectPredicate {
  const tests = parseRequirements(text);
  return (object) => tests.every((test) => test(object.metadata.labels ?? {}));
}

function parseRequirements(text: string): ((labels: Labels) => boolean)[] {
  const tokens = text.match(/[(),]|==|!=|[=!<>]|[^\s(),=!<>]+/g) ?? [];
  const tests: ((labels: Labels) => boolean)[] = [];
  let at = 0;
  const peek = (): string => tokens[at] ?? "";
  const isWord = (token: string) => token !== "" && !/^[(),=!<>]/.test(token);
  const refuse = (wanted: string): never => {
    throw StatusError.badRequest(`unable to parse requirement: found '${peek()}'${wanted}`);
  };

  function requirement(): (labels: Labels) => boolean {
    const absent = peek() === "!";
    if (absent) at++;
    if (!isWord(peek())) refuse(", expected: identifier");
    const name = tokens[at++]!;
    const [wrong] = validateLabelKey(name);
    if (wrong) {
      throw StatusError.badRequest(
        `unable to parse requirement: <nil>: Invalid value: ${JSON.stringify(name)}: ${wrong}`,
      );
    }
    if (absent) return (labels) => labels[name] === undefined;
    if (peek() === "" || peek() === ",") return (labels) => labels[name] !== undefined;
    const operator = peek();
    if (operator === "in" || operator === "notin") {
      at++;
      const values = list();
      requireLabelValues(name, values);
      return (labels) => (labels[name] !== undefined && values.includes(labels[name])) === (operator === "in");
    }
    if (!["=", "==", "!=", ">", "<"].includes(operator)) refuse(", expected: in, notin, =, ==, !=, gt, lt");
    at++;
    const value = peek() === "" || peek() === ","
      ? ""
      : isWord(peek())
      ? tokens[at++]!
      : refuse(", expected: identifier");
    if (operator === ">" || operator === "<") return comparison(name, operator, value);
    requireLabelValues(name, [value]);
    return (labels) => (labels[name] === value) === (operator !== "!=");
  }

  function list(): string[] {
    if (peek() !== "(") refuse(" expected: '('");
    at++;
    const values: string[] = [];
    for (;;) {
      if (isWord(peek())) values.push(tokens[at++]!);
      if (peek() === ")") return at++, values;
      if (peek() !== ",") refuse(", expected: ',' or ')'");
      at++;
    }
  }

  while (peek() !== "") {
    if (!isWord(peek()) && peek() !== "!") {
      throw StatusError.badRequest(`found '${peek()}', expected: !, identifier, or 'end of string'`);
    }
    tests.push(requirement());
    if (peek() === "") break;
    if (peek() !== ",") throw StatusError.badRequest(`found '${peek()}', expected: ',' or 'end of string'`);
    at++;
    if (!isWord(peek()) && peek() !== "!") {
      throw StatusError.badRequest(`found '${peek()}', expected: identifier after ','`);
    }
  }
  return tests;
}

function comparison(name: string, operator: string, value: string): (labels: Labels) => boolean {
  if (!/^-?\d+$/.test(value)) {
    const why = "for 'Gt', 'Lt' operators, the value must be an integer";
    throw StatusError.badRequest(
      `unable to parse requirement: values[0]: Invalid value: ${JSON.stringify(value)}: ${why}`,
    );
  }
  return (labels) => {
    const number = Number(labels[name] ?? NaN);
    return operator === ">" ? number > Number(value) : number < Number(value);
  };
}

function requireLabelValues(name: string, values: readonly string[]): void {
  for (const [i, value] of values.entries()) {
    const [wrong] = validateLabelValue(value);
    if (!wrong) continue;
    const field = `values[${i}][${name}]`;
    throw StatusError.badRequest(
      `unable to parse requirement: ${field}: Invalid value: ${JSON.stringify(value)}: ${wrong}`,
    );
  }
}
