/** Derives options, request bodies and output from the declarations of a spoke's fields and of actions' parameters. */
import type { NewSpoke, Spoke, SpokePatch } from "#lib/client/client.ts";
import { SPOKE_FIELDS } from "#lib/client/fields.ts";
import type { OptionDeclaration, OptionDeclarations, ParsedArguments } from "./command.ts";
import type { RecordLine } from "./table.ts";

export type SpokeFieldName = keyof typeof SPOKE_FIELDS;

export interface DeclaredValue {
  readonly hint: string;
  readonly type: "string" | "boolean";
  /** The allowed values, if there is a fixed list. */
  readonly choices?: readonly string[];
  /** The list in the catalog that contains the allowed values. */
  readonly catalogued?: string;
}

interface DeclaredField extends DeclaredValue {
  readonly settable?: true | "required";
  readonly changeable?: true;
}

const FIELDS: readonly (readonly [SpokeFieldName, DeclaredField])[] = Object.entries(SPOKE_FIELDS) as never;

/** The names of options whose name differs from the name of the field. */
const OPTION_NAMES: Partial<Record<SpokeFieldName, string>> = { displayName: "name", lmsVersion: "version" };
/** The values' placeholders in the help, for options whose own name would be a poor placeholder. */
const PLACEHOLDERS: Partial<Record<SpokeFieldName, string>> = { adminEmail: "EMAIL", contentMode: "MODE" };

/** Returns the name of an option in the usual spelling, for example `skip-backup` for `skipBackup`. */
export function toOptionName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Returns an option. `standard` describes the value that the server uses if the option is omitted. */
export function createDeclaredOption(
  { hint, type, choices, catalogued }: DeclaredValue,
  placeholder?: string,
  standard?: string,
): OptionDeclaration {
  const start = /^[A-Z][a-z ]/.test(hint) ? hint[0]!.toLowerCase() : hint[0]!; // CPU stays in upper case
  const source = catalogued ? "; see 'wheelwright catalog'" : "", fallback = standard ? ` (default: ${standard})` : "";
  const value = choices?.join("|") ?? placeholder;
  return { type, help: `${start}${hint.slice(1)}${source}${fallback}`, ...(value !== undefined && { value }) };
}

type Trait = "settable" | "changeable";

/**
 * Returns an option for each field that can be set at creation (`settable`) or changed later (`changeable`). `defaults`
 * describes the values that the server uses for omitted options.
 */
export function createSpokeOptions(
  trait: Trait,
  defaults: Partial<Record<SpokeFieldName, string>> = {},
): OptionDeclarations {
  return Object.fromEntries(
    optionalFields(trait).map(([name, declared]) =>
      [
        optionNameOf(name),
        createDeclaredOption(
          trait === "changeable" ? toSwitch(declared) : declared,
          PLACEHOLDERS[name],
          defaults[name],
        ),
      ] as const
    ),
  );
}

export function buildNewSpokeBody(options: ParsedArguments["options"]): Omit<NewSpoke, "slug"> {
  return valuesOf("settable", options);
}

export function buildSpokePatchBody(options: ParsedArguments["options"]): SpokePatch {
  return valuesOf("changeable", options);
}

function valuesOf(trait: Trait, options: ParsedArguments["options"]): object {
  return Object.fromEntries(
    optionalFields(trait).map(([name, { type }]) => {
      const value = options[optionNameOf(name)];
      return [name, type === "boolean" && typeof value === "string" ? value === SWITCH[0] : value];
    }),
  );
}

const SWITCH = ["on", "off"] as const;

/** Returns the declaration of an option that can turn a field on and off. A boolean option could only turn it on. */
function toSwitch(declared: DeclaredField): DeclaredValue {
  return declared.type === "boolean" ? { ...declared, type: "string", choices: SWITCH } : declared;
}

function optionalFields(trait: Trait): typeof FIELDS {
  return FIELDS.filter(([, field]) => field[trait] === true);
}

function optionNameOf(field: SpokeFieldName): string {
  return OPTION_NAMES[field] ?? toOptionName(field);
}

/**
 * Returns a spoke's lines of output. Each entry in `lines` is a field's name or a finished line. `covered` names the
 * fields that the finished lines show. All remaining fields follow at the end, so that a new field is never missing.
 */
export function formatSpokeFields(
  spoke: Pick<Spoke, SpokeFieldName>,
  lines: readonly (SpokeFieldName | RecordLine)[],
  covered: readonly SpokeFieldName[],
): readonly RecordLine[] {
  const rest = FIELDS.map(([name]) => name).filter((name) => !lines.includes(name) && !covered.includes(name));
  return [...lines, ...rest].map((line) =>
    typeof line === "string" ? [SPOKE_FIELDS[line].label.toLowerCase(), spoke[line]] as const : line
  );
}
