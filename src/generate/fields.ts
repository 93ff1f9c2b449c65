/** Generates field declarations for the command line, which does not load the schema library, to start faster. */
import type { ActionDeclaration } from "#lib/operations/operation.ts";
import { type DescribedValue, type Fields, fieldsWith, findChoices } from "#lib/model/field.ts";

/** Returns the source of a module that has a constant for each named set of fields. */
export function renderFieldsModule(
  sets: Readonly<Record<string, Fields>>,
  actions: Readonly<Record<string, ActionDeclaration>>,
): string {
  const constants = Object.entries(sets).map(([name, fields]) => {
    const entries = fieldsWith(fields, "shown").map((field) => {
      const { settable, changeable } = fields[field]!;
      return `  ${field}: {\n${linesOf({ ...traitsOf(fields[field]!), settable, changeable }, "    ")}  },\n`;
    });
    return `export const ${name} = {\n${entries.join("")}} as const;\n`;
  });
  const entries = Object.entries(actions).map(([name, { summary, parameters = {} }]) => {
    const values = Object.entries(parameters).map(([parameter, declared]) => {
      const traits = { ...traitsOf(declared), required: declared.required, example: declared.example };
      return `      ${parameter}: {\n${linesOf(traits, "        ")}      },\n`;
    });
    const line = `  ${JSON.stringify(name)}: { summary: ${JSON.stringify(summary)}, parameters: {} },\n`;
    if (values.length === 0 && line.length <= LINE_LENGTH + 1) return line;
    const listed = values.length > 0 ? `{\n${values.join("")}    }` : "{}";
    return `  ${JSON.stringify(name)}: {\n    summary: ${JSON.stringify(summary)},\n    parameters: ${listed},\n  },\n`;
  });
  return `${constants.join("\n")}\nexport const ACTION_DECLARATIONS = {\n${entries.join("")}} as const;\n`;
}

/** The length of a line in characters, as the formatter has it. */
const LINE_LENGTH = 120;

function traitsOf({ schema, label, hint, catalogued }: DescribedValue): Readonly<Record<string, unknown>> {
  const type = schema.type === "boolean" ? "boolean" : "string";
  return { label, hint, type, choices: findChoices(schema), catalogued };
}

/** Returns a line for each trait that is not false or null. */
function linesOf(traits: Readonly<Record<string, unknown>>, indent: string): string {
  return Object.entries(traits).filter(([, value]) => value)
    .map(([trait, value]) => `${indent}${trait}: ${literalOf(value)},\n`).join("");
}

function literalOf(value: unknown): string {
  if (!Array.isArray(value)) return JSON.stringify(value);
  const line = `[${value.map((each) => JSON.stringify(each)).join(", ")}]`;
  return line.length <= 100 ? line : `[\n${value.map((each) => `      ${JSON.stringify(each)},\n`).join("")}    ]`;
}
