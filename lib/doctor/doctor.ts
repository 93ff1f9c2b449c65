/**
 * Checks the configuration, database, clusters and external services for `wheelwright doctor`. First reads all facts in
 * parallel, with a time limit for each read. Pure functions then turn the facts into findings.
 */
import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import type { Blueprint } from "#lib/moodle/blueprint.ts";
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import { findClusterIssuerName, findCreatedClusterIssuerName } from "#lib/catalog/inputs.ts";
import type { Config } from "#lib/base/config.ts";
import type { Migration } from "#lib/drivers/db/compare-schema.ts";
import { type DnsClient, openDnsClient } from "#lib/drivers/dns/dns.ts";
import {
  type BlueprintRequirements,
  type ClusterCheckOptions,
  type ClusterTarget,
  runClusterChecks,
} from "#lib/doctor/cluster.ts";
import { readAndCheckDatabase } from "#lib/doctor/examine-database.ts";
import { createPass, type Finding, type FindingSection, formatCount, formatList } from "#lib/doctor/finding.ts";
import { checkPublicUrl, checkTrustedProxies } from "#lib/doctor/check-access.ts";
import { checkMetricsPort } from "#lib/doctor/metrics-port.ts";
import { createReadWithTimeout, READ_TIMEOUT } from "#lib/doctor/timed-read.ts";
import { checkDomain, checkMail, checkMailRelay, checkPayments } from "#lib/doctor/external-services.ts";
import { POD_START_TIMEOUT, type TrialOptions } from "#lib/doctor/trial.ts";
import type { Log } from "#lib/base/log.ts";

export interface DoctorOptions {
  readonly config: Config;
  readonly blueprint: Blueprint;
  readonly catalog: Catalog;
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
  readonly resolveAddresses?: DnsClient["addresses"];
}

/** Yields the report's sections in a fixed order, each as soon as it and all earlier sections are complete. */
export async function* runChecks(options: DoctorOptions): AsyncGenerator<FindingSection> {
  const {
    config,
    signal,
    report,
    migrations,
    readTimeout: readTimeout = READ_TIMEOUT,
    podTimeout: podTimeout = POD_START_TIMEOUT,
  } = options;
  const timedRead = createReadWithTimeout(signal, readTimeout),
    trialOptions: TrialOptions = { signal, timedRead, callTimeout: readTimeout, podTimeout, report };
  const clusterTargets = await listClusterTargets(options);
  const sections: Promise<FindingSection>[] = [
    Promise.resolve(createSection("configuration", null, [
      checkDefinitions(options),
      checkPublicUrl(config.publicUrl),
      checkTrustedProxies(config),
    ])),
    readAndCheckDatabase(config, migrations, timedRead, readTimeout),
    Promise.all([
      checkDomain(config.rootDomain, timedRead, options.resolveAddresses ?? openDnsClient(config.dnsServers).addresses),
      checkMail(config.smtp, timedRead),
      checkMailRelay(config.relay),
      checkPayments(config.stripe, timedRead),
      checkMetricsPort(config, timedRead),
    ]).then((findings) => createSection("surroundings", null, findings.flat())),
    ...clusterTargets.map((target) => runClusterChecks(target, planClusterCheck(options), trialOptions)),
  ];
  const allSettled = Promise.allSettled(sections);
  try {
    for (const each of sections) yield await each;
  } finally {
    await allSettled; // cancelled sections clean up first
  }
}

function createSection(
  target: FindingSection["target"],
  where: string | null,
  findings: readonly Finding[],
): FindingSection {
  return { target, name: null, where, findings };
}

function checkDefinitions({ config, blueprint, catalog }: DoctorOptions): Finding {
  const parts = [config.blueprintDir ? `the blueprint in ${config.blueprintDir}` : "the built-in blueprint"];
  if (config.catalog) parts.push(`the catalog with ${formatCount(catalog.regions.length, "region")}`);
  return createPass(
    "variables",
    `all variables are valid, with ${formatList(parts)} (${blueprint.revision})`,
  );
}

/** Builds the options for a cluster's checks. Its test pods use the spoke size that requests the least memory. */
function planClusterCheck({ config, blueprint, catalog, trial, version, log }: DoctorOptions): ClusterCheckOptions {
  const names = catalog.choices("size") ?? Object.keys(blueprint.sizes.sizes);
  const sizes = names.map((size) => ({ size, resources: catalog.resourcesOf(size) }));
  const memory = ({ resources }: (typeof sizes)[number]) => parseQuantity(resources.app.requests.memory);
  const [smallest] = sizes.toSorted((a, b) => memory(a) - memory(b));
  return {
    blueprint,
    images: catalog.imagesOf(catalog.defaults.version),
    ...smallest!,
    trial,
    version,
    role: config.clusterRole,
    release: config.releaseId,
    log,
  };
}

/** Returns the clusters to check, each only once: the default cluster and the cluster of each region. */
async function listClusterTargets(options: DoctorOptions): Promise<ClusterTarget[]> {
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
