/** Resolves the catalog's versions and sizes. The blueprint provides any values that the CATALOG file omits. */
import type { Blueprint } from "#lib/moodle/blueprint.ts";
import {
  buildSampleSpokeInputs,
  findVersionRequirements,
  listOfferedVersions,
  type SpokeImages,
  toVersionRequirements,
  type VersionRequirements,
} from "#lib/moodle/releases.ts";
import type { QuotaUsage } from "#lib/moodle/quota.ts";
import { compareVersions, type SiteSize } from "#lib/moodle/sizes.ts";
import type { Price } from "#lib/catalog/catalog.ts";
import type { CatalogFile } from "#lib/catalog/file.ts";

export interface OfferedVersion {
  readonly name: string;
  readonly title: string | null;
  readonly preview: boolean;
  readonly images: SpokeImages;
  readonly requirements: VersionRequirements;
}

export interface OfferedSize {
  readonly name: string;
  readonly title: string | null;
  readonly resources: SiteSize;
  /** The resource quota for the namespace of a site with this size. */
  readonly quota: QuotaUsage["quota"];
  readonly price: Price | null;
}

export function resolveVersions(file: CatalogFile, blueprint: Blueprint, problems: string[]): OfferedVersion[] {
  const entries: NonNullable<CatalogFile["versions"]> = file.versions ??
    listOfferedVersions(blueprint.images).map((name) => ({ name }));
  const versions = entries.flatMap((entry): OfferedVersion[] => {
    const listedRelease = entry.release;
    const release = listedRelease ?? blueprint.images.versions[entry.name];
    const images = listedRelease
      ? { moodle: listedRelease.image, postgres: blueprint.images.postgres, fpmDirectory: listedRelease.fpmDirectory }
      : blueprint.findImages(entry.name);
    if (!images) problems.push(`versions: ${entry.name} needs a release: the blueprint has no image for this version`);
    const needs = listedRelease
      ? toVersionRequirements(listedRelease)
      : findVersionRequirements(blueprint.images, entry.name);
    const { name, title = null } = entry;
    return images ? [{ name, title, preview: release?.preview ?? false, images, requirements: needs }] : [];
  });
  return versions.sort((a, b) => Number(a.preview) - Number(b.preview) || compareVersions(b.name, a.name));
}

export function resolveSizes(file: CatalogFile, blueprint: Blueprint, problems: string[]): OfferedSize[] {
  const builtIn = blueprint.sizes.sizes;
  if (!file.sizes) {
    return Object.entries(builtIn).map(([name, resources]) => {
      const { quota } = blueprint.quotaUsage(buildSampleSpokeInputs(blueprint, name, resources));
      return { name, title: null, resources, quota, price: null };
    });
  }
  return file.sizes.flatMap((entry): OfferedSize[] => {
    const resources = entry.resources ?? (Object.hasOwn(builtIn, entry.name) ? builtIn[entry.name] : undefined);
    if (!resources) {
      problems.push(`sizes: ${entry.name} needs resources: the blueprint only has ${joinNames(Object.keys(builtIn))}`);
      return [];
    }
    const { problems: over, quota } = blueprint.quotaUsage(buildSampleSpokeInputs(blueprint, entry.name, resources));
    problems.push(...over.map((sentence) => `sizes: ${entry.name}: ${sentence}`));
    return [{ name: entry.name, title: entry.title ?? null, resources, quota, price: entry.price ?? null }];
  });
}

export function joinNames(list: readonly (string | { readonly name: string })[]): string {
  return list.map((each) => typeof each === "string" ? each : each.name).join(", ");
}
