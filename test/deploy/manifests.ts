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
    `# The account of Wheelwright and its rights, for CLUSTER_ROLE=wheelwright-spoke. For another account, or one of outside of
# the cluster, change its name in the binding and in the policies. Namespaces that were made without CLUSTER_ROLE need the
# binding once, before CLUSTER_ROLE is set:
#
#   kubectl get namespaces -l app.kubernetes.io/managed-by=wheelwright -o name | cut -d/ -f2 | xargs -I{} \\
#     kubectl create rolebinding wheelwright -n {} --clusterrole=wheelwright-spoke --serviceaccount=wheelwright:wheelwright
#
# RELEASE_ID is part of the names that the policies allow: with another one than main, change it in all of them.
#
# Without ACME_EMAIL, or where surroundings.yaml names an issuer, leave out the rule on clusterissuers with resourceNames, and
# the policy wheelwright-issuers. With another ingress class or ACME server, change them there.
#
# Without CLUSTER_ROLE bind both roles by a ClusterRoleBinding each, and leave the policies out.
`,
    ["account.yaml", "cluster-role.yaml", "policies.yaml"],
    WITH_ISSUER,
  ],
  "migrate.yaml": [
    `# First, and before each new release: kubectl delete this Job, apply it anew, and wait until it is complete.
`,
    ["migrate.yaml"],
  ],
  "wheelwright.yaml": [
    `# Put your own names in place of registry.example.org, hubs.example.org and spokes.example.org.
`,
    ["config.yaml", "deployment.yaml", "service.yaml", "ingress.yaml", "availability.yaml", "network.yaml"],
  ],
  "monitoring.yaml": [
    `# For the operator of Prometheus, and for a Grafana that collects ConfigMaps.
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
      const made = "# Made of the chart by `npm run generate`; docs/kubernetes.md says what to do with it.\n";
      return [file, `${made}#\n${head}${parts.join("---\n")}`];
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
    process.stderr.write("deploy/kubernetes was left as it is: there is no helm, npm run tools fetches one\n");
    return 0;
  }
  const stale = await findStaleManifests();
  if (how === "--fresh") {
    if (stale.length > 0) {
      process.stderr.write(`Stale in deploy/kubernetes: ${stale.join(", ")}; run npm run generate\n`);
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
