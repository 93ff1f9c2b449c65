/**
 * What is written down: audit events, tokens, times, backups, bills and what changed; what the service says of itself; and
 * what stands in paths and queries.
 */
import { BACKUP_ID, type Entries, EVENT_ID, HUB_ID, SPOKE_ID, USER_ID } from "#lib/reference/glossary/entry.ts";

export const RECORD_FIELDS: Entries = {
  actor: ["Who did it"],
  objectType: ["What kind of thing it happened to", "spoke"],
  objectId: ["Which of them", SPOKE_ID],
  metadata: ["What else is known, by kind", { size: "medium", domain: "ash.school.example" }],
  ip: ["From which address; empty where an operator acted, unless an operator asks", "203.0.113.7"],
  userAgent: ["With which program; empty where an operator acted, unless an operator asks", "curl/8.14.1"],
  at: ["When", "2026-11-21T12:00:00.000Z"],
  type: ["What changed into which state", "SpokeUpdateProvisioning"],

  read: ["Whether you have read it", false],
  readAt: ["When you read it; null until then", null],
  "UnreadCount.count": ["How many you have not read", 3],
  marked: ["How many became read by this call", 3],
  received: ["That it is kept: there is no need to send it again", true],
  scope: ["What it may at most: readonly reads, provisioning also makes and removes spokes, cli does all", "readonly"],
  ".token | AcceptInvite.token | PasswordReset.token | VerifyEmail.token": [
    "What stands behind ?token= in the mailed link",
    "x4Kq9TzV…",
  ],
  prefix: ["How it begins, to tell it by", "ww_ro_7Kq2"],
  token: ["The token itself, shown this once", "ww_ro_7Kq2mZ…"],
  createdAt: ["When it was made", "2026-11-21T11:55:00.000Z"],
  updatedAt: ["When it last changed", "2026-11-21T12:00:00.000Z"],
  startedAt: ["When it began; null while queued", "2026-11-21T11:58:30.000Z"],
  finishedAt: ["When it ended; null until then", null],
  readyAt: ["When the site was first ready", "2026-11-21T12:00:00.000Z"],
  imageDigest: [
    "The image that ran after the installation or the last upgrade, restore or reapply, as its node reported it: `repository@sha256:…`; null until it was seen",
    "docker.io/erseco/alpine-moodle@sha256:9f2c4e1b7a6d5c3e8f0a1b2c3d4e5f60718293a4b5c6d7e8f901a2b3c4d5e6f7",
  ],
  observedAt: ["When the cluster was last looked at", "2026-11-21T12:00:00.000Z"],
  expiresAt: ["When it ends; null when it does not", null],
  "NewToken.expiresAt": ["When it ends; never when absent", "2027-05-31T00:00:00.000Z"],
  lastUsedAt: ["When it was last used, to the minute; null when never", null],
  "Session.ip": ["From which address it began", "203.0.113.7"],
  "Session.userAgent": ["With which program it began", "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Firefox/145.0"],
  "Session.lastUsedAt": ["When it was last used, to the minute", "2026-11-21T12:00:00.000Z"],
  "Session.expiresAt": ["When it ends if it is not used before", "2026-11-22T00:00:00.000Z"],
  checks: ["What was looked at", { database: "ok", migrations: "ok", scheduler: "ok" }],

  api: ["Version of the API", "v0"],
  commit: ["The build that answers", "358a5e6"],
  openapi: ["Version of OpenAPI", "3.1.0"],

  // A spoke's backups.
  "BackupSummary.available": [
    "Whether the cluster can take backups that outlive the spoke, as it was last seen; lastError says why not",
    true,
  ],
  "BackupSummary.schedule": [
    "When a backup is taken by itself, while the spoke is active: each spoke has a time of its own",
    "every night at 02:41 UTC",
  ],
  "BackupSummary.retention": ["How many are kept: the newest of so many days, weeks and months that have one, by UTC"],
  "retention.daily": ["Days of which the newest is kept", 7],
  "retention.weekly": ["Weeks (ISO) of which the newest is kept", 4],
  "retention.monthly": ["Months of which the newest is kept", 6],
  lastSuccessAt: ["When the newest backup was ready; null if there is none", "2026-11-21T02:42:10.000Z"],
  lastFailureAt: [
    "When one failed last; null if none ever did, and while the spoke is suspended: then no backup is due",
    null,
  ],
  lastError: ["Why backups are not available, or else why the last failure was one", null],
  "BackupSummary.snapshots": [
    "What there is, newest first: each is both volumes of the spoke, cut one right after the other. A failed attempt stands here for a week at most",
  ],
  "snapshots.id": ["The backup's id, to be named when one is to be restored", BACKUP_ID],
  "snapshots.createdAt": ["When it was begun with", "2026-11-21T02:41:07.000Z"],
  "snapshots.readyAt": ["When it was whole; null until then", "2026-11-21T02:42:10.000Z"],
  "snapshots.sizeBytes": ["Bytes of the volumes restored from it; null where the storage does not say", 16106127360],
  "snapshots.state": ["How far it is", "ready"],
  "snapshots.provedAt": [
    "When a drill last restored it into a namespace of its own and found it whole; null where none has",
    "2026-11-21T05:44:31.000Z",
  ],
  "snapshots.proof": ["What was found then; null where none has"],
  "proof.courses": ["Courses in the restored site; null where nobody counted", 41],
  "proof.users": ["Accounts in the restored site, without the guest; null where nobody counted", 1280],
  "proof.seconds": ["From the drill's beginning until the login page answered: what a recovery takes", 96],
  "proof.compared": [
    "Whether both were counted as the backup was taken, too, and so could be seen to be what they were",
    true,
  ],
  "proof.files": [
    "Uploaded files that the database names, all there with their size; null where another store keeps them, or nobody compared",
    5120,
  ],
  "proof.hashed": ["How many of these were read whole and had the right hash, chosen at random", 5120],
  "proof.codeRelease": [
    "The release of the code, which is the database's; null where nobody compared",
    "4.5.12 (Build: 20261005)",
  ],
  "snapshots.proofError": [
    "Why the last drill did not prove it, or that there was no room to try; null where it did, or none was",
    null,
  ],
  "BackupSummary.drills": [
    "How often the newest backup is restored into a namespace of its own, to prove it: RESTORE_DRILLS",
    "weekly",
  ],
  "BackupSummary.lastProvedAt": [
    "When a backup of the spoke was proved last; null where none was",
    "2026-11-21T05:44:31.000Z",
  ],
  "BackupSummary.unprovedSince": ["Since when none could be proved; null where the last drill proved one", null],
  "snapshots.lmsVersion": ["Of the platform, as the spoke had it then; null where that was not noted", "4.5.12"],
  "BackupSummary.kept": [
    "Volume claims that a restore has replaced, newest first: the way back. They go after their time, once a backup was taken since",
  ],
  "kept.claim": ["Its name in the spoke's namespace", "data-db-0"],
  "kept.since": ["Since when the site uses another", "2026-11-21T09:12:40.000Z"],
  "kept.until": ["It stays until then at least", "2026-11-28T09:12:40.000Z"],

  // What a hub pays for. Amounts are in minor units of their currency, whichever that has: 1900 of JPY are ¥ 1,900.
  "Billing.connected": ["Whether its spokes are billed", true],
  "Billing.email | BillingAddress.email": ["Where the invoices go", "treasurer@north.example"],
  "Billing.status": ["How the subscription stands at the payment provider; null where there is none yet", "active"],
  "Billing.pastDueSince": ["Since when an invoice has been overdue; null where none is", null],
  "Billing.currency": ["ISO 4217; null where there is no subscription yet", "EUR"],
  "Billing.items": ["What is paid for, as the payment provider counts it"],
  "items.size": ["Which size of spokes it is for; null for what is no spoke", "medium"],
  "items.quantity": ["How many", 3],
  "items.monthly": ["What they cost a month, all of them; null where that is no one amount", 14700],
  "Billing.monthly": ["What the hub costs a month; null where that is no one amount, or nothing is billed", 14700],
  "Billing.invoice": [
    "The latest invoice, or the one that is to be paid first while one is late; null where there is none",
  ],
  "invoice.number": ["What is printed on it; null while it is a draft", "NORTH-0007"],
  "invoice.status": ["How the payment provider calls it", "open"],
  "invoice.total": ["What it comes to", 14700],
  "invoice.remaining": ["What of that is still to be paid", 14700],
  "invoice.currency | price.currency | Cost.currency": ["ISO 4217", "EUR"],
  "invoice.dueAt": ["When it has to be paid; null where it is charged at once", "2026-12-21T12:00:00.000Z"],
  "invoice.url": [
    "The payment provider's page for it. Whoever has the address can open it; null while it is a draft",
    "https://invoice.stripe.example/i/north-0007",
  ],
  "Billing.pending": ["Whether the payment provider is still to be told of a change", false],
  "Billing.difference": [
    "Where the payment provider counts something else than there is; null where it does not",
    null,
  ],
  "difference.message": ["What differs", "The payment provider counts 2 of size medium where there are 3"],
  "difference.sizes": ["The same in numbers; empty where it is more than numbers"],
  "sizes.spokes": ["How many are to be billed", 3],
  "sizes.billed": ["How many the payment provider counts", 2],
  "Billing.error": ["Why the payment provider could not be told, for operators; null for everybody else", null],
  "Billing.seenAt": ["When the subscription was last looked at; null if never", "2026-11-21T12:00:00.000Z"],

  // What the catalogue says besides names, and what a spoke costs.
  "Catalog.defaults": ["What is taken where a request says nothing; null for none, or for a spoke's region its hub's"],
  "defaults.size": ["The size that is taken", "medium"],
  "defaults.lmsVersion": ["The version that is taken", "4.5.12"],
  "defaults.region": ["None: a hub has none, and a spoke has its hub's", null],
  "defaults.tier | defaults.mode | defaults.contentMode": ["None", null],
  "defaults.brand": ["None: the platform's own look", null],
  "defaults.seed": ["None: it begins without courses", null],
  "Catalog.rootDomain": [
    "What a spoke's domain ends in where none is asked for: its slug, a dot, and this",
    "school.example",
  ],
  "Catalog.currency": ["That of all prices; null where there are none, or in several currencies", "EUR"],
  "Catalog.charged": ["Whether a payment provider is connected, so that prices are charged and not only shown", true],
  "sizes.price": ["A month for each spoke; null where it has none"],
  "sizes.quota": ["What its namespace may take at most"],
  "price.monthly": ["A month for each, in minor units: 1900 of EUR are € 19.00, 1900 of JPY are ¥ 1,900", 1900],

  "Cost.available": [
    "Whether it can be told: not without a payment provider, for a hub that is not billed, for a size without a price, and by who does not run the hub",
    true,
  ],
  "Cost.size": ["The size that the spoke has then", "medium"],
  "Cost.recurringMonthly": [
    "What this spoke costs each month from then on, in minor units: 1900 of EUR are € 19.00, 1900 of JPY are ¥ 1,900",
    4900,
  ],
  "Cost.dueNow": [
    "What is due now for the change, prorated over the month, in minor units; of a hub's first spoke the first invoice. Negative where something is credited",
    3267,
  ],
  "Cost.prorationDate": ["As of when that was computed", "2026-11-21T12:00:00.000Z"],

  // What is announced, and what releases changed.
  notices: ["What is announced at least 30 days ahead; what has taken effect stays for as long as it is declared"],
  releases: ["What each release changed; what is no release yet comes first"],
  "Changelog.version": ["The release that answers", "0.2.0"],

  "notices.id": ["Names it here, on the page and in no other way", "DELETE/api/spokes/:spokeId/2026-12-01"],
  "notices.kind": ["An endpoint that ends or changes, or a limit that comes", "deprecation"],
  "notices.title": ["What it is about, in a line", "DELETE /api/spokes/{spokeId}"],
  "notices.method": ["Of a deprecation: the endpoint's method", "DELETE"],
  "notices.path": ["Of a deprecation: the endpoint's path, as in the reference", "/api/spokes/{spokeId}"],
  "notices.state": ["announced until it takes effect, in_effect from then on", "announced"],
  "notices.announcedAt": ["Since when it is announced", "2026-12-01T00:00:00.000Z"],
  "notices.takesEffectAt": ["When the endpoint ends, or the limit begins to hold", "2027-01-01T00:00:00.000Z"],
  "notices.note": ["What to do about it; backticks mark code", "Use `POST /api/spokes/{spokeId}/actions`."],
  "notices.url": [
    "Where people read of it",
    "https://wheelwright.example/changelog#DELETE/api/spokes/:spokeId/2026-12-01",
  ],

  "releases.version": ["Its number, or unreleased for what is at work and not yet numbered", "0.2.0"],
  "releases.releasedAt": ["The day of its release; null for what is none yet", "2026-12-01T00:00:00.000Z"],
  "releases.changes": ["What users notice, an entry each; backticks mark code, double asterisks what matters", [
    "Spokes can be suspended in bulk: `POST /api/spokes/actions`.",
  ]],

  // What stands in paths and queries.
  "path.federationId": ["The hub's id or its slug", "north"],
  "path.spokeId": ["The spoke's id, or its domain while it lives", SPOKE_ID],
  "path.notificationId": ["The notification's id, which is its audit event's", EVENT_ID],
  "query.limit": ["How many at most"],
  "query.before": [
    "Only entries older than this. The Link header gives the value for the next page",
    "2026-11-21T12:00:00.000Z",
  ],
  "query.includeRemoved": ["Whether removed ones are shown too; operators only", "true"],
  "query.abandon": [
    "Gives up what is being removed, and whose removal has failed, without the cluster's word; operators only",
  ],
  "query.dryRun": ["Shows what would be done, and does nothing"],
  "query.since": ["Number of the last event received: goes on after it", "4"],
  "query.unreadOnly": ["Only what you have not read"],
  "query.state": ["Only those in this state"],
  "query.slug": ["Only those of this slug", "north"],
  "query.health": ["Only those of this health", "degraded"],
  "query.q": ["Only those in whose names, domain or address this stands, in whatever case", "school"],
  "query.role": ["Only users of this role", "hub_admin"],
  "query.email": ["Only addresses that are this or begin so", "ada@"],
  "query.token": ["What the mailed link holds", "x4Kq9TzV…"],
  "query.kind": ["Only events of this kind", "spoke_provisioned"],
  "query.actor": ['Only what this user did: an id, an e-mail address, "system" or "anonymous"', USER_ID],
  "query.objectType": ["Only events about this kind of object", "spoke"],
  "query.objectId": ["Only events about this object", SPOKE_ID],
  "query.federationId": ["Only what belongs to this hub, by its id or slug", HUB_ID],
  "query.size": ["The size asked about; the usual one when absent", "medium"],
};
