/** Forms in bracket notation: `items[0][price]=a&metadata[x]=y`, as bodies and as queries. */
import type { Json } from "#test/support/provider/records.ts";
import { wrong } from "#test/support/provider/refusal.ts";

/** Texts, and maps and lists of them. A list may give its places (`a[0]=x`) or leave them to their order (`a[]=x`). */
export function readForm(text: string): Record<string, Json> {
  const root: Record<string, Json> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) put(root, name, value);
  return listed(root) as Record<string, Json>;
}

function put(root: Record<string, Json>, name: string, value: string): void {
  const found = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name);
  if (!found) throw wrong(name, `Invalid parameter name: ${name}`);
  const path = [found[1]!, ...[...found[2]!.matchAll(/\[([^\]]*)\]/g)].map(([, key]) => key!)];
  let at = root;
  for (const [depth, key] of path.entries()) {
    const place = key === "" ? String(Object.keys(at).length) : key;
    if (depth === path.length - 1) {
      if (place in at && typeof at[place] !== "string") throw wrong(name, `Invalid parameter name: ${name}`);
      at[place] = value;
    } else {
      at[place] ??= Object.create(null);
      if (typeof at[place] !== "object") throw wrong(name, `Invalid parameter name: ${name}`);
      at = at[place];
    }
  }
}

/** Maps whose keys are 0, 1, 2 … become lists. */
function listed(value: Json): Json {
  if (typeof value !== "object") return value;
  const keys = Object.keys(value);
  const list = keys.length > 0 && keys.every((key) => /^\d+$/.test(key));
  if (list) return keys.sort((a, b) => Number(a) - Number(b)).map((key) => listed(value[key]));
  return Object.fromEntries(keys.map((key) => [key, listed(value[key])]));
}
