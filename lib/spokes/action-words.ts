/** What each kind of operation does that no field of an object shows, one sentence each: for previews. */
import type { UpgradeWish } from "#lib/spokes/action-wish.ts";
import type { SpokeOperationKind } from "#lib/spokes/state.ts";

const WORDS: { readonly [kind in SpokeOperationKind]?: readonly string[] } = {
  provision: ["What an install makes is made where it is missing; what is there already stays"],
  suspend: ["Data, address and certificate stay"],
  restart: ["Moodle's pod is replaced; the database goes on"],
  upgrade: ["A Job upgrades Moodle's database while the site is down; the only way back is the backup"],
  resize: ["Disks grow where the cluster can do that, and never shrink"],
  "maintenance-on": ["A Job turns maintenance on: visitors are answered 503"],
  "maintenance-off": ["A Job turns maintenance off: visitors see the site again"],
  "purge-caches": ["A Job empties Moodle's caches; the first pages after it take longer"],
  "run-cron": ["A Job runs Moodle's scheduled tasks once, beside the regular runs"],
  backup: ["A snapshot of each volume is taken; then snapshots past their time are removed"],
  "reset-admin-password": [
    "The Secret admin gets a new password; a Job sets it in Moodle and ends that administrator's sessions",
  ],
  reapply: ["Passwords, data, version and size stay as they are; a suspended site is started"],
};

/** `maintenance` is what the site will be in when the operation begins. */
export function wordsFor(
  kind: SpokeOperationKind,
  { maintenance }: { readonly maintenance: boolean },
  payload: object,
): string[] {
  const words = [...WORDS[kind] ?? []];
  if (kind === "upgrade") {
    const { skipBackup } = payload as UpgradeWish;
    words.unshift(
      `A backup of both volumes is taken first${skipBackup ? ", if the cluster can" : "; without it nothing is done"}`,
    );
  }
  if (maintenance && (kind === "resume" || kind === "upgrade" || kind === "reapply")) {
    words.push("The site stays in maintenance, and its scheduled tasks stay paused");
  }
  return words;
}

/** Kinds that take the site away meanwhile, or from then on. */
const DOWNTIME: readonly SpokeOperationKind[] = ["suspend", "restart", "upgrade", "resize", "maintenance-on"];

/** A reapply does so where it changes what the pods are made of. */
export function takesAway(kind: SpokeOperationKind, changes: readonly { object: string; field: string }[]): boolean {
  if (DOWNTIME.includes(kind)) return true;
  return kind === "reapply" &&
    changes.some(({ object, field }) =>
      /^(Deployment|StatefulSet)\//.test(object) && (field === "" || field.startsWith("spec."))
    );
}
