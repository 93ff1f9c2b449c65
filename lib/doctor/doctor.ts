/**
 * Checks that everything is available that `serve` and its spokes need.
 * Reading facts (database, surroundings, cluster and trial) is separate from checking them, which is pure. All targets
 * are read at the same time, each with its own time limit, so a hanging target delays no other.
 */
import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import type { Blueprint } from "#lib/moodle/blueprint.ts";
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import { createdIssuerName, issuerNameOf } from "#lib/catalog/inputs.ts";
import type { Config } from "#lib/base/config.ts";
import type { Migration } from "#lib/drivers/db/compare-schema.ts";
import { type Dns, openDns } from "#lib/drivers/dns/dns.ts";
import {
  type BlueprintNeeds,
  type ClusterExamination,
  type ClusterTarget,
  examineCluster,
} from "#lib/doctor/cluster.ts";
import { examineDatabase } from "#lib/doctor/examine-database.ts";
import { countOf, type Finding, listWords, passing, type Section } from "#lib/doctor/finding.ts";
import { checkPublicUrl, checkTrustedProxies } from "#lib/doctor/check-access.ts";
import { checkMetricsPort } from "#lib/doctor/metrics-port.ts";
import { openTimedRead, READ_TIMEOUT } from "#lib/doctor/timed-read.ts";
import { checkDomain, checkMail, checkPayments, checkRelay } from "#lib/doctor/external-services.ts";
import { TRIAL_TIMEOUT, type TrialOptions } from "#lib/doctor/trial.ts";
import type { Log } from "#lib/base/log.ts";

export interface Examination {
  readonly config: Config;
  readonly blueprint: Blueprint;
  readonly catalog: Catalog;
  readonly migrations: readonly Migration[];
  /** The version of this program. It appears in the cluster's log. */
  readonly version: string;
  /** The region whose cluster is checked; null checks all clusters. */
  readonly region: string | null;
  readonly trial: boolean;
  readonly log: Log;
  /** Cancels the checks. Objects that were created for the trial are still removed. */
  readonly signal: AbortSignal;
  readonly tell: (sentence: string) => void;
  /** Milliseconds for one read (default 10 s), and for pods to start (default 3 minutes). */
  readonly limit?: number;
  readonly patience?: number;
  readonly resolve?: Dns["addresses"];
}

/** Yields the sections in a fixed order, each as soon as it and all earlier ones are complete. */
export async function* examine(examination: Examination): AsyncGenerator<Section> {
  const { config, signal, tell, migrations, limit = READ_TIMEOUT, patience = TRIAL_TIMEOUT } = examination;
  const timedRead = openTimedRead(signal, limit),
    trying: TrialOptions = { signal, timedRead, limit, patience, tell };
  const places = await placesOf(examination);
  const sections: Promise<Section>[] = [
    Promise.resolve(section("configuration", null, [
      checkDefinitions(examination),
      checkPublicUrl(config.publicUrl),
      checkTrustedProxies(config),
    ])),
    examineDatabase(config, migrations, timedRead, limit),
    Promise.all([
      checkDomain(config.rootDomain, timedRead, examination.resolve ?? openDns(config.dnsServers).addresses),
      checkMail(config.smtp, timedRead),
      checkRelay(config.relay),
      checkPayments(config.stripe, timedRead),
      checkMetricsPort(config, timedRead),
    ]).then((findings) => section("surroundings", null, findings.flat())),
    ...places.map((target) => examineCluster(target, planOf(examination), trying)),
  ];
  const settled = Promise.allSettled(sections);
  try {
    for (const each of sections) yield await each;
  } finally {
    await settled; // cancelled sections clean up first
  }
}

function section(target: Section["target"], where: string | null, findings: readonly Finding[]): Section {
  return { target, name: null, where, findings };
}

function checkDefinitions({ config, blueprint, catalog }: Examination): Finding {
  const parts = [config.blueprintDir ? `the blueprint in ${config.blueprintDir}` : "the built-in blueprint"];
  if (config.catalog) parts.push(`the catalogue with ${countOf(catalog.regions.length, "region")}`);
  return passing(
    "variables",
    `all hold, and so ${parts.length > 1 ? "do" : "does"} ${listWords(parts)} (${blueprint.revision})`,
  );
}

/** Plans the trial, with the size that requests the least memory. */
function planOf({ config, blueprint, catalog, trial, version, log }: Examination): ClusterExamination {
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

/** Returns the clusters to check: the default one and those of the regions, each once. */
async function placesOf(examination: Examination): Promise<ClusterTarget[]> {
  const { catalog, config, region } = examination;
  const needs = new Map<string | null, BlueprintNeeds[]>();
  const chosen = catalog.regions.filter(({ name }) => region === null || name === region);
  const all = [
    ...(region === null ? [{ name: null, context: null }] : []),
    ...chosen.map(({ name, context }) => ({ name, context: context ?? null })),
  ];
  for (const { name, context } of all) needs.set(context, [...needs.get(context) ?? [], needOf(examination, name)]);
  const file = config.kubeconfig;
  const current = await currentContext(file);
  return [...needs].map(([context, wanted]) => ({
    name: context ?? "default",
    where: file === null ? "the service account of this pod" : `${file}, context ${context ?? current ?? "not known"}`,
    kubeconfig: file === null ? "in-cluster" : { file, ...(context === null ? {} : { context }) },
    needs: wanted,
  }));
}

function needOf({ catalog, config }: Examination, region: string | null): BlueprintNeeds {
  const surroundings = catalog.surroundingsOf(region);
  return { surroundings, issuer: issuerNameOf(surroundings, config), created: createdIssuerName(surroundings, config) };
}

/** Returns the current context of the kubeconfig, for display. Opening the cluster reports errors of the file. */
async function currentContext(file: string | null): Promise<string | null> {
  if (file === null) return null;
  try {
    const { "current-context": name } = parse(await readFile(file, "utf8")) as Record<string, unknown>;
    return typeof name === "string" ? name : null;
  } catch {
    return null;
  }
}
