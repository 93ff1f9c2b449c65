/** What commands go by that are given on this machine: its configuration, and the clusters of that. */
import { type Config, ConfigError, readProcessConfig } from "#lib/base/config.ts";
import { openLog } from "#lib/base/log.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import { loadCatalog, readCatalog } from "#lib/catalog/load.ts";
import { loadBlueprint } from "#lib/moodle/load.ts";
import { blueprint } from "../blueprints.ts";
import { requireKubeconfig } from "../cluster-watch.ts";
import { type ClusterSource, type OpenClusters, openClusters } from "../clusters.ts";
import { built } from "../release.ts";

/** What names depend on: the variables of serve, or of dev where the database is its own. */
export function readPlace(): Config {
  try {
    readProcessConfig("migrate");
  } catch (error) {
    if (!(error instanceof ConfigError) || built()) throw error;
    return readProcessConfig("dev");
  }
  return readProcessConfig("serve");
}

/** The clusters of the configuration; `by` is who asks, for their own logs. */
export async function openConfigured(
  config: Config,
  by: string,
): Promise<{ readonly clusters: OpenClusters; readonly catalog: Catalog }> {
  const source: ClusterSource = config.kubeconfig ? { file: config.kubeconfig } : "in-cluster";
  await requireKubeconfig(source);
  const log = openLog({ level: "error", format: "pretty", write: (line) => process.stderr.write(line) });
  const catalog = loadCatalog(await readCatalog(config.catalog), await loadBlueprint(blueprint, config.blueprintDir));
  return { clusters: openClusters(source, { catalog, role: config.clusterRole, log }, by), catalog };
}
