/**
 * Reads the schema tables. They define each kind's fields and types, and the lists that are merged item by item.
 *
 * Each line in a table defines a type, with fields as `field:type`. `s` is a string, `i` a number, `b` a boolean, `a`
 * any value, `{T}` a map of T and `[T]` a list of T. `@a,b` makes a list keyed by the fields a and b, `@*` makes a set.
 * `!` makes a type atomic: a single manager owns the complete value. `Kind +=` adds the fields that all kinds have.
 */
import { isRecord, type Json } from "#lib/dev/simulator/store/object.ts";
import { KIND_SCHEMA_TABLE } from "#lib/dev/simulator/admission/schema/kinds.ts";
import { POD_SCHEMA_TABLE } from "#lib/dev/simulator/admission/schema/pods.ts";

export type FieldType =
  | { readonly form: "text" | "number" | "boolean" | "any" | "quantity" }
  | { readonly form: "map"; readonly of: FieldType; readonly atomic: boolean }
  | { readonly form: "list"; readonly of: FieldType; readonly keys: readonly string[]; readonly set: boolean }
  | {
    readonly form: "struct";
    readonly name: string;
    readonly fields: Map<string, FieldType>;
    readonly atomic: boolean;
  };

export type FieldSchema = ReturnType<typeof loadFieldSchema>;

const ANY: FieldType = { form: "any" };

export function loadFieldSchema() {
  const lines = (POD_SCHEMA_TABLE + KIND_SCHEMA_TABLE).trim().replace(/\n\s+/g, " ").split("\n").filter((line) =>
    line !== ""
  );
  const texts = new Map(lines.map((line): [string, string] => {
    const [name = "", sign = "", ...fields] = line.split(" ");
    const head = sign === "+=" ? ["apiVersion:s", "kind:s", "metadata:ObjectMeta"] : [];
    return [name, [...head, ...fields].join(" ")];
  }));
  const types = new Map<string, FieldType>();
  const struct = (name: string): FieldType => {
    const allowed = types.get(name);
    if (allowed) return allowed;
    const fields = new Map<string, FieldType>();
    const type: FieldType = { form: "struct", name, fields, atomic: false };
    types.set(name, type); // stored before the fields are read, because types can be recursive
    for (const field of (texts.get(name) ?? "").split(" ").filter((text) => text !== "")) {
      const colon = field.indexOf(":");
      fields.set(field.slice(0, colon), parseType(field.slice(colon + 1), struct));
    }
    return type;
  };
  const other: FieldType = {
    form: "struct",
    name: "",
    fields: new Map<string, FieldType>([
      ["apiVersion", { form: "text" }],
      ["kind", { form: "text" }],
      ["metadata", struct("ObjectMeta")],
      ["*", ANY],
    ]),
    atomic: false,
  };
  return {
    /** Returns the type of a kind's objects. A kind that the schema does not list accepts any field. */
    of: (kind: string): FieldType => texts.has(kind) ? struct(kind) : other,
  };
}

function parseType(text: string, struct: (name: string) => FieldType): FieldType {
  if (text.endsWith("!")) {
    const whole = parseType(text.slice(0, -1), struct);
    return whole.form === "struct" || whole.form === "map" ? { ...whole, atomic: true } : whole;
  }
  if (text.startsWith("{")) return { form: "map", of: parseType(text.slice(1, -1), struct), atomic: false };
  if (text.startsWith("[")) {
    const end = text.lastIndexOf("]"), keys = text.slice(end + 2);
    const of = parseType(text.slice(1, end), struct);
    return { form: "list", of, keys: keys === "" || keys === "*" ? [] : keys.split(","), set: keys === "*" };
  }
  if (text === "s" || text === "string") return { form: "text" };
  if (text === "i" || text === "int") return { form: "number" };
  if (text === "b") return { form: "boolean" };
  if (text === "a" || text === "any") return ANY;
  if (text === "quantity") return { form: "quantity" };
  return struct(text);
}

export interface SchemaViolation {
  /** The path to the invalid field, for example `.spec.template`, `.spec.ports[0]` or `.spec.containers[name="m"]`. */
  readonly path: string;
  /** The expected type; undefined if the schema does not contain the field. */
  readonly expected: string | undefined;
  readonly value: Json;
}

/** Returns the key that identifies a list item in a path: the item's values for `keys` or, without keys, its index. */
function formatItemKey(item: Json, i: number, keys: readonly string[]): string {
  if (keys.length === 0 || !isRecord(item)) return String(i);
  return keys.map((key) => `${key}=${JSON.stringify(item[key] ?? null)}`).join(",");
}

/** Returns the value without nulls and unknown fields, together with all violations of the schema. */
export function pruneToSchema(
  value: Json,
  type: FieldType,
  items: "placed" | "keyed" = "placed",
): { value: Json; misfits: SchemaViolation[] } {
  const misfits: SchemaViolation[] = [];
  return { value: visit(value, type, ""), misfits };

  function visit(value: Json, type: FieldType, path: string): Json {
    const wrong = (expected: string) => void misfits.push({ path, expected, value });
    if (type.form === "any") return value;
    if (type.form === "text") return typeof value === "string" ? value : wrong("string");
    if (type.form === "number") return typeof value === "number" ? value : wrong("numeric (int or float)");
    if (type.form === "boolean") return typeof value === "boolean" ? value : wrong("boolean");
    if (type.form === "quantity") {
      return typeof value === "string" ? value : typeof value === "number" ? String(value) : wrong("string");
    }
    if (type.form === "list") {
      if (!Array.isArray(value)) return wrong("list");
      return value.map((item, i) =>
        visit(item, type.of, `${path}[${formatItemKey(item, i, items === "keyed" ? type.keys : [])}]`)
      );
    }
    if ((type.form !== "map" && type.form !== "struct") || !isRecord(value)) return wrong("map");
    const result: Record<string, Json> = {};
    for (const [name, inner] of Object.entries(value)) {
      const of = type.form === "map" ? type.of : type.fields.get(name) ?? type.fields.get("*");
      if (!of) misfits.push({ path: `${path}.${name}`, expected: undefined, value: inner });
      else if (inner !== null) result[name] = visit(inner, of, `${path}.${name}`);
    }
    return result;
  }
}
