/** Describes the API fields for audit events, tokens, backups and the changelog, and all path and query parameters. */
import {
  EXAMPLE_BACKUP_ID,
  EXAMPLE_EVENT_ID,
  EXAMPLE_HUB_ID,
  EXAMPLE_SPOKE_ID,
  EXAMPLE_USER_ID,
  type FieldEntries,
} from "#lib/reference/glossary/entry.ts";

export const RECORD_FIELDS: FieldEntries = {
  actor: ["Who did it"],
  objectType: ["The type of the object", "spoke"],
  objectId: ["The object's ID", EXAMPLE_SPOKE_ID],
  metadata: ["More data; its fields depend on the kind", { size: "medium", domain: "ash.school.example" }],
  ip: ["The IP address of the caller; empty for an operator's actions, unless an operator reads this", "203.0.113.7"],
  userAgent: ["The caller's user agent; empty for an operator's actions, unless an operator reads this", "curl/8.14.1"],
  at: ["When it happened", "2026-11-21T12:00:00.000Z"],
  type: ["The event's type: what changed, and to which state", "SpokeUpdateProvisioning"],

  read: ["Whether you have read it", false],
  readAt: ["When you read it; null until then", null],
  "UnreadCount.count": ["The number of your unread notifications", 3],
  marked: ["The number of notifications that this call marked as read", 3],
  received: ["The event was stored; do not send it again", true],
  scope: [
    "What the token may do: readonly reads, provisioning also creates and removes spokes, cli does everything",
    "readonly",
  ],
  ".token | AcceptInvite.token | PasswordReset.token | VerifyEmail.token": [
    "The value of ?token= in the emailed link",
    "x4Kq9TzV…",
  ],
  prefix: ["The first characters of the token, to recognize it", "ww_ro_7Kq2"],
  token: ["The token; shown only once", "ww_ro_7Kq2mZ…"],
  createdAt: ["When it was created", "2026-11-21T11:55:00.000Z"],
  updatedAt: ["When it last changed", "2026-11-21T12:00:00.000Z"],
  startedAt: ["When it started; null while queued", "2026-11-21T11:58:30.000Z"],
  finishedAt: ["When it ended; null until then", null],
  readyAt: ["When the site was first ready", "2026-11-21T12:00:00.000Z"],
  observedAt: ["When the cluster was last checked", "2026-11-21T12:00:00.000Z"],
  expiresAt: ["When it expires; null if it does not", null],
  "NewToken.expiresAt": ["When the token expires; without it, the token does not expire", "2027-05-31T00:00:00.000Z"],
  lastUsedAt: ["When it was last used, to the minute; null if never", null],
  "Session.ip": ["The IP address that signed in", "203.0.113.7"],
  "Session.userAgent": ["The user agent that signed in", "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Firefox/145.0"],
  "Session.lastUsedAt": ["When it was last used, to the minute", "2026-11-21T12:00:00.000Z"],
  "Session.expiresAt": ["When it expires if it is not used before", "2026-11-22T00:00:00.000Z"],
  checks: ["The checks and their results", { database: "ok", migrations: "ok", scheduler: "ok" }],

  api: ["Version of the API", "v0"],
  commit: ["The commit of the running build", "358a5e6"],
  openapi: ["Version of OpenAPI", "3.1.0"],

  // Backups of spokes.
  "BackupSummary.available": [
    "Whether the cluster can take backups that outlive the spoke, at the last check; lastError explains why not",
    true,
  ],
  "BackupSummary.schedule": [
    "When a backup is taken automatically while the spoke is active. Each spoke has its own time",
    "every night at 02:41 UTC",
  ],
  "BackupSummary.retention": ["How many backups are kept: the newest of each day, week and month (UTC)"],
  "retention.daily": ["Days of which the newest backup is kept", 7],
  "retention.weekly": ["ISO weeks of which the newest backup is kept", 4],
  "retention.monthly": ["Months of which the newest backup is kept", 6],
  lastSuccessAt: ["When the newest backup became ready; null before the first backup", "2026-11-21T02:42:10.000Z"],
  lastFailureAt: [
    "When a backup last failed; null if none failed, or while the spoke is suspended",
    null,
  ],
  lastError: ["Why backups are not available, or why the last one failed; null if neither", null],
  "BackupSummary.snapshots": [
    "The backups, newest first. Each holds both volumes of the spoke. Failed ones stay for up to a week",
  ],
  "snapshots.id": ["The backup's ID, as restores expect it", EXAMPLE_BACKUP_ID],
  "snapshots.createdAt": ["When the backup started", "2026-11-21T02:41:07.000Z"],
  "snapshots.readyAt": ["When the backup was complete; null until then", "2026-11-21T02:42:10.000Z"],
  "snapshots.sizeBytes": ["Bytes of the volumes restored from it; null if the storage does not report it", 16106127360],
  "snapshots.state": ["The backup's state", "ready"],
  "snapshots.verifiedAt": [
    "When a restore test last verified it; null if none has",
    "2026-11-21T05:44:31.000Z",
  ],
  "snapshots.verification": ["What the restore test found; null if there was none"],
  "verification.courses": ["Courses in the restored site; null if not counted", 41],
  "verification.users": ["Accounts in the restored site, without the guest; null if not counted", 1280],
  "verification.seconds": [
    "Seconds from the start of the restore test until the login page answered: the time that a recovery takes",
    96,
  ],
  "verification.compared": [
    "Whether the counts were compared with counts taken at the time of the backup",
    true,
  ],
  "verification.files": [
    "Uploaded files in the database, each found with the right size; null if another store holds them or nothing was compared",
    5120,
  ],
  "verification.hashed": ["How many of these files, chosen at random, were read and had the right hash", 5120],
  "verification.codeRelease": [
    "The release of the code, which matches the database; null if not compared",
    "4.5.12 (Build: 20261005)",
  ],
  "snapshots.verificationError": [
    "Why the last restore test failed, or that the quota left no space for it; null otherwise",
    null,
  ],
  "BackupSummary.restoreTests": [
    "How often the newest backup is restored into a sandbox to verify it: RESTORE_TESTS",
    "weekly",
  ],
  "BackupSummary.lastVerifiedAt": [
    "When a backup of the spoke was last verified; null if none was",
    "2026-11-21T05:44:31.000Z",
  ],
  "BackupSummary.unverifiedSince": ["Since when restore tests have failed; null if the last one succeeded", null],
  "snapshots.lmsVersion": ["The site's version at the time of the backup; null if not recorded", "4.5.12"],
  "BackupSummary.kept": [
    "Volumes from before a restore, newest first, for a rollback. They are deleted after this time, once there is a newer backup",
  ],
  "kept.claim": ["The PersistentVolumeClaim's name", "data-db-0"],
  "kept.since": ["When the site stopped using it", "2026-11-21T09:12:40.000Z"],
  "kept.until": ["It is kept at least until this time", "2026-11-28T09:12:40.000Z"],

  // Announcements and release notes.
  notices: ["Announcements, made at least 30 days ahead. Those in effect stay until they are no longer declared"],
  releases: ["The changes of each release. Unreleased changes come first"],
  "Changelog.version": ["The running release", "0.2.0"],

  "notices.id": [
    "The announcement's ID in this document and on the changelog page",
    "DELETE/api/spokes/:spokeId/2026-12-01",
  ],
  "notices.kind": ["deprecation if an endpoint ends or changes, limit for a new limit", "deprecation"],
  "notices.title": ["The subject, in one line", "DELETE /api/spokes/{spokeId}"],
  "notices.method": ["The method of the deprecated endpoint", "DELETE"],
  "notices.path": ["The path of the deprecated endpoint, as in the reference", "/api/spokes/{spokeId}"],
  "notices.state": ["announced until it takes effect, then in_effect", "announced"],
  "notices.announcedAt": ["When it was announced", "2026-12-01T00:00:00.000Z"],
  "notices.takesEffectAt": ["When the endpoint ends, or the limit starts", "2027-01-01T00:00:00.000Z"],
  "notices.note": ["What to do about it; code is in backticks", "Use `POST /api/spokes/{spokeId}/actions`."],
  "notices.url": [
    "The announcement on the changelog page",
    "https://wheelwright.example/changelog#DELETE/api/spokes/:spokeId/2026-12-01",
  ],

  "releases.version": ["The version, or unreleased", "0.2.0"],
  "releases.releasedAt": ["The day of the release; null for unreleased changes", "2026-12-01T00:00:00.000Z"],
  "releases.changes": [
    "The changes that users notice, one per entry; code is in backticks, emphasis in double asterisks",
    [
      "Spokes can be suspended in bulk: `POST /api/spokes/actions`.",
    ],
  ],

  // Path and query parameters.
  "path.federationId": ["The hub's ID or slug", "north"],
  "path.spokeId": ["The spoke's ID, or its domain until it is removed", EXAMPLE_SPOKE_ID],
  "path.notificationId": ["The notification's ID, which is its audit event's ID", EXAMPLE_EVENT_ID],
  "query.limit": ["The maximum number of items"],
  "query.before": [
    "Only entries older than this. The Link header gives the value for the next page",
    "2026-11-21T12:00:00.000Z",
  ],
  "query.includeRemoved": ["Whether to include removed ones; operators only", "true"],
  "query.abandon": [
    "Gives up on a failed removal, even if objects are left in the cluster; operators only",
  ],
  "query.dryRun": ["Shows what would be done without doing it"],
  "query.since": ["The number of the last received event. The stream continues after it", "4"],
  "query.unreadOnly": ["Only unread notifications"],
  "query.state": ["Only those in this state"],
  "query.slug": ["Only those with this slug", "north"],
  "query.health": ["Only those with this health", "degraded"],
  "query.q": ["Only those with this text in a name, domain or address; case does not matter", "school"],
  "query.role": ["Only users with this role", "hub_admin"],
  "query.email": ["Only addresses that start with this text", "ada@"],
  "query.token": ["The token from the mailed link", "x4Kq9TzV…"],
  "query.kind": ["Only events of this kind", "spoke_provisioned"],
  "query.actor": [
    'Only events caused by this actor: an ID, an email address, "system" or "anonymous"',
    EXAMPLE_USER_ID,
  ],
  "query.objectType": ["Only events about this type of object", "spoke"],
  "query.objectId": ["Only events about this object", EXAMPLE_SPOKE_ID],
  "query.federationId": ["Only those of this hub, by ID or slug", EXAMPLE_HUB_ID],
  "query.size": ["The size; the default size if absent", "medium"],
};
