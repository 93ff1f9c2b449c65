/**
 * The fence that a write carries: a number by which a writer tells apart its own turn from earlier ones.
 *
 * It stands in a label or annotation `…/fence`, in a JSON Patch that sets such a one, or, where a Job is only named, in the
 * Job's name: `install-17`.
 */
import { isRecord, type Json } from "#lib/dev/simulator/object.ts";

const JOB = /\/apis\/batch\/v1\/namespaces\/[^/]+\/jobs\/[^/?]*?-(\d+)[^/?]*(?:[/?]|$)/;

export function fenceOf(target: string, text: string): string | null {
  return (text.includes("fence") ? inBody(text) : null) ?? JOB.exec(target)?.[1] ?? null;
}

function inBody(text: string): string | null {
  let body: Json;
  try {
    body = JSON.parse(text);
  } catch {
    return null; // YAML, or nothing readable: the server says so to the sender
  }
  if (Array.isArray(body)) return body.map(inOperation).findLast((fence) => fence !== null) ?? null;
  const { labels, annotations } = isRecord(body) && isRecord(body.metadata) ? body.metadata : {};
  return inMap(annotations) ?? inMap(labels);
}

function inOperation(operation: Json): string | null {
  if (!isRecord(operation) || (operation.op !== "add" && operation.op !== "replace")) return null;
  if (String(operation.path).endsWith("~1fence")) return textOf(operation.value);
  return inMap(operation.value);
}

function inMap(map: Json): string | null {
  if (!isRecord(map)) return null;
  const name = Object.keys(map).find((key) => key.endsWith("/fence"));
  return name === undefined ? null : textOf(map[name]);
}

function textOf(value: Json): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
