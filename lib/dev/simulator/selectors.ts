/** Selectors: of labels as an object in a spec, of fields as text in a URL; labels as text are in label-selector.ts. */
import type { Kind } from "#lib/dev/simulator/kinds.ts";
import type { Json, KubeObject } from "#lib/dev/simulator/object.ts";
import { badRequest } from "#lib/dev/simulator/refusal.ts";

export type Test = (object: KubeObject) => boolean;

const EVERYWHERE = ["metadata.name", "metadata.namespace"];
/** By which fields objects of a kind can be selected besides. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  Event: [
    ...["apiVersion", "fieldPath", "kind", "name", "namespace", "resourceVersion", "uid"].map((name) =>
      `involvedObject.${name}`
    ),
    "reason",
    "reportingComponent",
    "source",
    "type",
  ],
  Job: ["status.successful"],
  Namespace: ["status.phase"],
  Node: ["spec.unschedulable"],
  Pod: [
    "spec.hostNetwork",
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "status.nominatedNodeName",
    "status.phase",
    "status.podIP",
    "status.podIPs",
  ],
  ReplicaSet: ["status.replicas"],
  Secret: ["type"],
  Service: ["spec.clusterIP", "spec.type"],
};

/**
 * `metadata.name=x,status.phase!=Running`: throws 400 for what is no selector, or for a field by which this kind is not
 * selected.
 */
export function fieldSelector(kind: Kind, text: string): Test {
  const tests = text.split(",").filter((part) => part !== "").map((part) => {
    const match = /^([A-Za-z0-9_.]+)(==|!=|=)(.*)$/.exec(part);
    if (!match) throw badRequest(`invalid selector: '${part}'; can't understand '${part}'`);
    const [, path = "", sign, value] = match;
    refuseField(kind, path);
    return (object: KubeObject): boolean => {
      const found = path.split(".").reduce((at: Json, name) => at?.[name], object);
      return (String(found ?? "") === value) === (sign !== "!=");
    };
  });
  return (object) => tests.every((test) => test(object));
}

function refuseField(kind: Kind, path: string): void {
  const own = FIELDS[kind.kind];
  if (EVERYWHERE.includes(path) || own?.includes(path)) return;
  if (kind.kind === "Job") throw badRequest(`field label "${path}" not supported for Job`);
  if (own || kind.custom) throw badRequest(`field label not supported: ${path}`);
  const names = EVERYWHERE.map((each) => JSON.stringify(each)).join(", ");
  throw badRequest(`"${path}" is not a known field selector: only ${names}`);
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
