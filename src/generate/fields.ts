/** Generates field declarations for the command line, which does not load the schema library, to start faster. */
import { type Field, type Fields, fieldsWith } from "#lib/model/field.ts";

/** Returns the source of a module that has a constant for each named set of fields. */
export function renderFieldsModule(sets: Readonly<Record<string, Fields>>): string {
  const constants = Object.entries(sets).map(([name, fields]) => {
    const entries = fieldsWith(fields, "shown").map((field) => `  ${field}: {\n${linesOf(fields[field]!)}  },\n`);
    return `export const ${name} = {\n${entries.join("")}} as const;\n`;
  });
  return constants.join("\n");
}

function linesOf({ schema, label, hint, settable, changeable, catalogued }: Field): string {
  const type = schema.type === "boolean" ? "boolean" : "string";
  const choices = (schema as { readonly options?: readonly string[] }).options ?? null;
  const traits = { label, hint, type, choices, settable, changeable, catalogued };
  return Object.entries(traits).filter(([, value]) => value)
    .map(([trait, value]) => `    ${trait}: ${literalOf(value)},\n`).join("");
}

function literalOf(value: unknown): string {
  if (!Array.isArray(value)) return JSON.stringify(value);
  const line = `[${value.map((each) => JSON.stringify(each)).join(", ")}]`;
  return line.length <= 100 ? line : `[\n${value.map((each) => `      ${JSON.stringify(each)},\n`).join("")}    ]`;
}
