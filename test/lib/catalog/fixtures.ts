/** Columns of a spoke, for tests of blueprint inputs. */
import * as v from "valibot";
import type { Catalog } from "#lib/catalog/catalog.ts";
import type { SpokeInputSource } from "#lib/catalog/inputs.ts";
import { applyDefaults } from "#lib/domains/spokes/defaults.ts";
import { NewSpoke } from "#lib/domains/spokes/views.ts";

export function spokeOf(catalog: Catalog): SpokeInputSource {
  const request = v.parse(NewSpoke, { slug: "biology", displayName: "Biology", lmsVersion: "4.5.12", size: "small" });
  const hub = { id: "fed_06fj2c4v7tq0w1x9n3m8k5r2dg", slug: "science", region: null, tier: null };
  return {
    ...applyDefaults(catalog, hub, "ada@example.org", request),
    id: "spk_06fj2c4v7tq0w1x9n3m8k5r2dh",
    federationId: hub.id,
    namespace: "spoke-biology-9n3m8k5r2dh",
    hubTier: null,
    domain: "biology.spokes.example.org",
  };
}
