/** What a change of words and look makes of what a spoke is made from. Pure. */
import type { SpokeInputs } from "#lib/blueprint/inputs.ts";
import type { SeedPart } from "#lib/blueprint/seed.ts";

/** What of a spoke's inputs can be asked to be other than it is. */
export type Configured = Pick<SpokeInputs, "displayName" | "adminEmail" | "brand">;

export function configuredPart({ displayName, adminEmail, brand }: SpokeInputs): Configured {
  return { displayName, adminEmail, brand };
}

/** What of a site that is set up has to be set anew. */
export function changedParts(before: Configured, after: Configured): SeedPart[] {
  return [
    ...(before.displayName !== after.displayName ? ["title" as const] : []),
    ...(before.adminEmail !== after.adminEmail ? ["administrator" as const] : []),
    ...(before.brand?.name !== after.brand?.name ? ["brand" as const] : []),
  ];
}
