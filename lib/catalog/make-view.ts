/** Makes the view of a catalogue once, at the start. */
import type { CatalogFile } from "#lib/catalog/file.ts";
import type { OfferedSize, OfferedVersion } from "#lib/catalog/offers.ts";
import type { CatalogView } from "#lib/catalog/view.ts";

const SECTIONS = ["regions", "tiers", "modes", "contentModes", "brands", "seeds"] as const;

export function makeView(
  file: CatalogFile,
  versions: readonly OfferedVersion[],
  sizes: readonly OfferedSize[],
  defaults: { readonly size: string; readonly version: string },
): CatalogView {
  const list = (section: (typeof SECTIONS)[number]) =>
    (file[section] ?? []).map(({ name, title }) => ({ name, title: title ?? null }));
  return {
    regions: list("regions"),
    tiers: list("tiers"),
    modes: list("modes"),
    contentModes: list("contentModes"),
    brands: list("brands"),
    seeds: list("seeds"),
    versions: versions.map(({ name, title, preview }) => ({
      name,
      title,
      preview,
      default: name === defaults.version,
    })),
    sizes: sizes.map(({ name, title, resources: { app, database, disks, workers }, price }) => ({
      name,
      title,
      default: name === defaults.size,
      resources: { app, database, disks, workers },
      price,
    })),
    open: [...SECTIONS.filter((section) => file[section] === undefined), ...(file.versions ? [] : ["versions"])],
  };
}
