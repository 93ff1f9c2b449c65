/** Reads the configuration for server commands, and creates clients for the configured clusters. */
import { type Config, ConfigError, readProcessConfig } from "#lib/base/config.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import { loadCatalog, readCatalog } from "#lib/catalog/load.ts";
import { loadBlueprint } from "#lib/moodle/blueprint.ts";
import { blueprint } from "../blueprints.ts";
import { requireKubeconfig } from "../cluster-watch.ts";
import { type ClusterConnections, type ClusterConnectionSource, openClusterConnections } from "../clusters.ts";
import { UsageError } from "../cli/exit-status.ts";
import { findBuildInfo } from "../release.ts";
import { createErrorLog } from "./error-log.ts";

/** Returns the configuration for `wheelwright serve`, or for `wheelwright dev` if no database is configured. */
export function readCommandConfig(): Config {
  try {
    readProcessConfig("migrate");
  } catch (error) {
    if (!(error instanceof ConfigError) || findBuildInfo()) throw error;
    return readProcessConfig("dev");
  }
  return readProcessConfig("serve");
}

/** Loads the catalog and creates clients for its clusters. `by`, the command's name, is part of their User-Agent. */
export async function connectConfiguredClusters(
  config: Config,
  by: string,
): Promise<{ readonly clusters: ClusterConnections; readonly catalog: Catalog }> {
  const source: ClusterConnectionSource = config.kubeconfig ? { file: config.kubeconfig } : "in-cluster";
  await requireKubeconfig(source);
  const log = createErrorLog();
  const catalog = loadCatalog(await readCatalog(config.catalog), await loadBlueprint(blueprint, config.blueprintDir));
  return { clusters: openClusterConnections(source, { catalog, role: config.clusterRole, log }, by), catalog };
}

/** Checks that the catalog contains the region named on the command line. */
export function requireRegion({ regions }: Catalog, name: string): string {
  const names = regions.map((region) => region.name);
  if (names.includes(name)) return name;
  const choices = names.length > 0 ? `Regions in the catalog: ${names.join(", ")}` : "The catalog defines no regions";
  throw new UsageError(`Unknown region "${name}". ${choices}`);
}
