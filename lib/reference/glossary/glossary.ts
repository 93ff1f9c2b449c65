/**
 * Looks up the descriptions and examples of API fields by name. The texts are in separate files, so that the files that
 * define the fields stay short. A test finds fields without a description.
 */
import { AVAILABILITY_FIELD_ENTRIES } from "#lib/reference/glossary/availability.ts";
import { BILLING_FIELD_ENTRIES } from "#lib/reference/glossary/billing.ts";
import type { GlossaryEntry } from "#lib/reference/glossary/entry.ts";
import { OPERATION_FIELD_ENTRIES } from "#lib/reference/glossary/operations.ts";
import { POLICY_FIELD_ENTRIES } from "#lib/reference/glossary/policies.ts";
import { OVERVIEW_FIELD_ENTRIES } from "#lib/reference/glossary/overview.ts";
import { RECORD_FIELD_ENTRIES } from "#lib/reference/glossary/records.ts";
import { RESOURCE_FIELD_ENTRIES } from "#lib/reference/glossary/resources.ts";
import { ROLLOUT_FIELD_ENTRIES } from "#lib/reference/glossary/rollouts.ts";
import { TIER_FIELD_ENTRIES } from "#lib/reference/glossary/tiers.ts";
import { USAGE_FIELD_ENTRIES } from "#lib/reference/glossary/usage.ts";
import type { DescribedValue } from "#lib/model/field.ts";
import { ACTION_PARAMETERS } from "#lib/operations/table.ts";
import { hubFields } from "#lib/model/hub.ts";
import { spokeFields } from "#lib/model/spoke.ts";

/** All glossary entries as pairs of key and entry. An entry with several keys is repeated for each key. */
export const GLOSSARY_ENTRIES: readonly (readonly [key: string, entry: GlossaryEntry])[] = [
  RESOURCE_FIELD_ENTRIES,
  OPERATION_FIELD_ENTRIES,
  RECORD_FIELD_ENTRIES,
  BILLING_FIELD_ENTRIES,
  ROLLOUT_FIELD_ENTRIES,
  AVAILABILITY_FIELD_ENTRIES,
  USAGE_FIELD_ENTRIES,
  POLICY_FIELD_ENTRIES,
  OVERVIEW_FIELD_ENTRIES,
  TIER_FIELD_ENTRIES,
].flatMap((entries) =>
  Object.entries(entries).flatMap(([keys, entry]) =>
    keys.split(" | ").map((key) => [key, typeof entry === "string" ? [entry] as const : entry] as const)
  )
);
const GLOSSARY = new Map(GLOSSARY_ENTRIES);

/** Returns the description of an API field; null if missing. `owner` is the schema or field that contains the field. */
export function findFieldDescription(owner: string, name: string): string | null {
  return entryOf(owner, name)?.[0] ?? null;
}

/** Returns an example value for an API field; undefined if the glossary has none, as the schema then provides it. */
export function findFieldExample(owner: string, name: string): unknown {
  return entryOf(owner, name)?.[1];
}

function entryOf(owner: string, name: string): GlossaryEntry | undefined {
  return GLOSSARY.get(`${owner}.${name}`) ?? modelEntry(owner, name) ?? GLOSSARY.get(name);
}

/** The schemas whose fields `lib/model` declares. The key `spoke` is the spoke in a preview. */
const MODELS = new Map<string, Readonly<Record<string, DescribedValue>>>([
  ...[
    "Federation",
    "ChangedFederation",
    "FederationPatch",
    "FederationRequest",
    "NewFederation",
    "NewFederationRequest",
    "Approval",
  ]
    .map((owner) => [owner, hubFields] as const),
  ...["Spoke", "spoke", "NewSpoke", "SpokePatch"].map((owner) => [owner, spokeFields] as const),
  ...["SpokeAction", "BulkAction", "NewRollout"].map((owner) => [owner, ACTION_PARAMETERS] as const),
]);

function modelEntry(owner: string, name: string): GlossaryEntry | undefined {
  const fields = MODELS.get(owner), field = fields && Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (!field) return undefined;
  const namesCatalog = field.catalogued && !field.hint.includes("catalog");
  return [namesCatalog ? `${field.hint}; a name from the catalog` : field.hint, field.example];
}
