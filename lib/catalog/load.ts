/** Loads the catalog from the file named by CATALOG. If CATALOG is not set, uses the blueprint's versions and sizes. */
import { getErrorMessage } from "#lib/base/errors.ts";
import { readTextFile } from "#lib/moodle/read-text-file.ts";
import * as v from "valibot";
import type { Blueprint } from "#lib/moodle/blueprint.ts";
import { formatValidationIssues } from "#lib/moodle/parse-blueprint.ts";
import { isYamlMap } from "#lib/moodle/render.ts";
import { findVersionRequirements, type SpokeImages } from "#lib/moodle/releases.ts";
import { parseYamlDocument } from "#lib/moodle/yaml.ts";
import { MoodleVersion } from "#lib/model/spoke.ts";
import type { Catalog, CatalogField } from "#lib/catalog/catalog.ts";
import { CatalogFile } from "#lib/catalog/file.ts";
import { joinNames, resolveSizes, resolveVersions } from "#lib/catalog/offers.ts";
import { createCatalogContents } from "#lib/catalog/create-view.ts";
import { findUnknownSizes } from "#lib/catalog/tier.ts";
import { ConfigError } from "#lib/base/config.ts";

/** Creates the catalog from a file's text, or from the blueprint if `text` is undefined. Throws a ConfigError. */
export function loadCatalog(text: string | undefined, blueprint: Blueprint): Catalog {
  const file = text === undefined ? {} : parseCatalogFile(text);
  const problems: string[] = [];
  const versions = resolveVersions(file, blueprint, problems);
  const sizes = resolveSizes(file, blueprint, problems);
  const defaultSizeName = file.defaultSize ?? blueprint.sizes.default;
  const size = sizes.find(({ name }) => name === defaultSizeName) ??
    (file.defaultSize === undefined ? sizes[0] : undefined);
  if (!size) {
    problems.push(sizes.length === 0 ? "sizes must not be empty" : `defaultSize must be one of ${joinNames(sizes)}`);
  }
  problems.push(...findUnknownSizes(file.tiers ?? [], sizes.map(({ name }) => name)));
  if (!versions[0]) problems.push("versions must not be empty");
  if (problems.length > 0 || !size || !versions[0]) throw catalogError(problems);

  const sections: Readonly<Record<CatalogField, readonly { readonly name: string }[] | undefined>> = {
    region: file.regions,
    tier: file.tiers,
    mode: file.modes,
    contentMode: file.contentModes,
    brand: file.brands,
    seed: file.seeds,
    size: sizes,
    lmsVersion: file.versions && versions, // undefined allows every version with images in the blueprint
  };
  const findImages = (version: string): SpokeImages | null => {
    const offered = versions.find(({ name }) => name === version)?.images;
    return offered ?? (file.versions ? null : blueprint.findImages(version));
  };
  const defaults = { size: size.name, version: versions[0].name };
  return Object.freeze<Catalog>({
    regions: file.regions ?? [],
    defaults,
    choices: (field) => sections[field]?.map(({ name }) => name) ?? null,
    findProblem(field, value) {
      const entries = sections[field];
      if (entries) return entries.some(({ name }) => name === value) ? null : `must be one of ${joinNames(entries)}`;
      if (field !== "lmsVersion") return null;
      return v.is(MoodleVersion, value) && findImages(value) ? null : `must be a version such as ${defaults.version}`;
    },
    resourcesOf: (name) => requireEntry(sizes.find((each) => each.name === name), `size ${name}`).resources,
    priceOf: (name) => sizes.find((each) => each.name === name)?.price ?? null,
    imagesOf: (version) => requireEntry(findImages(version), `version ${version}`),
    requirementsOf: (version) =>
      versions.find(({ name }) => name === version)?.requirements ?? findVersionRequirements(blueprint.images, version),
    themeOf(brand) {
      const { color, scss } = file.brands?.find(({ name }) => name === brand) ?? {};
      if (color === undefined && scss === undefined) return null;
      return { ...(color === undefined ? {} : { color }), ...(scss === undefined ? {} : { scss }) };
    },
    coursesOf: (seed) => file.seeds?.find(({ name }) => name === seed)?.courses ?? null,
    surroundingsOf: (region) => {
      const overrides = Object.entries(file.regions?.find(({ name }) => name === region)?.cluster ?? {});
      return { ...blueprint.surroundings, ...Object.fromEntries(overrides.filter(([, value]) => value !== undefined)) };
    },
    tierOf: (name) => file.tiers?.find((tier) => tier.name === name),
    tiers: file.tiers ?? [],
    addons: file.addons ?? null,
    webInstaller: file.webInstaller ?? false,
    view: createCatalogContents(file, versions, sizes, defaults),
  });
}

function parseCatalogFile(text: string): CatalogFile {
  const problems: string[] = [];
  const parsed = parseYamlDocument(text, (problem) => problems.push(problem)) ?? {};
  if (problems.length > 0) throw catalogError(problems);
  if (!isYamlMap(parsed)) throw catalogError(["must be a map of sections such as regions, sizes and versions"]);
  const result = v.safeParse(CatalogFile, parsed);
  if (!result.success) throw new ConfigError(formatValidationIssues("CATALOG", result.issues));
  return result.output;
}

function catalogError(problems: readonly string[]): ConfigError {
  return new ConfigError(problems.map((problem) => `CATALOG: ${problem}`));
}

function requireEntry<T>(value: T | null | undefined, description: string): T {
  if (value === null || value === undefined) throw new TypeError(`The catalog has no ${description}`);
  return value;
}

/** Reads the CATALOG file; returns undefined if `path` is null. Throws a ConfigError if the file cannot be read. */
export async function readCatalog(path: string | null): Promise<string | undefined> {
  if (path === null) return undefined;
  try {
    return await readTextFile(path);
  } catch (error) {
    throw new ConfigError([`CATALOG: ${getErrorMessage(error)}`]);
  }
}
