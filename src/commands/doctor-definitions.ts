/** Reads the configuration, blueprint and catalog for `wheelwright doctor`. */
import { type Blueprint, loadBlueprint } from "#lib/moodle/blueprint.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import { listCreatedClusterIssuerNames } from "#lib/catalog/inputs.ts";
import { loadCatalog, readCatalog } from "#lib/catalog/load.ts";
import { requireChargeablePrices } from "#lib/catalog/prices.ts";
import { type Config, ConfigError, readProcessConfig } from "#lib/base/config.ts";
import { createFailure, type Finding } from "#lib/doctor/finding.ts";
import { loadSignInProviders, type ProviderSettings } from "#lib/openid/load.ts";
import { blueprint } from "../blueprints.ts";
import { findBuildInfo } from "../release.ts";

interface DoctorDefinitions {
  readonly config: Config;
  readonly blueprint: Blueprint;
  readonly catalog: Catalog;
  readonly providers: readonly ProviderSettings[];
}

/** Returns the names of the ClusterIssuers that this configuration creates, or none if the configuration is invalid. */
export async function readIssuers(): Promise<readonly string[]> {
  const config = await collect([], () => readProcessConfig("serve")) ??
    await collect([], () => readProcessConfig("dev"));
  const issuers = config && await collect([], async () => {
    const loaded = await loadBlueprint(blueprint, config.blueprintDir);
    return listCreatedClusterIssuerNames(loadCatalog(await readCatalog(config.catalog), loaded), config);
  });
  return issuers ?? [];
}

/** Returns the configuration, blueprint and catalog. If any of them is invalid, returns the errors in all three. */
export async function readDefinitions(): Promise<DoctorDefinitions | Finding[]> {
  const problems: string[] = [];
  const config = await collect(problems, () => readProcessConfig("serve"));
  const readable = config ?? await collect([], () => readProcessConfig("dev"));
  const definitions = readable && await collect(problems, async () => {
    const loaded = await loadBlueprint(blueprint, readable.blueprintDir);
    const catalog = loadCatalog(await readCatalog(readable.catalog), loaded);
    if (readable.stripe) requireChargeablePrices(catalog);
    return { blueprint: loaded, catalog };
  });
  const providers = readable && await collect(problems, () => loadSignInProviders(readable.signInProviders));
  if (config && definitions && providers) return { config, ...definitions, providers };
  const hint =
    "To try Wheelwright without any configuration, run wheelwright dev, which includes a database and a cluster.";
  return problems.map((problem) =>
    problem.startsWith("DATABASE_URL is missing") && !findBuildInfo()
      ? createFailure("variables", problem, hint)
      : createFailure("variables", problem)
  );
}

/** Returns what `load` returns. If the configuration is invalid, adds its problems to `problems` and returns null. */
async function collect<T>(problems: string[], load: () => T | Promise<T>): Promise<T | null> {
  try {
    return await load();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(...error.problems);
    return null;
  }
}
