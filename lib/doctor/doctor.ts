/**
 * Checks the configuration, database, clusters and external services for `wheelwright doctor`. First reads all facts in
 * parallel, with a time limit for each read. Pure functions then turn the facts into findings.
 */
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";
import { openDnsClient } from "#lib/drivers/dns/dns.ts";
import { type ClusterCheckOptions, runClusterChecks } from "#lib/doctor/cluster.ts";
import { readAndCheckDatabase } from "#lib/doctor/examine-database.ts";
import { formatCount, formatList } from "#lib/base/text.ts";
import { createPass, type Finding, type FindingSection } from "#lib/doctor/finding.ts";
import { checkPublicUrl, checkTrustedProxies } from "#lib/doctor/check-access.ts";
import { checkSignInProviders } from "#lib/doctor/check-providers.ts";
import { checkMetricsPort } from "#lib/doctor/metrics-port.ts";
import { createReadWithTimeout, READ_TIMEOUT } from "#lib/doctor/timed-read.ts";
import { checkDomain, checkMail, checkMailRelay, checkPayments } from "#lib/doctor/external-services.ts";
import { POD_START_TIMEOUT, type TrialOptions } from "#lib/doctor/trial.ts";
import { type DoctorOptions, listClusterTargets } from "#lib/doctor/cluster-targets.ts";

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
      checkDomain(config.rootDomain, timedRead, openDnsClient(config.dnsServers).addresses),
      checkMail(config.smtp, timedRead),
      checkMailRelay(config.relay),
      checkPayments(config.stripe, timedRead),
      checkSignInProviders(options.providers, timedRead),
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
