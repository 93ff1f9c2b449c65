/** Turns a site's maintenance mode on and off. */
import { buildFieldPatch } from "#lib/operations/change.ts";
import { MOODLE_CRONJOB_REF } from "#lib/moodle/names.ts";
import { declareOperation } from "#lib/operations/operation.ts";
import { UPDATE_TRANSITION } from "#lib/operations/operation.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";

/** Turns maintenance mode on. Scheduled tasks are paused first, because they would fail in maintenance mode. */
export const maintenanceOn = declareOperation({
  name: "maintenance-on",
  action: { summary: "Show Moodle's maintenance page to visitors. Administrators can still use the site." },
  verbPhrase: "turn on maintenance mode for",
  from: ["active"],
  transition: UPDATE_TRANSITION,
  downtime: true,
  describe: () => ["A Job turns on maintenance mode; visitors get a 503"],
  plan: {
    version: 1,
    limit: HOUR,
    steps: {
      cron: ["Pausing scheduled tasks", 15 * MINUTE],
      enable: ["Turning on maintenance mode", 6 * MINUTE],
      health: ["Checking the site's login page", 6 * MINUTE],
    },
  },
  changes: () => ({ cron: [buildFieldPatch(MOODLE_CRONJOB_REF, "/spec/suspend", true)] }),
});

export const maintenanceOff = declareOperation({
  name: "maintenance-off",
  action: { summary: "End maintenance mode." },
  verbPhrase: "turn off maintenance mode for",
  from: ["active"],
  transition: UPDATE_TRANSITION,
  describe: () => ["A Job turns off maintenance mode; visitors see the site again"],
  plan: {
    version: 1,
    limit: HOUR,
    steps: {
      disable: ["Turning off maintenance mode", 6 * MINUTE],
      cron: ["Turning on scheduled tasks", MINUTE],
      health: ["Checking the site's login page", 6 * MINUTE],
    },
  },
  changes: () => ({ cron: [buildFieldPatch(MOODLE_CRONJOB_REF, "/spec/suspend", false)] }),
});

/** Returns a note that the site stays in maintenance mode; an empty list if maintenance mode is off. */
export function describeMaintenance({ maintenance }: { readonly maintenance: boolean }): string[] {
  return maintenance ? ["The site stays in maintenance mode, and its scheduled tasks stay paused"] : [];
}
