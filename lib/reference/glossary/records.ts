/** Describes the API fields for audit events, tokens, backups and the changelog, and all path and query parameters. */
import { EXAMPLE_IDS, type GlossaryEntriesByField } from "#lib/reference/glossary/entry.ts";
import { SECOND_FACTOR_FIELD_ENTRIES } from "#lib/reference/glossary/second-factors.ts";
import { TERMINAL_FIELD_ENTRIES } from "#lib/reference/glossary/terminal.ts";

export const RECORD_FIELD_ENTRIES: GlossaryEntriesByField = {
  ...SECOND_FACTOR_FIELD_ENTRIES,
  ...TERMINAL_FIELD_ENTRIES,

  actor: "The user or system that caused the event",
  objectType: ["The type of the object that the event is about", "spoke"],
  objectId: ["The ID of the object that the event is about", EXAMPLE_IDS.spoke],
  metadata: [
    "More data about the event. Its fields depend on the kind of event",
    { size: "medium", domain: "ash.school.example" },
  ],
  ip: [
    "The IP address of the caller; empty if an operator performed the action and you are not an operator",
    "203.0.113.7",
  ],
  userAgent: [
    "The user agent of the caller; empty if an operator performed the action and you are not an operator",
    "curl/8.14.1",
  ],
  at: ["When the event occurred", "2026-11-21T12:00:00.000Z"],
  type: ["The type of the event, which names the object and its new state", "SpokeUpdateProvisioning"],

  read: ["Whether you have read the notification", false],
  readAt: ["When you read the notification; null until then", null],
  "UnreadCount.count": ["The number of your unread notifications", 3],
  marked: ["The number of notifications that this request marked as read", 3],
  received: "Always true: the event was stored, so do not send it again",
  scope: [
    'What the token may do: "readonly" reads, "provisioning" also creates and removes spokes, "cli" does everything',
    "readonly",
  ],
  ".token | AcceptInvite.token | PasswordReset.token | VerifyEmail.token": [
    'The value of the parameter "token" in the link from the email',
    "x4Kq9TzV…",
  ],
  prefix: ["The first characters of the token, by which you can recognize the token", "ww_ro_7Kq2"],
  token: ["The complete token, which is shown only once", "ww_ro_7Kq2mZ…"],
  createdAt: ["When the object was created", "2026-11-21T11:55:00.000Z"],
  updatedAt: "When the object last changed",
  startedAt: ["When the operation started; null while it is queued", "2026-11-21T11:58:30.000Z"],
  finishedAt: ["When the operation ended; null until then", null],
  readyAt: "When the site was first ready",
  lastFailedAt: ["When an operation on the spoke last failed; null if none has", null],
  observedAt: "When the site's objects in the cluster were last checked",
  expiresAt: ["When the token expires; null if it never expires", null],
  "NewToken.expiresAt": [
    "When the token will expire. If this field is absent, the token never expires",
    "2027-05-31T00:00:00.000Z",
  ],
  "NewToken.federationIds": ["Limits the token to 1 to 100 hubs, by ID or slug", ["north"]],
  "Token.federationIds": ["The token's hubs; null without a limit", null],
  "MintedToken.federationIds": ["The token's hubs; null without a limit", null],
  lastUsedIp: ["From which address it was last used", null],
  lastUsedAgent: ["With which User-Agent it was last used", null],
  lastUsedAt: ["When the token was last used, to the minute; null if it was never used", null],
  "Session.ip": ["The IP address from which the user signed in", "203.0.113.7"],
  "Session.userAgent": [
    "The user agent with which the user signed in",
    "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Firefox/145.0",
  ],
  "Session.lastUsedAt": "When the session was last used, to the minute",
  "Session.expiresAt": ["When the session expires if it is not used again", "2026-11-22T00:00:00.000Z"],
  "Session.provider": ["The ID of the provider at which the session began; null if it began here", null],
  "Identity.provider": ["The ID of the provider in the file SIGN_IN_PROVIDERS", "contoso"],
  "Identity.issuer": ["The provider's issuer", "https://login.contoso.example"],
  "Identity.subject": ["What identifies the person at the provider, even if the address changes", "a1b2c3"],
  "Identity.email": ["The address that the provider reported at the last sign-in", "ada@contoso.example"],
  "Identity.lastUsedAt": ["When the user last signed in with the identity", "2026-11-21T11:55:00.000Z"],
  "query.next": ["The path to open after the sign-in", "/hubs"],
  "query.invitation": ["The token of an invitation's link, to accept it by signing in", "ww6Yx…"],
  "query.iss": ["The provider's issuer (RFC 9207)", "https://login.contoso.example"],
  "query.error": ["Why the provider refuses, as an OAuth error code", "access_denied"],
  checks: ["The readiness checks and their results", { database: "ok", migrations: "ok", scheduler: "ok" }],

  api: ["The version of the API", "v0"],
  commit: ["The commit of the running build", "358a5e6"],
  openapi: "The version of the OpenAPI specification",

  // The fields for backups of spokes.
  "BackupSummary.available":
    'Whether the cluster could take backups that outlive the spoke, when last checked. If not, see "lastError"',
  "BackupSummary.schedule": [
    "When backups are taken automatically while the spoke is active. Each spoke has its own time",
    "every night at 02:41 UTC",
  ],
  "BackupSummary.retention": "How many backups are kept: the newest backup from each recent day, week and month (UTC)",
  "retention.daily": ["The number of recent days for each of which the newest backup is kept", 7],
  "retention.weekly": ["The number of recent ISO weeks for each of which the newest backup is kept", 4],
  "retention.monthly": ["The number of recent months for each of which the newest backup is kept", 6],
  lastSuccessAt: ["When the newest backup became ready; null before the first backup", "2026-11-21T02:42:10.000Z"],
  lastFailureAt: [
    "When a backup of the spoke last failed; null if no backup failed, or while the spoke is suspended",
    null,
  ],
  lastError: ["Why backups are not available, or why the last backup failed; null if there is no error", null],
  "BackupSummary.snapshots":
    "The backups of the spoke, newest first. Each contains both volumes. Failed backups stay listed for up to a week",
  "snapshots.id": ["The ID of the backup, to be used in restores", EXAMPLE_IDS.backup],
  "snapshots.createdAt": ["When the backup started", "2026-11-21T02:41:07.000Z"],
  "snapshots.readyAt": ["When the backup was complete; null until then", "2026-11-21T02:42:10.000Z"],
  "snapshots.sizeBytes": [
    "The size of the volumes restored from the backup, in bytes; null if the storage driver does not report it",
    16106127360,
  ],
  "snapshots.state": ["The backup's state", "ready"],
  "snapshots.verifiedAt": [
    "When a restore test last verified the backup; null if the backup was never verified",
    "2026-11-21T05:44:31.000Z",
  ],
  "snapshots.verification": "The results of the backup's restore test; null if the backup was not tested",
  "verification.courses": ["The number of courses in the restored site; null if they were not counted", 41],
  "verification.users": [
    "The number of user accounts in the restored site, excluding the guest account; null if they were not counted",
    1280,
  ],
  "verification.seconds": [
    "The time that a recovery takes: the seconds from the start of the test until the login page responded",
    96,
  ],
  "verification.compared":
    "Whether the numbers of courses and users were compared with numbers from the time of the backup",
  "verification.files": [
    "The number of files found with the right size; null if files are stored elsewhere or were not compared",
    5120,
  ],
  "verification.hashed": ["The number of randomly chosen files that were read and had the right hash", 5120],
  "verification.codeRelease": [
    "The release of the restored Moodle code, which matches the database; null if the two were not compared",
    "4.5.12 (Build: 20261005)",
  ],
  "snapshots.verificationError": [
    "Why the backup's last restore test failed, or a note that the quota left no space for one; null otherwise",
    null,
  ],
  "BackupSummary.restoreTests": [
    "How often the newest backup is tested by restoring it into a temporary namespace (setting RESTORE_TESTS)",
    "weekly",
  ],
  "BackupSummary.lastVerifiedAt": [
    "When a backup of the spoke last passed a restore test; null if no backup was ever verified",
    "2026-11-21T05:44:31.000Z",
  ],
  "BackupSummary.unverifiedSince": [
    "When restore tests of the spoke started to fail; null if the last test succeeded",
    null,
  ],
  "snapshots.lmsVersion": ["The Moodle version of the site at the time of the backup; null if not recorded", "4.5.12"],
  "BackupSummary.kept": "Volumes from before a restore, newest first, for a rollback. " +
    'After the time in the field "until", a volume is deleted as soon as a newer backup exists',
  "kept.claim": ["The name of the PersistentVolumeClaim", "data-db-0"],
  "kept.since": ["When the site stopped using the volume", "2026-11-21T09:12:40.000Z"],
  "kept.until": ["The volume is kept at least until this time", "2026-11-28T09:12:40.000Z"],

  // The fields for announcements and release notes.
  notices: "Announcements of changes, made at least 30 days ahead. " +
    "An announcement stays in the list after it takes effect, until a later release drops it",
  releases: "The changes in each release, with unreleased changes first",
  "Changelog.version": ["The version of the running release", "0.2.0"],

  "notices.id": [
    "The ID of the announcement, in this document and on the changelog page",
    "DELETE/api/spokes/:spokeId/2026-12-01",
  ],
  "notices.kind": "The kind of announcement: deprecation if an endpoint ends or changes, limit for a new limit",
  "notices.title": ["The subject of the announcement, in one line", "DELETE /api/spokes/{spokeId}"],
  "notices.method": ["The HTTP method of the deprecated endpoint", "DELETE"],
  "notices.path": ["The path of the deprecated endpoint, as in the API reference", "/api/spokes/{spokeId}"],
  "notices.state": "The state of the announcement: announced until it takes effect, then in_effect",
  "notices.announcedAt": ["When the change was announced", "2026-12-01T00:00:00.000Z"],
  "notices.takesEffectAt": [
    "When the deprecated endpoint ends, or when the new limit starts",
    "2027-01-01T00:00:00.000Z",
  ],
  "notices.note": [
    "What you should do about the change; code is in backticks",
    "Use `POST /api/spokes/{spokeId}/actions`.",
  ],
  "notices.url": [
    "The URL of the announcement on the changelog page",
    "https://wheelwright.example/changelog#DELETE/api/spokes/:spokeId/2026-12-01",
  ],

  "releases.version": ['The version of the release, or "unreleased"', "0.2.0"],
  "releases.releasedAt": ["The day of the release; null for unreleased changes", "2026-12-01T00:00:00.000Z"],
  "releases.changes": [
    "The changes in the release that users notice, one per entry; code is in backticks, emphasis in double asterisks",
    [
      "Spokes can be suspended in bulk: `POST /api/spokes/actions`.",
    ],
  ],

  // The path and query parameters.
  "path.federationId": ["The hub's ID or slug", "north"],
  "path.spokeId": ["The spoke's ID, or the spoke's domain until the spoke is removed", EXAMPLE_IDS.spoke],
  "path.notificationId": ["The ID of the notification, which is also the ID of its audit event", EXAMPLE_IDS.event],
  "query.section": "Only versions of this section of the policy",
  "query.limit": "The maximum number of items in the response",
  "query.before": [
    "Returns only entries older than this value. The Link header contains the value for the next page",
    "2026-11-21T12:00:00.000Z",
  ],
  "query.includeRemoved": ["Whether the response includes removed hubs or spokes; only for operators", "true"],
  "query.abandon": "Ends a failed removal, even if objects remain in the cluster; only for operators",
  "query.dryRun": "Returns a preview of the change without making the change",
  "query.since": ["The number of the last event that you received. The stream continues after that event", "4"],
  "query.unreadOnly": "Returns only unread notifications",
  "query.state": "Returns only items in this state; for sign-ins at providers: the secret that the provider repeats",
  "query.slug": ["Returns only items with this slug", "north"],
  "query.health": ["Returns only items with this health", "degraded"],
  "query.lmsVersion": ["Returns only spokes that run this Moodle version", "4.5.12"],
  "query.region": ["Returns only spokes in this region", "eu-west"],
  "query.outdated": ["Returns only spokes whose manifests come from an older revision of the blueprint", "true"],
  "query.minStoragePercent": ["Returns only spokes whose `storagePercent` is at least this number", "80"],
  "query.addon": ["Returns only spokes whose site has this add-on", "mod_attendance"],
  "query.sort": [
    "The order. By last-failure, the list has only spokes on which an operation has failed. By storage, the fullest " +
    "spokes are first",
    "storage",
  ],
  "query.q": ["Returns only items that contain this text in a name, domain or address, ignoring case", "school"],
  "query.role": ["Returns only users with this role", "hub_admin"],
  "query.email": ["Returns only users whose email address starts with this text", "ada@"],
  "query.token": ["The token from the link in the email", "x4Kq9TzV…"],
  "query.kind": ["Returns only events of this kind", "spoke_provisioned"],
  "query.actor": [
    'Returns only events caused by this actor: an ID, an email address, "system" or "anonymous"',
    EXAMPLE_IDS.user,
  ],
  "query.objectType": ["Returns only events about objects of this type", "spoke"],
  "query.objectId": ["Returns only events about the object with this ID", EXAMPLE_IDS.spoke],
  "query.hubs": [
    "Returns the numbers per hub only for these hubs: IDs separated by commas, at most 100",
    EXAMPLE_IDS.hub,
  ],
  "query.federationId": ["Returns only items that belong to the hub with this ID or slug", EXAMPLE_IDS.hub],
  "query.size": [
    "The size of the spokes; if absent, a list contains all sizes, and a cost is for the default size",
    "medium",
  ],
};
