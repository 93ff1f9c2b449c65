/** Reads forms in bracket notation from request bodies and queries: `items[0][price]=a&metadata[x]=y`. */
import type { Json } from "#test/support/provider/records.ts";
import { invalidParameter } from "#test/support/provider/api-error.ts";

/**
 * Returns the form's values as nested maps and lists. List items have an index (`a[0]=x`) or are in order (`a[]=x`).
 */
export function parseForm(text: string): Record<string, Json> {
  const root: Record<string, Json> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) put(root, name, value);
  return listed(root) as Record<string, Json>;
}

function put(root: Record<string, Json>, name: string, value: string): void {
  const found = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name);
  if (!found) throw invalidParameter(name, `Invalid parameter name: ${name}`);
  const path = [found[1]!, ...[...found[2]!.matchAll(/\[([^\]]*)\]/g)].map(([, key]) => key!)];
  let at = root;
  for (const [depth, key] of path.entries()) {
    const place = key === "" ? String(Object.keys(at).length) : key;
    if (depth === path.length - 1) {
      if (place in at && typeof at[place] !== "string") throw invalidParameter(name, `Invalid parameter name: ${name}`);
      at[place] = value;
    } else {
      at[place] ??= Object.create(null);
      if (typeof at[place] !== "object") throw invalidParameter(name, `Invalid parameter name: ${name}`);
      at = at[place];
    }
  }
}

/** Converts maps with the keys 0, 1, 2 and so on to lists. */
function listed(value: Json): Json {
  if (typeof value !== "object") return value;
  const keys = Object.keys(value);
  const list = keys.length > 0 && keys.every((key) => /^\d+$/.test(key));
  if (list) return keys.sort((a, b) => Number(a) - Number(b)).map((key) => listed(value[key]));
  return Object.fromEntries(keys.map((key) => [key, listed(value[key])]));
}
