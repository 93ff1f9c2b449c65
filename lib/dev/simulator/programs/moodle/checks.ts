/** Simulates the programs that check a site: `curl` to its Service, the Job `setup`, and the script verify-files.php. */
import { canPodConnect, getLoginPageStatus } from "#lib/dev/simulator/programs/network.ts";
import {
  getSimulatedSite,
  isSiteInstalled,
  isUpgradePending,
  listServicePods,
} from "#lib/dev/simulator/programs/moodle/site.ts";
import type { ProgramContext, ProgramRun } from "#lib/dev/simulator/programs/program.ts";
import { readConfigData } from "#lib/dev/simulator/programs/environment.ts";
import { runSeedScript } from "#lib/dev/simulator/programs/moodle/cli.ts";
import { findPasswordError, formatFactLines } from "#lib/dev/simulator/programs/moodle/database.ts";

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

/** Runs facts.php, seed.php, facts.php again and a request to the login page. Stops at the first failure. */
export function runSetupJob(context: ProgramContext): ProgramRun {
  const { world, pod, env } = context;
  const { database } = getSimulatedSite(world, pod.metadata.namespace!, pod);
  const refusal = database ? findPasswordError(database, env.DB_PASS) : "could not connect to server";
  if (!database || refusal) return { lines: [`PHP Warning:  pg_connect(): Unable to connect: ${refusal}`], exit: 1 };
  const facts = formatFactLines(database);
  const { siteidentifier = "" } = database.config ?? {};
  if (!isSiteInstalled(database) || (env.SITE_IDENTIFIER && env.SITE_IDENTIFIER !== siteidentifier)) {
    return { lines: facts, exit: 1 };
  }
  const seed = runSeedScript(context);
  if (seed.exit !== 0) return { ...seed, lines: [...facts, ...seed.lines] };
  const page = runCurl(context);
  return { ...seed, lines: [...facts, ...seed.lines, ...facts, ...page.lines], exit: page.exit, delay: "setup" };
}

export function runFileVerification({ world, pod, env }: ProgramContext): ProgramRun {
  const { database, files } = getSimulatedSite(world, pod.metadata.namespace!, pod);
  const refusal = database ? findPasswordError(database, env.DB_PASS) : "could not connect to server";
  if (!database || refusal) return { lines: [`PHP Warning:  pg_connect(): Unable to connect: ${refusal}`], exit: 1 };
  const { uploads = {}, config = {} } = database,
    existing = files.filedir === undefined ? uploads : files.filedir ?? {};
  const named = Object.entries(uploads);
  const missing = named.filter(([hash]) => existing[hash] === undefined);
  const otherSize = named.filter(([hash, size]) => existing[hash] !== undefined && existing[hash] !== size);
  const code = files.code === undefined
    ? []
    : [`codeversion|${files.code === config["release"] ? config["version"] : 0}`, `coderelease|${files.code}`];
  const facts = {
    files: named.length,
    bytes: named.reduce((sum, [, size]) => sum + size, 0),
    hashed: named.length - missing.length - otherSize.length,
    missing: missing.length,
    othersize: otherSize.length,
    othercontent: 0,
    newer: 0,
    references: 0,
    filedir: files.filedir === null ? 0 : 1,
  };
  const lines = Object.entries(facts).map(([name, value]) => `${name}|${value}`);
  const examples = [...missing, ...otherSize].slice(0, 3).map(([hash]) => `example|${hash}`);
  return { lines: [...code, ...lines, ...examples, "verified"], exit: 0 };
}
