/** Simulates `curl` from a pod to a site's Service: prints the site's HTTP status or curl's error message. */
import { getLoginPageStatus } from "#lib/dev/simulator/programs/moodle/page.ts";
import { getSimulatedSite, isUpgradePending, listServicePods } from "#lib/dev/simulator/programs/moodle/site.ts";
import { canPodConnect } from "#lib/dev/simulator/programs/network.ts";
import type { ProgramContext, ProgramRun } from "#lib/dev/simulator/programs/program.ts";
import { readConfigData } from "#lib/dev/simulator/programs/environment.ts";

const UNRESOLVED = 6, REFUSED = 7, HTTP_ERROR = 22, TIMED_OUT = 28; // curl's exit codes

export function runCurl({ world, pod, container }: ProgramContext): ProgramRun {
  const namespace = pod.metadata.namespace!;
  const words: string[] = [...container.command ?? [], ...container.args ?? []].flatMap((word: string) =>
    /^(sh|bash)$|^-c$/.test(word) ? [] : [word]
  );
  const text = words.join(" ");
  const [, host = "", path = "/"] = /https?:\/\/([\w.-]+)(?::\d+)?(\/[^\s"']*)?/.exec(text) ?? [];
  const writesCode = text.includes("%{http_code}");
  const failed = (exit: number, why: string): ProgramRun => ({
    lines: [...(writesCode ? ["000"] : []), `curl: (${exit}) ${why}`],
    exit,
  });
  const [name = "", space = namespace] = host.split(".");
  const service = world.store.get("Service", space, name);
  if (!service) return failed(UNRESOLVED, `Could not resolve host: ${host}`);
  const pods = listServicePods(world, space, name);
  if (pods.length > 0 && !pods.some((each) => canPodConnect(world, pod, each, service.spec.ports[0].targetPort))) {
    return failed(TIMED_OUT, `Failed to connect to ${host} port 80 after 20001 ms: Timeout was reached`);
  }
  if (pods.length === 0) {
    return failed(REFUSED, `Failed to connect to ${host} port 80 after 0 ms: Couldn't connect to server`);
  }
  const { database, files } = getSimulatedSite(world, space);
  // Assumes that Moodle redirects to its upgrade page only if the pending upgrade is to another branch.
  const redirectsToUpgrade = isUpgradePending(database, files) &&
    branchOf(database!.config!.release) !== branchOf(files.code);
  const page = getLoginPageStatus(world, pods[0]!);
  if (page === null) return failed(TIMED_OUT, "Operation timed out after 20001 milliseconds with 0 bytes received");
  const status = redirectsToUpgrade && files.maintenance !== true
    ? 303
    : statusOfPath(page, path, text, files.wwwroot ?? readSiteHost(world, space));
  const expectedStatus = /\b(\d{3})\) exit 0/.exec(text)?.[1];
  if (expectedStatus !== undefined) { // a script that retries until this status, or until another status twice
    const met = String(status) === expectedStatus;
    return { lines: met ? [expectedStatus] : [String(status), String(status)], exit: met ? 0 : 1 };
  }
  const failing = status >= 400 && /(^| )(-\w*f\w*|--fail)( |$)/.test(text);
  const lines = [
    ...(writesCode ? [String(status)] : []),
    ...(failing ? [`curl: (${HTTP_ERROR}) The requested URL returned error: ${status}`] : []),
  ];
  return { lines, exit: failing ? HTTP_ERROR : 0 };
}

/** Returns the site's HTTP status for a path: a redirect (303) if the Host header is not the site's host name. */
function statusOfPath(page: number, path: string, text: string, root: string): number {
  if (path.startsWith("/fpm-")) return 404; // available only inside the pod
  if (page !== 200) return page;
  const host = /Host: ?([\w.-]+)/i.exec(text)?.[1];
  if (host !== root) return 303;
  return path.startsWith("/login/index.php") || path === "/" ? 200 : 303;
}

function branchOf(release: string | undefined): string | undefined {
  return /^\d+\.\d+/.exec(release ?? "")?.[0];
}

/** Returns the host name of the site in this namespace, from the ConfigMap `moodle-env`. */
function readSiteHost(world: ProgramContext["world"], namespace: string): string {
  const url = readConfigData(world, namespace, "ConfigMap", "moodle-env")?.SITE_URL ?? "";
  return /\/\/([\w.-]+)/.exec(url)?.[1] ?? "";
}
