/** Derives flags, request bodies and lines of output from the declarations of a spoke's fields. */
import type { NewSpoke, Spoke, SpokePatch } from "#lib/client/client.ts";
import { SPOKE_FIELDS } from "#lib/client/fields.ts";
import { createDeclaredFlag, type DeclaredValue, toFlagName } from "./declared-flags.ts";
import type { RecordLine } from "./table.ts";
import type { ParsedArguments, VerbFlags } from "./verb-declaration.ts";

export type SpokeFieldName = keyof typeof SPOKE_FIELDS;

interface DeclaredField extends DeclaredValue {
  readonly settable?: true | "required";
  readonly changeable?: true;
}

const FIELDS: readonly (readonly [SpokeFieldName, DeclaredField])[] = Object.entries(SPOKE_FIELDS) as never;

/** The names of flags whose name differs from the name of the field. */
const FLAG_NAMES: Partial<Record<SpokeFieldName, string>> = { displayName: "name", lmsVersion: "version" };
/** The values' placeholders in the help, for flags whose own name would be a poor placeholder. */
const PLACEHOLDERS: Partial<Record<SpokeFieldName, string>> = { adminEmail: "EMAIL", contentMode: "MODE" };

function flagNameOf(field: SpokeFieldName): string {
  return FLAG_NAMES[field] ?? toFlagName(field);
}

/** Descriptions of the values that the server uses for omitted flags, for the help. */
type Defaults = Partial<Record<SpokeFieldName, string>>;

/** Returns a flag for each field that can be set at creation (`settable`) or changed later (`changeable`). */
export function createSpokeFlags(trait: "settable" | "changeable", defaults: Defaults = {}): VerbFlags {
  return Object.fromEntries(
    optionalFields(trait).map(([name, declared]) => {
      const wording = { placeholder: PLACEHOLDERS[name], standard: defaults[name] };
      return [flagNameOf(name), createDeclaredFlag(declared, wording)];
    }),
  );
}

export function buildNewSpokeBody(flags: ParsedArguments["flags"]): Omit<NewSpoke, "slug"> {
  return valuesOf("settable", flags);
}

export function buildSpokePatchBody(flags: ParsedArguments["flags"]): SpokePatch {
  return valuesOf("changeable", flags);
}

function valuesOf(trait: "settable" | "changeable", flags: ParsedArguments["flags"]): object {
  return Object.fromEntries(optionalFields(trait).map(([name]) => [name, flags[flagNameOf(name)]]));
}

function optionalFields(trait: "settable" | "changeable"): typeof FIELDS {
  return FIELDS.filter(([, field]) => field[trait] === true);
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
