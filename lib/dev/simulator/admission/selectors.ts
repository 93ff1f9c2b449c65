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
    const [, path = "", sign, value] = /^([A-Za-z0-9_.]+)(==|!=|=)(.*)$/.exec(part) ?? [];
    if (!COMMON_FIELDS.includes(path) && !FIELDS[kind.kind]?.includes(path)) {
      throw StatusError.badRequest(`field label not supported: ${path || part}`);
    }
    return (object: StoredObject): boolean => {
      const found = path.split(".").reduce((at: Json, name) => at?.[name], object);
      return (String(found ?? "") === value) === (sign !== "!=");
    };
  });
  return (object) => tests.every((test) => test(object));
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

type LabelsPredicate = (labels: Readonly<Record<string, string>>) => boolean;

/** Parses a label selector. Throws a 400 error if its syntax is invalid. */
export function parseLabelSelector(text: string): ObjectPredicate {
  const parts = text.trim() === "" ? [] : text.split(/,(?![^(]*\))/); // the commas that are not inside parentheses
  const tests = parts.map((part) => parseRequirement(part.trim()));
  return (object) => tests.every((test) => test(object.metadata.labels ?? {}));
}

const REQUIREMENT = /^(!?)\s*([^\s,()=!<>]+)\s*(?:(==|=|!=|<|>)\s*([^\s,()=!<>]*)|(in|notin)\s*\(([^()=!<>]*)\))?$/;

function parseRequirement(text: string): LabelsPredicate {
  const [, negation, name = "", sign, value = "", list, listed = ""] = REQUIREMENT.exec(text) ?? [];
  if (name === "") {
    const found = /^[=!<>]{1,2}/.exec(text)?.[0] ?? text;
    throw StatusError.badRequest(`found '${found}', expected: !, identifier, or 'end of string'`);
  }
  const isOrder = sign === "<" || sign === ">", values = list ? listed.split(",").map((each) => each.trim()) : [value];
  const wrong = [...validateLabelKey(name), ...isOrder ? [] : values.flatMap(validateLabelValue)][0] ??
    (isOrder && !/^-?\d+$/.test(value) ? "for 'Gt', 'Lt' operators, the value must be an integer" : undefined);
  if (wrong !== undefined) throw StatusError.badRequest(`unable to parse requirement: ${name}: ${wrong}`);
  if (negation) return (labels) => labels[name] === undefined;
  if (sign === ">") return (labels) => Number(labels[name] ?? NaN) > Number(value);
  if (sign === "<") return (labels) => Number(labels[name] ?? NaN) < Number(value);
  if (sign) return (labels) => (labels[name] === value) === (sign !== "!=");
  return (labels) => labels[name] !== undefined && (!list || values.includes(labels[name]) === (list === "in"));
}
