/** Checks which options of `wheelwright restore` can be combined. */
import * as v from "valibot";
import { HostName, Slug } from "#lib/base/schema.ts";
import type { RESTORE_OPTIONS } from "./options.ts";
import type { OptionValues } from "../cli/command.ts";

export type RestoreOptions = OptionValues<typeof RESTORE_OPTIONS>;

export function findUsageProblem(name: string | undefined, options: RestoreOptions): string | null {
  const { backup, back, as, domain, list, "dry-run": dryRun, "new-cluster": newCluster, all, hub } = options;
  if (options.rollout !== undefined || options.wave !== undefined) return findRolloutProblem(name, options);
  if (options.library) return findLibraryProblem(name, options);
  if (newCluster || all || hub !== undefined) return findNewClusterProblem(name, options);
  if (name === undefined) return "wheelwright restore needs a SPOKE: an ID, HUB/SLUG or domain";
  if (back && (backup ?? as ?? domain) !== undefined) {
    return "--back cannot be combined with --backup, --as or --domain";
  }
  if (list && (backup ?? as ?? domain ?? back ?? dryRun) !== undefined) {
    return "--list cannot be combined with other options";
  }
  const [of, slug, ...more] = as?.split("/") ?? ["hub", "slug"];
  if (!of || !v.is(Slug, slug) || more.length > 0) return `--as must be HUB/SLUG, not "${as}"`;
  const wrong = domain === undefined ? undefined : v.safeParse(HostName, domain).issues?.[0].message;
  return wrong === undefined ? null : `--domain ${wrong}, not "${domain}"`;
}

function findRolloutProblem(name: string | undefined, { rollout, ...options }: RestoreOptions): string | null {
  if (rollout === undefined) return "--wave requires --rollout";
  const others = Object.keys(options).filter((option) => !["wave", "dry-run", "yes", "no-wait"].includes(option));
  return name === undefined && others.length === 0
    ? null
    : "--rollout can be combined only with --wave, --dry-run, --yes and --no-wait";
}

function findNewClusterProblem(name: string | undefined, options: RestoreOptions): string | null {
  const { backup, back, as, domain, list, "new-cluster": newCluster, all, hub } = options;
  if (!newCluster) return "--all and --hub require --new-cluster";
  if ((backup ?? back ?? as ?? domain ?? list) !== undefined) {
    return "--new-cluster can be combined only with --all, --hub and --dry-run";
  }
  if ((name === undefined) !== (all === true)) return "--new-cluster needs a SPOKE or --all";
  return hub !== undefined && !all ? "--hub requires --all" : null;
}

const LIBRARY_OPTIONS = ["library", "hub", "backup", "list", "dry-run", "yes", "no-wait"];

function findLibraryProblem(name: string | undefined, options: RestoreOptions): string | null {
  if (name !== undefined || options.hub === undefined) return "--library needs --hub HUB, and no SPOKE";
  const isOther = Object.keys(options).some((option) => !LIBRARY_OPTIONS.includes(option));
  return isOther ? "--library can be combined only with --hub, --backup, --list, --dry-run and --no-wait" : null;
}
