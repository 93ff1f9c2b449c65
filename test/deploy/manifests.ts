/** Writes deploy/kubernetes for installations without Helm: the chart's objects for example values, without Helm's
 * labels.
 *
 *   node test/deploy/manifests.ts --write
 *   node test/deploy/manifests.ts --fresh     fails if a file is out of date */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { renderTemplates, REQUIRED_CHART_VALUES } from "#test/support/chart.ts";
import { helm } from "#test/support/tools.ts";

const PLACE = new URL("../../deploy/kubernetes/", import.meta.url);
const VALUES = {
  ...REQUIRED_CHART_VALUES,
  releaseId: "main",
  ingress: { enabled: true },
  migrations: { existingSecret: "wheelwright-owner" },
  metrics: { serviceMonitor: { enabled: true }, alerts: { enabled: true }, dashboard: { enabled: true } },
};

/** Values with an issuer. The head of the file explains how to remove it. */
const WITH_ISSUER = { ...VALUES, config: { ACME_EMAIL: "ops@example.org" } };

/** The head, the chart's templates and the values of each file. */
const FILES: Readonly<Record<string, readonly [head: string, templates: readonly string[], values?: object]>> = {
  "cluster-role.yaml": [
    `# The service account of Wheelwright and its permissions, for CLUSTER_ROLE=wheelwright-spoke. To use another account,
# change the account's name in the binding and in the policies. Namespaces that were created without CLUSTER_ROLE need
# this binding once, before you set CLUSTER_ROLE:
#
#   kubectl get namespaces -l app.kubernetes.io/managed-by=wheelwright -o name | cut -d/ -f2 | xargs -I{} \\
#     kubectl create rolebinding wheelwright -n {} --clusterrole=wheelwright-spoke --serviceaccount=wheelwright:wheelwright
#
# The policies contain the RELEASE_ID main. To use another RELEASE_ID, replace main in all policies.
#
# Without ACME_EMAIL, or if surroundings.yaml sets an issuer, remove the clusterissuers rule with resourceNames and the
# policy wheelwright-issuers. To use another ingress class or ACME server, change the policy.
#
# Without CLUSTER_ROLE, bind both roles with ClusterRoleBindings and remove the policies.
`,
    ["account.yaml", "cluster-role.yaml", "policies.yaml"],
    WITH_ISSUER,
  ],
  "migrate.yaml": [
    `# Before the first start and before each new release: delete this Job, apply this file again, and wait until the Job is complete.
`,
    ["migrate.yaml"],
  ],
  "wheelwright.yaml": [
    `# Replace registry.example.org, hubs.example.org and spokes.example.org with your own names.
`,
    ["config.yaml", "deployment.yaml", "service.yaml", "ingress.yaml", "availability.yaml", "network.yaml"],
  ],
  "monitoring.yaml": [
    `# Objects for the Prometheus Operator, and for a Grafana that loads dashboards from ConfigMaps.
`,
    ["monitoring.yaml"],
  ],
};

/** Returns the text of each file by name. */
export function renderManifests(): Map<string, string> {
  return new Map(
    Object.entries(FILES).map(([file, [head, names, values = VALUES]]) => {
      const templates = renderTemplates(values);
      const parts = names.map((name) => plain(templates.get(name)!));
      const header =
        "# Generated from the Helm chart by `npm run generate`. docs/kubernetes.md explains how to use this file.\n";
      return [file, `${header}#\n${head}${parts.join("---\n")}`];
    }),
  );
}

/** Removes lines that only Helm needs, and annotations that become empty. */
function plain(text: string): string {
  const lines = text.split("\n").filter((line) =>
    !/^\s*(helm\.sh\/|checksum\/|app\.kubernetes\.io\/managed-by: Helm$|# Written by )/.test(line)
  );
  const depth = (line = "") => line.search(/\S|$/);
  return lines.filter((line, i) => !/^\s*annotations:$/.test(line) || depth(lines[i + 1]) > depth(line)).join("\n");
}

/** Returns the names of files that differ from the current output. */
export async function findStaleManifests(): Promise<string[]> {
  const stale: string[] = [];
  for (const [file, text] of renderManifests()) {
    if (await readFile(new URL(file, PLACE), "utf8").catch(() => null) !== text) stale.push(file);
  }
  return stale;
}

async function main([how]: readonly string[]): Promise<number> {
  if (helm === null) {
    process.stderr.write("Skipped deploy/kubernetes: helm is not installed. Run: npm run generate -- tools\n");
    return 0;
  }
  const stale = await findStaleManifests();
  if (how === "--fresh") {
    if (stale.length > 0) {
      process.stderr.write(`Out of date in deploy/kubernetes: ${stale.join(", ")}. Run: npm run generate\n`);
    }
    return stale.length > 0 ? 1 : 0;
  }
  const texts = renderManifests();
  for (const file of stale) await writeFile(new URL(file, PLACE), texts.get(file)!);
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main(process.argv.slice(2)).then((status) => process.exitCode = status);
}
