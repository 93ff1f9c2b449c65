/** Lists the clusters that `wheelwright doctor` checks. */
import type { ProviderSettings } from "#lib/openid/load.ts";
import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import type { Blueprint } from "#lib/moodle/blueprint.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import { findClusterIssuerName, findCreatedClusterIssuerName } from "#lib/catalog/inputs.ts";
import type { Config } from "#lib/base/config.ts";
import type { Migration } from "#lib/drivers/db/compare-schema.ts";
import type { BlueprintRequirements, ClusterTarget } from "#lib/doctor/cluster.ts";
import type { Log } from "#lib/base/log.ts";

export interface DoctorOptions {
  readonly config: Config;
  readonly blueprint: Blueprint;
  readonly catalog: Catalog;
  readonly providers: readonly ProviderSettings[];
  readonly migrations: readonly Migration[];
  /** This program's version, which appears in the cluster's log. */
  readonly version: string;
  /** The region whose cluster to check; null to check all clusters. */
  readonly region: string | null;
  readonly trial: boolean;
  readonly log: Log;
  /** Cancels the checks. The trial's temporary namespace is still deleted. */
  readonly signal: AbortSignal;
  /** Shows the user a message about the progress of the checks. */
  readonly report: (sentence: string) => void;
  /** The time limit for each read, in milliseconds. Defaults to 10 seconds. */
  readonly readTimeout?: number;
  /** How long to wait for pods to start, in milliseconds. Defaults to 3 minutes. */
  readonly podTimeout?: number;
}

/** Returns the clusters to check, each only once: the default cluster and the cluster of each region. */
export async function listClusterTargets(options: DoctorOptions): Promise<ClusterTarget[]> {
  const { catalog, config, region } = options;
  const requirements = new Map<string | null, BlueprintRequirements[]>();
  const regions = catalog.regions.filter(({ name }) => region === null || name === region);
  const contexts = [
    ...(region === null ? [{ name: null, context: null }] : []),
    ...regions.map(({ name, context }) => ({ name, context: context ?? null })),
  ];
  for (const { name, context } of contexts) {
    requirements.set(context, [...requirements.get(context) ?? [], requirementsOf(options, name)]);
  }
  const file = config.kubeconfig;
  const current = await readCurrentContext(file);
  return [...requirements].map(([context, clusterRequirements]) => ({
    name: context ?? "default",
    location: file === null ? "the service account of this pod" : `${file}, context ${context ?? current ?? "unknown"}`,
    kubeconfig: file === null ? "in-cluster" : { file, ...(context === null ? {} : { context }) },
    requirements: clusterRequirements,
  }));
}

function requirementsOf({ catalog, config }: DoctorOptions, region: string | null): BlueprintRequirements {
  const surroundings = catalog.surroundingsOf(region);
  return {
    surroundings,
    issuer: findClusterIssuerName(surroundings, config),
    createdIssuer: findCreatedClusterIssuerName(surroundings, config),
  };
}

/** Returns the kubeconfig's current context, for display. Ignores errors, because a later step reports them. */
async function readCurrentContext(file: string | null): Promise<string | null> {
  if (file === null) return null;
  try {
    const { "current-context": name } = parse(await readFile(file, "utf8")) as Record<string, unknown>;
    return typeof name === "string" ? name : null;
  } catch {
    return null;
  }
}
