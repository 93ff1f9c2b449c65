/** Describes the API fields of the usage of spokes and hubs. */
import { EXAMPLE_IDS, type GlossaryEntriesByField, type GlossaryEntry } from "#lib/reference/glossary/entry.ts";

const GIB = 2 ** 30;

/** The fields of the latest values and of the samples. */
const AMOUNTS: readonly (readonly [name: string, entry: GlossaryEntry])[] = [
  ["filesUsed", ["Used bytes of the disk for files; null while unknown", 8 * GIB]],
  ["filesSize", ["The size of the disk for files, in bytes", 10 * GIB]],
  ["databaseUsed", ["Used bytes of the disk for the database; null while unknown", GIB]],
  ["databaseSize", ["The size of the disk for the database, in bytes", 5 * GIB]],
  ["users", ["The number of user accounts, without guests and deleted accounts", 1200]],
  ["activeUsers", ["The number of users who used the site in the last 30 days", 310]],
  ["courses", ["The number of courses", 45]],
];
const COUNTED: readonly (readonly [name: string, entry: GlossaryEntry])[] = [
  ["spokes", ["The number of spokes in the sums: those that have reported their usage", 12]],
  ["fullSpokes", ["The number of spokes that use at least 80% of their storage", 1]],
];

export const USAGE_FIELD_ENTRIES: GlossaryEntriesByField = {
  ...Object.fromEntries(AMOUNTS.map(([name, entry]) => [
    ["SpokeUsage", "HubUsage", "samples"]
      .map((owner) => `${owner}.${name}`).join(" | "),
    entry,
  ])),
  ...Object.fromEntries(
    COUNTED.map(([name, entry]) => [["HubUsage", "samples"].map((owner) => `${owner}.${name}`).join(" | "), entry]),
  ),
  "SpokeUsage.step | HubUsage.step": [
    "The length of time that each sample stands for: samples are hourly for up to 2 days",
    "hour",
  ],
  "query.days": ["The number of days of samples, from 1 to 730 (default: 2)", "30"],
  "SpokeUsage.spokeId": ["The spoke's ID", EXAMPLE_IDS.spoke],
  "SpokeUsage.measuredAt": "When the site measured these values; null if it has not reported its usage yet",
  "SpokeUsage.storagePercent": ["How full the fuller of the two disks is, in percent; null while unknown", 80],
  "SpokeUsage.fullestDisk": ["Which of the two disks is fuller", "files"],
  "SpokeUsage.fullAt": [
    "When this disk is full if it grows as in the last 14 days; null without growth, and beyond five years",
    "2026-12-03T00:00:00.000Z",
  ],
  "SpokeUsage.tasksAt": "When Moodle's scheduled tasks last succeeded; up to ten minutes too early",
  "SpokeUsage.failingTasks": [
    "The number of scheduled and ad hoc tasks of Moodle that failed when they last ran; null while unknown",
    1,
  ],
  "SpokeUsage.failingTaskNames": ["The classes of up to five of these tasks", [
    "\\\\core\\\\task\\\\send_new_user_passwords_task",
  ]],
  "SpokeUsage.tasksWaitingSince":
    "Since when the oldest ad hoc task has waited although it could run; null if none waits",
  "SpokeUsage.failedChecks": ["The checks of Moodle's status report that failed; null while unknown", [
    "core_upgradecheck",
  ]],
  "SpokeUsage.checkedAt": "When Moodle made these checks; it does so once an hour",
  "SpokeUsage.workersBusyAt": "When all PHP workers were last busy, so that requests had to wait; null if not known",
  "SpokeAddons.reportedAt": "When the site listed its add-ons; null if it has not reported any list yet",
  "SpokeAddons.total": ["The number of all add-ons; a report has room for about 100 of them", 1],
  "SpokeAddons.addons": "The add-ons, sorted by component",
  "addons.component": ["The type and the name of the plugin", "mod_attendance"],
  "addons.version": ["The number of the version", 2024101100],
  "addons.enabled": "Whether Moodle uses the add-on",
  "addons.listed": "Whether the catalog lists the add-on; null if the catalog has no list of add-ons",
  "Catalog.addons": "The add-ons that the operator lists; null without a list, which allows every add-on",
  "Catalog.webInstaller": ["Whether administrators of sites may upload add-ons in the browser", false],
  "addons.release": ["The name of the version", "4.5.1"],
  "addons.source": "The archive with the add-on's code",
  "source.url": ["The address of the archive", "https://example.org/mod_attendance.zip"],
  "source.sha256": [
    "The SHA-256 digest of the archive",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  ],
  "addons.branches": ["The branches of Moodle on which this version runs", ["4.5"]],
  "addons.licence": ["The add-on's licence", "GPL-3.0-or-later"],
  "addons.note": ["The operator's note about the add-on", null],
  "SpokeUsage.samples | HubUsage.samples": "The newest values of each hour or day, the oldest first",
  "HubUsage.federationId": ["The hub's ID", EXAMPLE_IDS.hub],
  "HubUsage.measuredAt": "When the sums were calculated; null if no spoke has reported its usage yet",
  "samples.at": "The start of the hour or day (UTC)",
  "samples.restarts": ["The number of times that the site's containers were restarted", 0],
  "samples.workersBusy": ["How often all PHP workers were busy, so that requests had to wait", 0],
  "samples.oomKills": ["The number of containers that were killed because they used too much memory", 0],
};
