/**
 * Simulates addons.php, which installs, upgrades and removes add-ons. It downloads nothing: words in an add-on's URL stand
 * for its mistakes.
 */
import { runScriptOnSite } from "#lib/dev/simulator/programs/moodle/cli.ts";
import {
  getSimulatedSite,
  isUpgradeLocked,
  type SimulatedSite,
  type SiteDatabase,
} from "#lib/dev/simulator/programs/moodle/site.ts";
import type { ProgramContext, ProgramRun } from "#lib/dev/simulator/programs/program.ts";
import { SECOND } from "#lib/base/time.ts";
import type { WantedAddon } from "#lib/model/addon.ts";

/** The reason of a refusal, by a word in the URL. */
const MISTAKES: Readonly<Record<string, string>> = {
  unreachable: "the download failed: curl: (6) Could not resolve host",
  "other-hash": "the downloaded file has another SHA-256 than the catalog",
  "syntax-error": 'PHP Parse error:  syntax error, unexpected token ";" in lib.php on line 3',
  "wrong-branch": "it requires Moodle 2026042000, and the site has 2024100712",
  "needs-another": "it needs mod_other",
};
/** An add-on whose installation fails, and one whose upgrade fails in the middle. */
const FAILING = "upgrade-fails", BREAKING = "upgrade-breaks";
const CAUSE = 'Exception - ERROR: relation "mdl_broken" already exists';

interface Plan {
  readonly installs: readonly WantedAddon[];
  readonly upgrades: readonly WantedAddon[];
  readonly removes: readonly string[];
  readonly lines: readonly string[];
}

export function runAddonsScript(context: ProgramContext): ProgramRun {
  const { world, pod, env } = context, site = getSimulatedSite(world, pod.metadata.namespace!, pod);
  const { addonsAttempt = "0", isChangingAddons = false } = site.files, { FENCE: fence = "0", MODE: mode } = env;
  const failed = (exit: number, ...lines: string[]): ProgramRun => ({ lines, exit, delay: "cli" });
  if (BigInt(addonsAttempt) > BigInt(fence)) {
    return failed(1, `stale: a later attempt has begun after this one, ${fence}`);
  }
  site.changeFiles((files) => ({ ...files, addonsAttempt: fence }));
  const now = world.timers.now();
  if (isUpgradeLocked(site.database, now)) {
    return failed(1, `locked: ${Number(site.database!.config!["upgraderunning"]) - Math.floor(now / SECOND)}`);
  }
  return runScriptOnSite(context, "/var/www/html/config.php", (own) => {
    if (isChangingAddons && mode === "check") {
      return failed(0, "interrupted: an earlier run has begun to change the site");
    }
    const wanted: readonly WantedAddon[] = JSON.parse(env["ADDONS"]!), plan = planChange(own, wanted);
    const done = () => site.changeFiles((files) => endChange(files, env["MAINTENANCE"] === "on"));
    if (plan.installs.length + plan.upgrades.length + plan.removes.length === 0 && !isChangingAddons) {
      return { lines: [...plan.lines, "unchanged"], exit: 0, delay: "cli", done };
    }
    const refusal = findRefusal([...plan.installs, ...plan.upgrades]);
    if (refusal !== null) return failed(3, `refused: ${refusal}`);
    const lines = [
      ...plan.lines,
      ...plan.installs.map(({ component, version }) => `installs: ${component} ${version}`),
      ...plan.upgrades.map(({ component, version }) => `upgrades: ${component} ${version}`),
      ...plan.removes.map((component) => `removes: ${component}`),
    ];
    if (mode === "check") return failed(0, ...lines, "checked");
    site.changeFiles((files) => ({ ...files, maintenance: true, isChangingAddons: true }));
    const broken = plan.upgrades.find(({ source }) => source.url.includes(BREAKING));
    if (broken) return failed(5, ...lines, `partly: ${broken.component}: ${CAUSE}`);
    const failing = [...plan.installs, ...plan.upgrades].find(({ source }) => source.url.includes(FAILING));
    if (failing) return { lines: [...lines, `restored: ${CAUSE}`], exit: 4, delay: "cli", done };
    return {
      lines: [...lines, "done"],
      exit: 0,
      delay: "cli",
      done() {
        site.changeDatabase((database) => ({ ...database, ...changeDatabase(database, plan, own.files.addons ?? []) }));
        site.changeFiles((files) => ({ ...files, addons: changeDirectories(files.addons ?? [], plan) }));
        done();
      },
    };
  });
}

function planChange(
  { database, files }: SimulatedSite & { database: SiteDatabase },
  wanted: readonly WantedAddon[],
): Plan {
  const { ownAddons = {}, addonVersions = {}, usedAddons = [] } = database, onDisk = readVersions(files.addons ?? []);
  const versionOf = (component: string) => addonVersions[component] ?? onDisk[component];
  const newer = wanted.filter(({ component, version }) => (versionOf(component) ?? 0) > version);
  const changed = wanted.filter((addon) =>
    !newer.includes(addon) &&
    (versionOf(addon.component) !== addon.version || onDisk[addon.component] !== addon.version)
  );
  const unwanted = Object.keys(ownAddons).filter((name) => !wanted.some(({ component }) => component === name));
  return {
    installs: changed.filter(({ component }) => versionOf(component) === undefined),
    upgrades: changed.filter(({ component }) => versionOf(component) !== undefined),
    removes: unwanted.filter((component) => !usedAddons.includes(component)),
    lines: [
      ...newer.map(({ component }) => `left out: ${component}: the site has the newer version ${versionOf(component)}`),
      ...unwanted.filter((component) => usedAddons.includes(component))
        .map((component) => `left out: ${component} is not removed, because 2 activities use it`),
    ],
  };
}

function findRefusal(addons: readonly WantedAddon[]): string | null {
  for (const { component, source } of addons) {
    const found = Object.keys(MISTAKES).find((word) => source.url.includes(word));
    if (found !== undefined) return `${component}: ${MISTAKES[found]}`;
  }
  return null;
}

function readVersions(addons: readonly string[]): Record<string, number> {
  return Object.fromEntries(addons.map((text) => text.split(" ")).map(([name, version]) => [name, Number(version)]));
}

function changeDirectories(addons: readonly string[], { installs, upgrades, removes }: Plan): string[] {
  const changed = [...installs, ...upgrades];
  const gone = new Set([...removes, ...changed.map(({ component }) => component)]);
  return [
    ...addons.filter((text) => !gone.has(text.split(" ")[0]!)),
    ...changed.map(({ component, version }) => `${component} ${version}`),
  ].sort();
}

/** An add-on that somebody else has installed is upgraded, but not recorded. */
function changeDatabase(database: SiteDatabase, { installs, upgrades, removes }: Plan, onDisk: readonly string[]) {
  const present = readVersions(onDisk), changed = [...installs, ...upgrades];
  const versions = changed.map(({ component, version }) => [component, version] as const);
  const without = (values: Readonly<Record<string, number>> = {}) =>
    Object.entries(values).filter(([component]) => !removes.includes(component));
  return {
    addonVersions: Object.fromEntries([...without(database.addonVersions), ...versions]),
    ownAddons: Object.fromEntries([
      ...without(database.ownAddons),
      ...installs.filter(({ component }) => present[component] === undefined)
        .map(({ component, version }) => [component, version] as const),
    ]),
  };
}

function endChange(
  { isChangingAddons: _, maintenance, ...files }: SimulatedSite["files"],
  staysInMaintenance: boolean,
): SimulatedSite["files"] {
  return { ...files, ...(staysInMaintenance && maintenance && { maintenance }) };
}
