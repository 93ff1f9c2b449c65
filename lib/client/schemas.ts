/** Written by `npm run generate`; commit it, do not edit it. */
export interface AcceptInvite {
  /** The value of ?token= in the emailed link; must be text of 1 to 200 characters without control characters */
  token: string;
  /** Your new password; must be a password of 12 to 256 characters */
  password: string;
  /** Your name; must be text of 1 to 200 characters without control characters */
  displayName?: string | null | undefined;
}

export interface Acknowledgement {
  /** What happens next */
  message: string;
}

export interface ActionPreview {
  /** Always true: nothing was changed */
  dryRun: true;
  /** The action */
  action: string;
  /** The ID of its spoke */
  spokeId: string;
  /** The spoke's current state */
  state: string;
  /** The spoke's state after the action has succeeded */
  becomes: string;
  /** Whether the action makes the site unavailable */
  downtime: boolean;
  /** The steps, in order */
  steps: string[];
  /** What would change, from the cluster's dry run */
  changes: {
    /** The object's kind and name */
    object: string;
    /** The field that changes; empty if a new object would be created */
    field: string;
    /** The current value; null if the field is not set */
    from: unknown;
    /** The new value; null if the field is removed */
    to: unknown;
  }[];
  /** Effects that no field shows, and objections of the cluster */
  notes: string[];
  /** The price */
  price: Cost;
}

export interface Approval {
  /** The short name in URLs and host names; must be 1 to 63 lower-case letters, digits or hyphens, neither beginning nor ending with a hyphen */
  slug?: string | null | undefined;
  /** The display name; must be text of 1 to 200 characters without control characters */
  name?: string | null | undefined;
  /** The region, as the catalog names it; must be text of 1 to 100 characters without control characters */
  region?: string | null | undefined;
  /** How the hub is open to others, as the catalog names it; must be text of 1 to 100 characters without control characters */
  mode?: string | null | undefined;
  /** The tier, as the catalog names it; must be text of 1 to 100 characters without control characters */
  tier?: string | null | undefined;
}

export interface AuditEvent {
  /** The event's ID */
  id: string;
  /** What happened */
  kind: string;
  /** Who did it */
  actor: {
    /** A user's ID, or "system" */
    id: string;
    /** The user's email address, used to sign in */
    email: string;
  };
  /** The type of the object */
  objectType: string;
  /** The object's ID */
  objectId: string;
  /** More data; its fields depend on the kind */
  metadata: Record<string, unknown>;
  /** The IP address of the caller; empty for an operator's actions, unless an operator reads this */
  ip: string;
  /** The caller's user agent; empty for an operator's actions, unless an operator reads this */
  userAgent: string;
  /** When it happened */
  at: string;
}

export interface BackupSummary {
  /** Whether the cluster can take backups that outlive the spoke, at the last check; lastError explains why not */
  available: boolean;
  /** When a backup is taken automatically while the spoke is active. Each spoke has its own time */
  schedule: string;
  /** How many backups are kept: the newest of each day, week and month (UTC) */
  retention: {
    /** Days of which the newest backup is kept */
    daily: number;
    /** ISO weeks of which the newest backup is kept */
    weekly: number;
    /** Months of which the newest backup is kept */
    monthly: number;
  };
  /** When the newest backup became ready; null before the first backup */
  lastSuccessAt: string | null;
  /** When a backup last failed; null if none failed, or while the spoke is suspended */
  lastFailureAt: string | null;
  /** Why backups are not available, or why the last one failed; null if neither */
  lastError: string | null;
  /** How often the newest backup is restored into a sandbox to verify it: RESTORE_TESTS */
  restoreTests: "off" | "weekly" | "nightly";
  /** When a backup of the spoke was last verified; null if none was */
  lastVerifiedAt: string | null;
  /** Since when restore tests have failed; null if the last one succeeded */
  unverifiedSince: string | null;
  /** The backups, newest first. Each holds both volumes of the spoke. Failed ones stay for up to a week */
  snapshots: {
    /** The backup's ID, as restores expect it */
    id: string;
    /** When the backup started */
    createdAt: string;
    /** When the backup was complete; null until then */
    readyAt: string | null;
    /** Bytes of the volumes restored from it; null if the storage does not report it */
    sizeBytes: number | null;
    /** The backup's state */
    state: "pending" | "ready" | "failed";
    /** The site's version at the time of the backup; null if not recorded */
    lmsVersion: string | null;
    /** When a restore test last verified it; null if none has */
    verifiedAt: string | null;
    /** What the restore test found; null if there was none */
    verification: {
      /** Courses in the restored site; null if not counted */
      courses: number | null;
      /** Accounts in the restored site, without the guest; null if not counted */
      users: number | null;
      /** Seconds from the start of the restore test until the login page answered: the time that a recovery takes */
      seconds: number;
      /** Whether the counts were compared with counts taken at the time of the backup */
      compared: boolean;
      /** Uploaded files in the database, each found with the right size; null if another store holds them or nothing was compared */
      files: number | null;
      /** How many of these files, chosen at random, were read and had the right hash */
      hashed: number | null;
      /** The release of the code, which matches the database; null if not compared */
      codeRelease: string | null;
    } | null;
    /** Why the last restore test failed, or that the quota left no space for it; null otherwise */
    verificationError: string | null;
  }[];
  /** Volumes from before a restore, newest first, for a rollback. They are deleted after this time, once there is a newer backup */
  kept: {
    /** The PersistentVolumeClaim's name */
    claim: string;
    /** When the site stopped using it */
    since: string;
    /** It is kept at least until this time */
    until: string;
  }[];
}

export interface Billing {
  /** Whether the hub's spokes are billed */
  connected: boolean;
  /** The address that invoices are sent to */
  email: string | null;
  /** The subscription's status at the payment provider; null if there is no subscription */
  status:
    | "incomplete"
    | "incomplete_expired"
    | "trialing"
    | "active"
    | "past_due"
    | "canceled"
    | "unpaid"
    | "paused"
    | null;
  /** Since when an invoice has been overdue; null if none is */
  pastDueSince: string | null;
  /** ISO 4217 code; null if there is no subscription */
  currency: string | null;
  /** The billed items, as the payment provider counts them */
  items: {
    /** The size of the spokes; null if the item is not for spokes */
    size: string | null;
    /** The quantity */
    quantity: number;
    /** The monthly price of the whole quantity; null if it is not a single amount */
    monthly: number | null;
  }[];
  /** The hub's monthly price; null if it is not a single amount, or nothing is billed */
  monthly: number | null;
  /** The latest invoice, or the oldest unpaid invoice if one is overdue; null before the first invoice */
  invoice: {
    /** The invoice number; null for a draft */
    number: string | null;
    /** The status at the payment provider */
    status: string;
    /** The total amount */
    total: number;
    /** The amount that is not yet paid */
    remaining: number;
    /** ISO 4217 code */
    currency: string;
    /** When it is due; null if it is charged immediately */
    dueAt: string | null;
    /** The invoice's page at the payment provider. Anybody with the URL can open it; null for a draft */
    url: string | null;
  } | null;
  /** Whether a change is still to be sent to the payment provider */
  pending: boolean;
  /** Differences between the payment provider's counts and the spokes; null if they are equal */
  difference: {
    /** What differs */
    message: string;
    /** The same as numbers; empty if it is not only numbers */
    sizes: {
      /** The size, as the catalog names it */
      size: string;
      /** The number of spokes to be billed */
      spokes: number;
      /** The number that the payment provider counts */
      billed: number;
    }[];
  } | null;
  /** Why the payment provider could not be updated, for operators; null for other users */
  error: string | null;
  /** When the subscription was last checked; null if never */
  checkedAt: string | null;
}

export interface BillingAddress {
  /** The address that invoices are sent to; must be an email address */
  email: string;
}

export interface BulkAction {
  /** The IDs of the spokes; must be a list of 1 to 500 ids */
  ids: readonly string[];
  /** The action */
  action:
    | "suspend"
    | "resume"
    | "restart"
    | "upgrade"
    | "resize"
    | "maintenance-on"
    | "maintenance-off"
    | "purge-caches"
    | "backup"
    | "run-cron"
    | "reset-admin-password"
    | "reapply"
    | "retry";
  /** For upgrade (required): the new version; must be a version such as 4.5.12 */
  lmsVersion?: string | null | undefined;
  /** The same as lmsVersion; must be a version such as 4.5.12 */
  moodleVersion?: string | null | undefined;
  /** For resize (required): the new size; must be text of 1 to 100 characters without control characters */
  size?: string | null | undefined;
  /** For upgrade: continues without a backup if the cluster cannot take one */
  skipBackup?: boolean | null | undefined;
}

export interface BulkOutcome {
  /** The spoke's ID */
  id: string;
  /** Whether the request was accepted */
  accepted: boolean;
  /** The spoke, if the request was accepted */
  spoke?: Spoke;
  /** Why the request was not accepted; absent if it was */
  error?: {
    /** The HTTP status */
    statusCode: number;
    /** The cause, in a word */
    code: string;
    /** What could not be done, and how to make it possible */
    message: string;
    /** The reason phrase of the status */
    error: string;
  };
}

export interface Catalog {
  /** The regions of hubs and spokes */
  regions: {
    /** The name to use in requests */
    name: string;
    /** The display name */
    title: string | null;
  }[];
  /** The tiers of hubs */
  tiers: {
    /** The name to use in requests */
    name: string;
    /** The display name */
    title: string | null;
  }[];
  /** The modes of hubs */
  modes: {
    /** The name to use in requests */
    name: string;
    /** The display name */
    title: string | null;
  }[];
  /** The ways to deliver shared content */
  contentModes: {
    /** The name to use in requests */
    name: string;
    /** The display name */
    title: string | null;
  }[];
  /** The brands */
  brands: {
    /** The name to use in requests */
    name: string;
    /** The display name */
    title: string | null;
  }[];
  /** The sets of initial courses */
  seeds: {
    /** The name to use in requests */
    name: string;
    /** The display name */
    title: string | null;
  }[];
  /** The Moodle versions, newest first, previews last */
  versions: {
    /** The name to use in requests */
    name: string;
    /** The display name */
    title: string | null;
    /** Whether this version is not yet released */
    preview: boolean;
    /** Whether this is the default */
    default: boolean;
  }[];
  /** The sizes of spokes */
  sizes: {
    /** The name to use in requests */
    name: string;
    /** The display name */
    title: string | null;
    /** Whether this is the default */
    default: boolean;
    /** The resources of a spoke with this size */
    resources: {
      /** The resources of the site */
      app: {
        /** The resource requests */
        requests: {
          /** CPU, as a Kubernetes quantity */
          cpu: string;
          /** Memory, as a Kubernetes quantity */
          memory: string;
        };
        /** The resource limits */
        limits: {
          /** CPU, as a Kubernetes quantity */
          cpu: string;
          /** Memory, as a Kubernetes quantity */
          memory: string;
        };
      };
      /** The resources of the database */
      database: {
        /** The resource requests */
        requests: {
          /** CPU, as a Kubernetes quantity */
          cpu: string;
          /** Memory, as a Kubernetes quantity */
          memory: string;
        };
        /** The resource limits */
        limits: {
          /** CPU, as a Kubernetes quantity */
          cpu: string;
          /** Memory, as a Kubernetes quantity */
          memory: string;
        };
      };
      /** The storage */
      disks: {
        /** The storage of uploaded files */
        files: string;
        /** The storage of the database */
        database: string;
      };
      /** The number of requests that the site processes at the same time */
      workers: number;
    };
    /** The quota of the spoke's namespace */
    quota: {
      /** The resource requests */
      requests: {
        /** CPU, as a Kubernetes quantity */
        cpu: string;
        /** Memory, as a Kubernetes quantity */
        memory: string;
      };
      /** The resource limits */
      limits: {
        /** CPU, as a Kubernetes quantity */
        cpu: string;
        /** Memory, as a Kubernetes quantity */
        memory: string;
      };
      /** Storage, as a Kubernetes quantity */
      storage: string;
    };
    /** The monthly price of a spoke; null if it has none */
    price: {
      /** ISO 4217 code */
      currency: string;
      /** The monthly price of each, in the minor unit of the currency: 1900 means €19.00, but ¥1,900 */
      monthly: number;
    } | null;
  }[];
  /** Sections that accept any value, because the catalog does not list their values */
  open: string[];
  /** The values used if a request leaves them out; null if there is no default. A spoke's region defaults to its hub's */
  defaults: {
    /** The default size */
    size: string;
    /** The default version */
    lmsVersion: string;
    /** Whether users sign in through the hub's identity provider */
    identity: boolean;
    /** Whether it has the hub's shared content */
    content: boolean;
    /** The default region. Always null: a spoke uses the region of its hub */
    region: string | null;
    /** Always null */
    tier: string | null;
    /** Always null */
    mode: string | null;
    /** Always null */
    contentMode: string | null;
    /** Always null: the platform's own look */
    brand: string | null;
    /** Always null: the site starts without courses */
    seed: string | null;
  };
  /** The currency of all prices; null if there are no prices, or several currencies */
  currency: string | null;
  /** Whether a payment provider is connected, so that prices are charged */
  charged: boolean;
  /** The default domain of a spoke is its slug, a dot, and this domain */
  rootDomain: string;
}

export interface Changelog {
  /** Version of the API */
  api: string;
  /** The running release */
  version: string;
  /** Announcements, made at least 30 days ahead. Those in effect stay until they are no longer declared */
  notices: {
    /** The announcement's ID in this document and on the changelog page */
    id: string;
    /** deprecation if an endpoint ends or changes, limit for a new limit */
    kind: "deprecation" | "limit";
    /** The subject, in one line */
    title: string;
    /** The method of the deprecated endpoint */
    method?: string;
    /** The path of the deprecated endpoint, as in the reference */
    path?: string;
    /** announced until it takes effect, then in_effect */
    state: "announced" | "in_effect";
    /** When it was announced */
    announcedAt: string;
    /** When the endpoint ends, or the limit starts */
    takesEffectAt: string;
    /** What to do about it; code is in backticks */
    note: string;
    /** The announcement on the changelog page */
    url: string;
  }[];
  /** The changes of each release. Unreleased changes come first */
  releases: {
    /** The version, or unreleased */
    version: string;
    /** The day of the release; null for unreleased changes */
    releasedAt: string | null;
    /** The changes that users notice, one per entry; code is in backticks, emphasis in double asterisks */
    changes: string[];
  }[];
}

export type Cost = {
  /** Whether the cost is known. It needs a payment provider, a billed hub, a size with a price, and a caller who manages the hub */
  available: true;
  /** ISO 4217 code */
  currency: string;
  /** The spoke's size after the change */
  size: string;
  /** The spoke's monthly price, in the minor unit of the currency: 1900 means €19.00, but ¥1,900 */
  recurringMonthly: number;
  /** The prorated amount due now, in minor units; for a hub's first spoke, the first invoice. Negative for a credit */
  dueNow: number;
  /** The time for which the proration was computed */
  prorationDate: string;
} | {
  /** Whether the cost is known. It needs a payment provider, a billed hub, a size with a price, and a caller who manages the hub */
  available: false;
  /** The cause, in a word */
  reason?: string;
};

export interface Federation {
  /** The hub's ID */
  id: string;
  /** The short name in URLs and host names */
  slug: string;
  /** The display name */
  name: string;
  /** The region, as the catalog names it */
  region: string | null;
  /** How the hub is open to others, as the catalog names it */
  mode: string | null;
  /** The tier, as the catalog names it */
  tier: string | null;
  /** The hub's state */
  state: "provisioning" | "active" | "failed" | "removing" | "removed";
  /** The same as state */
  status: "provisioning" | "active" | "failed" | "removing" | "removed";
  /** Why it is in this state; null if there is nothing to explain */
  stateReason: string | null;
  /** The number of spokes that are not removed */
  spokeCount: number;
  /** When it was created */
  createdAt: string;
  /** When it last changed */
  updatedAt: string;
  /** The running or queued operation; null if no operation is queued or running */
  operation: Operation | null;
}

export interface FederationAction {
  /** The action: retry restarts the operation of a failed hub */
  action: "retry";
}

export interface FederationPatch {
  /** The hub's current slug, if given: it cannot be changed; must be text of 1 to 100 characters without control characters */
  slug?: string | null | undefined;
  /** The display name; must be text of 1 to 200 characters without control characters */
  name?: string | null | undefined;
  /** The region, as the catalog names it; must be text of 1 to 100 characters without control characters */
  region?: string | null | undefined;
  /** How the hub is open to others, as the catalog names it; must be text of 1 to 100 characters without control characters */
  mode?: string | null | undefined;
  /** The tier, as the catalog names it; must be text of 1 to 100 characters without control characters */
  tier?: string | null | undefined;
}

export interface FederationRequest {
  /** The request's ID */
  id: string;
  /** The short name in URLs and host names */
  slug: string;
  /** The display name */
  name: string;
  /** The region, as the catalog names it */
  region: string | null;
  /** How the hub is open to others, as the catalog names it */
  mode: string | null;
  /** The tier, as the catalog names it */
  tier: string | null;
  /** Why you need the hub */
  reason: string | null;
  /** The request's state */
  state: "pending" | "approved" | "rejected" | "withdrawn";
  /** The requester */
  requestedBy: {
    /** The user's ID */
    id: string;
    /** The user's email address, used to sign in */
    email: string;
  };
  /** Who decided or withdrew the request; null until then */
  decidedBy: {
    /** The user's ID */
    id: string;
    /** The user's email address, used to sign in */
    email: string;
  } | null;
  /** When it was decided; null until then */
  decidedAt: string | null;
  /** Why it was rejected; null otherwise */
  rejectReason: string | null;
  /** The ID of the hub that was created; null until then */
  federationId: string | null;
  /** When it was created */
  createdAt: string;
}

export interface ForgotPassword {
  /** Your email address; must be an email address */
  email: string;
}

export interface HubJoining {
  /** added; invited by email; or unchanged if the user was already a member */
  status: "added" | "invited" | "unchanged";
  /** The user's ID */
  userId: string;
  /** The user's email address, used to sign in */
  email: string;
  /** When the invitation expires */
  expiresAt?: string;
  /** The hub's ID */
  federationId: string;
}

export interface LoggedIn {
  /** The calling user */
  user: User;
  /** What you still need to do, such as verifying your email address; absent otherwise */
  message?: string;
}

export interface Login {
  /** Your email address; must be an email address */
  email: string;
  /** The password; must be a password of at most 4096 characters */
  password: string;
}

export interface Marked {
  /** The number of notifications that this call marked as read */
  marked: number;
}

export interface Me {
  /** The calling user */
  user: User;
}

export interface Member {
  /** The user's ID */
  userId: string;
  /** The user's email address, used to sign in */
  email: string;
  /** The user's name */
  displayName: string;
  /** Whether the email address is not verified yet. Until then, the membership gives no access */
  pending: boolean;
  /** Why the mail server permanently refused the last email to this address; null if it did not */
  mailRefusal: string | null;
  /** When the user became a member */
  createdAt: string;
}

export interface MintedToken {
  /** The token's ID */
  id: string;
  /** The purpose of the token */
  name: string;
  /** What the token may do: readonly reads, provisioning also creates and removes spokes, cli does everything */
  scope: "cli" | "provisioning" | "readonly";
  /** The first characters of the token, to recognize it */
  prefix: string;
  /** When it was created */
  createdAt: string;
  /** When it expires; null if it does not */
  expiresAt: string | null;
  /** The token; shown only once */
  token: string;
}

export interface NewFederation {
  /** The short name in URLs and host names; must be 1 to 63 lower-case letters, digits or hyphens, neither beginning nor ending with a hyphen */
  slug: string;
  /** The display name; must be text of 1 to 200 characters without control characters */
  name?: string | null | undefined;
  /** The region, as the catalog names it; must be text of 1 to 100 characters without control characters */
  region?: string | null | undefined;
  /** How the hub is open to others, as the catalog names it; must be text of 1 to 100 characters without control characters */
  mode?: string | null | undefined;
  /** The tier, as the catalog names it; must be text of 1 to 100 characters without control characters */
  tier?: string | null | undefined;
}

export interface NewFederationRequest {
  /** The short name in URLs and host names; must be 1 to 63 lower-case letters, digits or hyphens, neither beginning nor ending with a hyphen */
  slug: string;
  /** The display name; must be text of 1 to 200 characters without control characters */
  name?: string | null | undefined;
  /** The region, as the catalog names it; must be text of 1 to 100 characters without control characters */
  region?: string | null | undefined;
  /** How the hub is open to others, as the catalog names it; must be text of 1 to 100 characters without control characters */
  mode?: string | null | undefined;
  /** The tier, as the catalog names it; must be text of 1 to 100 characters without control characters */
  tier?: string | null | undefined;
  /** Why you need the hub; must be text of 1 to 2000 characters without control characters */
  reason?: string | null | undefined;
}

export interface NewMember {
  /** The email address of the new member; must be an email address */
  email: string;
  /** The name of a new user; must be text of 1 to 200 characters without control characters */
  displayName?: string | null | undefined;
}

export interface NewRestoreRequest {
  /** The backup to restore; must be text of 1 to 100 characters without control characters */
  backupId: string;
  /** Why a restore is needed; must be text of 1 to 2000 characters without control characters */
  reason: string;
}

export interface NewSpoke {
  /** Lowercase letters, digits and hyphens, for addresses and commands; must be 1 to 63 lower-case letters, digits or hyphens, neither beginning nor ending with a hyphen */
  slug: string;
  /** The full name of the site, shown to visitors; must be text of 1 to 200 characters without control characters */
  displayName?: string | null | undefined;
  /** The host name of the site; must be a host name such as school.example.org */
  domain?: string | null | undefined;
  /** CPU, memory and storage of the site; a name from the catalog; must be text of 1 to 100 characters without control characters */
  size?: string | null | undefined;
  /** The Moodle version of the site; a name from the catalog; must be a version such as 4.5.12 */
  lmsVersion?: string | null | undefined;
  /** Email address of the site's admin account, which receives the site's notifications; must be an email address */
  adminEmail?: string | null | undefined;
  /** The region in which the site runs; a name from the catalog; must be text of 1 to 100 characters without control characters */
  region?: string | null | undefined;
  /** Logo and colors of the site; a name from the catalog; must be text of 1 to 100 characters without control characters */
  brand?: string | null | undefined;
  /** The courses that a new site contains; a name from the catalog; must be text of 1 to 100 characters without control characters */
  seed?: string | null | undefined;
  /** Whether users sign in with the hub's identity provider */
  identity?: boolean | null | undefined;
  /** Whether the site includes the hub's shared courses */
  content?: boolean | null | undefined;
  /** How the site includes the hub's shared courses; a name from the catalog; must be text of 1 to 100 characters without control characters */
  contentMode?: string | null | undefined;
  /** The ID or slug of the hub in the path, if given; must be text of 1 to 100 characters without control characters */
  federationId?: string | null | undefined;
  /** The same as lmsVersion; must be a version such as 4.5.12 */
  moodleVersion?: string | null | undefined;
  /** For a copy: the ID or domain of a spoke that you manage. The copy has its courses and users, and its settings unless given here. No credentials of the source are copied; must be text of 1 to 253 characters without control characters */
  copyOf?: string | null | undefined;
  /** The backup to copy: newest (the default), now to take one first, or an ID; must be text of 1 to 100 characters without control characters */
  copyBackup?: string | null | undefined;
}

export interface NewToken {
  /** The purpose of the token; must be text of 1 to 100 characters without control characters */
  name: string;
  /** What the token may do: readonly reads, provisioning also creates and removes spokes, cli does everything */
  scope: "cli" | "provisioning" | "readonly";
  /** When the token expires; without it, the token does not expire; must be an ISO 8601 timestamp such as 2026-11-21T12:00:00.000Z */
  expiresAt?: string | null | undefined;
}

export interface Notification {
  /** The ID of its audit event */
  id: string;
  /** What happened */
  kind: string;
  /** Who did it */
  actor: {
    /** A user's ID, or "system" */
    id: string;
    /** The user's email address, used to sign in */
    email: string;
  };
  /** The type of the object */
  objectType: string;
  /** The object's ID */
  objectId: string;
  /** More data; its fields depend on the kind */
  metadata: Record<string, unknown>;
  /** The IP address of the caller; empty for an operator's actions, unless an operator reads this */
  ip: string;
  /** The caller's user agent; empty for an operator's actions, unless an operator reads this */
  userAgent: string;
  /** When it happened */
  at: string;
  /** Whether you have read it */
  read: boolean;
  /** When you read it; null until then */
  readAt: string | null;
}

export interface Onboarding {
  /** Your account */
  user: User;
  /** The request for a hub, if one was created */
  federationRequest: FederationRequest | null;
}

export interface OnboardingAnswers {
  /** Your name; must be text of 1 to 200 characters without control characters */
  displayName?: string | null | undefined;
  /** Your new password, if you want one; must be a password of 12 to 256 characters */
  password?: string | null | undefined;
  /** The request for a hub, if one was created */
  federationRequest?: NewFederationRequest | null | undefined;
}

export interface OnboardingState {
  /** When onboarding was completed; null until then */
  onboardedAt: string | null;
}

export interface Operation {
  /** The operation's ID */
  id: string;
  /** The kind of operation */
  kind: string;
  /** The operation's state */
  state: "queued" | "running" | "succeeded" | "failed" | "cancelled";
  /** The ID of its hub */
  federationId: string | null;
  /** The ID of its spoke */
  spokeId: string | null;
  /** Number of the current step, or of the last one if it ended; 0 while queued */
  step: number;
  /** The number of steps */
  of: number;
  /** What the current step does, with its progress if known */
  label: string;
  /** The number of the attempt */
  attempt: number;
  /** Position in its lane, 1 if it is next; null unless queued */
  position: number | null;
  /** Estimated seconds until it ends, from the median of past runs; null if unknown or ended */
  etaSeconds: number | null;
  /** The operation that must finish first; null if there is none or you may not see it */
  waitingFor: {
    /** The operation's ID */
    id: string;
    /** The kind of operation */
    kind: string;
    /** What the current step does, with its progress if known */
    label: string;
    /** Number of the current step, or of the last one if it ended; 0 while queued */
    step: number;
    /** The number of steps */
    of: number;
    /** When it started */
    since: string;
    /** The ID of its hub */
    federationId: string | null;
    /** The ID of its spoke */
    spokeId: string | null;
  } | null;
  /** When the next attempt starts; null if no attempt is delayed */
  nextAttemptAt: string | null;
  /** What was skipped or could not be done although the operation continued */
  notes: string[];
  /** When it was created */
  createdAt: string;
  /** When it started; null while queued */
  startedAt: string | null;
  /** When it ended; null until then */
  finishedAt: string | null;
  /** Why the last attempt failed; null if it did not */
  error: {
    /** The cause, in a word */
    code: string;
    /** What could not be done, and how to make it possible */
    message: string;
    /** Name of the step that failed */
    step: string;
    /** Who can act: the user, the operator, or the cluster's administrator */
    fault: "user" | "operator" | "cluster";
    /** What to do */
    hint: string | null;
  } | null;
}

export interface OperationDetail {
  /** The operation's ID */
  id: string;
  /** The kind of operation */
  kind: string;
  /** The operation's state */
  state: "queued" | "running" | "succeeded" | "failed" | "cancelled";
  /** The ID of its hub */
  federationId: string | null;
  /** The ID of its spoke */
  spokeId: string | null;
  /** Number of the current step, or of the last one if it ended; 0 while queued */
  step: number;
  /** The number of steps */
  of: number;
  /** What the step does */
  label: string;
  /** The number of the attempt */
  attempt: number;
  /** Position in its lane, 1 if it is next; null unless queued */
  position: number | null;
  /** Estimated seconds until it ends, from the median of past runs; null if unknown or ended */
  etaSeconds: number | null;
  /** The operation that must finish first; null if there is none or you may not see it */
  waitingFor: {
    /** The operation's ID */
    id: string;
    /** The kind of operation */
    kind: string;
    /** What the current step does, with its progress if known */
    label: string;
    /** Number of the current step, or of the last one if it ended; 0 while queued */
    step: number;
    /** The number of steps */
    of: number;
    /** When it started */
    since: string;
    /** The ID of its hub */
    federationId: string | null;
    /** The ID of its spoke */
    spokeId: string | null;
  } | null;
  /** When the next attempt starts; null if no attempt is delayed */
  nextAttemptAt: string | null;
  /** What was skipped or could not be done although the operation continued */
  notes: string[];
  /** When it was created */
  createdAt: string;
  /** When it started; null while queued */
  startedAt: string | null;
  /** When it ended; null until then */
  finishedAt: string | null;
  /** The steps, in order. A step starts when the previous one ends */
  steps: {
    /** The step's name. It stays the same if the label changes */
    name: string;
    /** What the step does */
    label: string;
    /** When the step started; null until then, or if not recorded */
    startedAt: string | null;
    /** When the step ended; null until then, or if not recorded */
    finishedAt: string | null;
  }[];
  /** Why the last attempt failed, with logs and events; null if it did not */
  error: {
    /** The cause, in a word */
    code: string;
    /** What could not be done, and how to make it possible */
    message: string;
    /** Name of the step that failed */
    step: string;
    /** Who can act: the user, the operator, or the cluster's administrator */
    fault: "user" | "operator" | "cluster";
    /** What to do */
    hint: string | null;
    /** The last log lines of the failing pod */
    log: string[];
    /** Kubernetes events of the namespace */
    events: {
      /** When it happened */
      at: string;
      /** The object's kind and name */
      object: string;
      /** The cause, in a word */
      reason: string;
      /** The message of the Kubernetes event */
      message: string;
      /** How many, or how often */
      count: number;
    }[];
  } | null;
}

export interface Overview {
  /** The spokes that you can see */
  spokes: {
    /** The total number */
    total: number;
    /** The number in each state */
    byState: {
      /** The number in this state */
      provisioning: number;
      /** The number in this state */
      active: number;
      /** The number in this state */
      failed: number;
      /** The number in this state */
      suspending: number;
      /** The number in this state */
      suspended: number;
      /** The number in this state */
      resuming: number;
      /** The number in this state */
      updating: number;
      /** The number in this state */
      removing: number;
    };
    /** The number of active spokes whose health is degraded */
    degraded: number;
    /** The number of active spokes whose last restore test failed */
    unverified: number;
    /** The oldest of the last verifications of active spokes; null if no backup was ever verified */
    oldestVerifiedAt: string | null;
  };
  /** The hubs that you can see, newest first, with counts of the spokes that you can see */
  hubs: {
    /** The hub's ID */
    federationId: string;
    /** The total number */
    total: number;
    /** The number in each state */
    byState: {
      /** The number in this state */
      provisioning: number;
      /** The number in this state */
      active: number;
      /** The number in this state */
      failed: number;
      /** The number in this state */
      suspending: number;
      /** The number in this state */
      suspended: number;
      /** The number in this state */
      resuming: number;
      /** The number in this state */
      updating: number;
      /** The number in this state */
      removing: number;
    };
    /** The number of active spokes whose health is degraded */
    degraded: number;
    /** The number of active spokes whose last restore test failed */
    unverified: number;
    /** The oldest of the last verifications of active spokes; null if no backup was ever verified */
    oldestVerifiedAt: string | null;
  }[];
  /** Operations of these hubs and spokes that have not ended */
  queue: {
    /** The number that are queued */
    queued: number;
    /** The number that are running */
    running: number;
    /** How long the oldest queued operation has waited; null if none is queued */
    oldestWaitSeconds: number | null;
  };
  /** Templates from which new sites start. Only for operators who request all hubs; null otherwise */
  templates: {
    /** The cluster of the template */
    cluster: string;
    /** The version of sites that start from it */
    lmsVersion: string;
    /** ready when new sites can start from it */
    state: "creating" | "ready" | "failed" | "retiring";
    /** Why the template could not be created or used; null if it could */
    error: string | null;
    /** When the template may be created again after a failure; null if none failed */
    nextAttemptAt: string | null;
    /** When the template became ready */
    readyAt: string | null;
    /** When a site last started from it */
    lastUsedAt: string | null;
  }[] | null;
}

export interface OwnPatch {
  /** The display name; must be text of 1 to 200 characters without control characters */
  displayName?: string | null | undefined;
}

export interface PasswordChange {
  /** Your current password; must be a password of at most 4096 characters */
  current: string;
  /** Your new password; must be a password of 12 to 256 characters */
  password: string;
}

export interface PasswordReset {
  /** The value of ?token= in the emailed link; must be text of 1 to 200 characters without control characters */
  token: string;
  /** Your new password; must be a password of 12 to 256 characters */
  password: string;
  /** Whether to keep your API tokens; they are revoked unless this is true */
  keepTokens?: boolean | null | undefined;
}

export interface Problem {
  /** The HTTP status */
  statusCode: number;
  /** What went wrong, for programs. Each endpoint lists its codes */
  code: string;
  /** What could not be done, and how to make it possible */
  message: string;
  /** The reason phrase of the status */
  error: string;
}

export interface Readiness {
  /** Always ok; a service that is not ready answers 503 */
  status: "ok";
  /** The checks and their results */
  checks: Record<string, "ok">;
  /** What was skipped or could not be done although the operation continued */
  notes: string[];
}

export interface Rejection {
  /** Why the request is rejected, for the requester; must be text of 1 to 2000 characters without control characters */
  reason: string;
}

export interface ResetPassword {
  /** The user's ID */
  userId: string;
  /** The new password; shown only once */
  password: string;
}

export interface RestoreDecision {
  /** Whether the restore was done or declined; must be done or declined */
  state: "done" | "declined";
  /** Why it is declined, for the requester; must be text of 1 to 2000 characters without control characters */
  declineReason?: string | null | undefined;
}

export interface RestoreRequest {
  /** The request's ID */
  id: string;
  /** The ID of its hub */
  federationId: string;
  /** The ID of its spoke */
  spokeId: string;
  /** The backup to restore */
  backupId: string;
  /** Why a restore is needed */
  reason: string;
  /** Whether the request is open, and its result */
  state: "open" | "done" | "declined";
  /** The requester */
  requestedBy: {
    /** The user's ID */
    id: string;
    /** The user's email address, used to sign in */
    email: string;
  };
  /** The operator who decided; null until then, or if a restore closed the request */
  decidedBy: {
    /** The user's ID */
    id: string;
    /** The user's email address, used to sign in */
    email: string;
  } | null;
  /** When it was decided; null until then */
  decidedAt: string | null;
  /** Why it was declined; null otherwise */
  declineReason: string | null;
  /** The command that restores the backup, for operators; null for other users */
  command: string | null;
  /** When it was created */
  createdAt: string;
}

export interface Session {
  /** The session's ID */
  id: string;
  /** When it was created */
  createdAt: string;
  /** When it was last used, to the minute */
  lastUsedAt: string;
  /** When it expires if it is not used before */
  expiresAt: string;
  /** The IP address that signed in */
  ip: string;
  /** The user agent that signed in */
  userAgent: string;
  /** Whether this is the session of your request */
  current: boolean;
}

export interface SignInLink {
  /** The link to set a new password for the site's admin account and sign in; shown only once */
  url: string;
  /** When the link expires, by the site's settings */
  expiresAt: string;
}

export interface Signup {
  /** The email address that you will sign in with; must be an email address */
  email: string;
  /** Your new password; must be a password of 12 to 256 characters */
  password: string;
  /** Your name; must be text of 1 to 200 characters without control characters */
  displayName?: string | null | undefined;
}

export interface Spoke {
  /** The ID of the spoke */
  id: string;
  /** The ID of the spoke's hub */
  federationId: string;
  /** Lowercase letters, digits and hyphens, for addresses and commands */
  slug: string;
  /** The full name of the site, shown to visitors */
  displayName: string;
  /** The host name of the site */
  domain: string;
  /** CPU, memory and storage of the site; a name from the catalog */
  size: string;
  /** The Moodle version of the site; a name from the catalog */
  lmsVersion: string;
  /** Email address of the site's admin account, which receives the site's notifications */
  adminEmail: string;
  /** The region in which the site runs; a name from the catalog */
  region: string | null;
  /** Logo and colors of the site; a name from the catalog */
  brand: string | null;
  /** The courses that a new site contains; a name from the catalog */
  seed: string | null;
  /** Whether users sign in with the hub's identity provider */
  identity: boolean;
  /** Whether the site includes the hub's shared courses */
  content: boolean;
  /** How the site includes the hub's shared courses; a name from the catalog */
  contentMode: string | null;
  /** Whether the site sends email. A new copy holds its email until you set this to on; must be on or held */
  mail: "on" | "held";
  /** The state of the spoke */
  state:
    | "provisioning"
    | "active"
    | "failed"
    | "suspending"
    | "suspended"
    | "resuming"
    | "updating"
    | "removing"
    | "removed";
  /** Why the spoke is in this state; null if there is nothing to explain */
  stateReason: string | null;
  /** healthy if the login page responds and the volumes are bound, degraded after three failed checks, or unknown */
  health: "healthy" | "degraded" | "unknown";
  /** Whether a user has put the site in maintenance mode */
  maintenance: boolean;
  /** Digest of the Moodle image that the site runs; null until a pod reports it */
  imageDigest: string | null;
  /** The Kubernetes namespace of the site */
  namespace: string;
  /** Former domains that redirect to the current one. Until then, no other spoke can use them */
  formerDomains: {
    /** The domain */
    domain: string;
    /** When the redirect and the reservation end */
    until: string;
  }[];
  /** The URL of the site */
  url: string;
  /** The same as lmsVersion */
  moodleVersion: string;
  /** The source of a copy; null if this is not a copy */
  from: {
    /** The ID of the copied spoke */
    spokeId: string;
    /** The ID of the copied backup; null if one would be taken first */
    backupId: string;
  } | null;
  /** The same as state */
  status:
    | "provisioning"
    | "active"
    | "failed"
    | "suspending"
    | "suspended"
    | "resuming"
    | "updating"
    | "removing"
    | "removed";
  /** The running or queued operation; null if no operation is queued or running */
  operation: Operation | null;
  /** When it was created */
  createdAt: string;
  /** When it last changed */
  updatedAt: string;
  /** When the site was first ready */
  readyAt: string | null;
  /** When the cluster was last checked */
  observedAt: string | null;
  /** Differences between the cluster and the applied manifests at the last check; null if not known */
  drift: {
    /** Objects of the spoke that were changed or deleted */
    objects: {
      /** Kind and name */
      object: string;
      /** changed or missing */
      what: "changed" | "missing";
      /** The fields that differ; empty for a missing object */
      fields: string[];
    }[];
    /** Set if the spoke was rendered from an older revision of the blueprint; reapply updates it */
    revision: {
      /** The revision that the spoke was rendered from */
      from: string;
      /** The current revision */
      to: string;
    } | null;
  } | null;
}

export interface SpokeAction {
  /** The action */
  action:
    | "suspend"
    | "resume"
    | "restart"
    | "upgrade"
    | "resize"
    | "maintenance-on"
    | "maintenance-off"
    | "purge-caches"
    | "backup"
    | "run-cron"
    | "reset-admin-password"
    | "reapply"
    | "retry";
  /** For upgrade (required): the new version; must be a version such as 4.5.12 */
  lmsVersion?: string | null | undefined;
  /** The same as lmsVersion; must be a version such as 4.5.12 */
  moodleVersion?: string | null | undefined;
  /** For resize (required): the new size; must be text of 1 to 100 characters without control characters */
  size?: string | null | undefined;
  /** For upgrade: continues without a backup if the cluster cannot take one */
  skipBackup?: boolean | null | undefined;
}

export interface SpokeJoining {
  /** added; invited by email; or unchanged if the user was already a member */
  status: "added" | "invited" | "unchanged";
  /** The user's ID */
  userId: string;
  /** The user's email address, used to sign in */
  email: string;
  /** When the invitation expires */
  expiresAt?: string;
  /** The spoke's ID */
  spokeId: string;
}

export interface SpokePatch {
  /** The full name of the site, shown to visitors; must be text of 1 to 200 characters without control characters */
  displayName?: string | null | undefined;
  /** The host name of the site; must be a host name such as school.example.org */
  domain?: string | null | undefined;
  /** Email address of the site's admin account, which receives the site's notifications; must be an email address */
  adminEmail?: string | null | undefined;
  /** Logo and colors of the site; a name from the catalog; must be text of 1 to 100 characters without control characters */
  brand?: string | null | undefined;
  /** Whether the site sends email. A new copy holds its email until you set this to on; must be on or held */
  mail?: "on" | "held" | null | undefined;
}

export interface SpokePreview {
  /** Always true: nothing was changed */
  dryRun: true;
  /** The spoke that would be created */
  spoke: {
    /** The ID of the spoke's hub */
    federationId: string;
    /** Lowercase letters, digits and hyphens, for addresses and commands */
    slug: string;
    /** The full name of the site, shown to visitors */
    displayName: string;
    /** The host name of the site */
    domain: string;
    /** CPU, memory and storage of the site; a name from the catalog */
    size: string;
    /** The Moodle version of the site; a name from the catalog */
    lmsVersion: string;
    /** Email address of the site's admin account, which receives the site's notifications */
    adminEmail: string;
    /** The region in which the site runs; a name from the catalog */
    region: string | null;
    /** Logo and colors of the site; a name from the catalog */
    brand: string | null;
    /** The courses that a new site contains; a name from the catalog */
    seed: string | null;
    /** Whether users sign in with the hub's identity provider */
    identity: boolean;
    /** Whether the site includes the hub's shared courses */
    content: boolean;
    /** How the site includes the hub's shared courses; a name from the catalog */
    contentMode: string | null;
    /** Whether the site sends email. A new copy holds its email until you set this to on; must be on or held */
    mail: "on" | "held";
    /** The Kubernetes namespace of the site */
    namespace: string;
    /** The URL of the site */
    url: string;
    /** The same as lmsVersion */
    moodleVersion: string;
    /** The source of a copy; null if this is not a copy */
    from: {
      /** The ID of the copied spoke */
      spokeId: string;
      /** The ID of the copied backup; null if one would be taken first */
      backupId: string | null;
    } | null;
  };
  /** The objects that would be applied, in order */
  objects: (Record<string, unknown>)[];
  /** The quota of the namespace, and the use of it */
  quota: {
    /** The resources that it would use at most */
    demand: {
      /** The resource requests */
      requests: {
        /** CPU, as a Kubernetes quantity */
        cpu: string;
        /** Memory, as a Kubernetes quantity */
        memory: string;
      };
      /** The resource limits */
      limits: {
        /** CPU, as a Kubernetes quantity */
        cpu: string;
        /** Memory, as a Kubernetes quantity */
        memory: string;
      };
      /** Storage, as a Kubernetes quantity */
      storage: string;
    };
    /** The quota of the namespace */
    quota: {
      /** The resource requests */
      requests: {
        /** CPU, as a Kubernetes quantity */
        cpu: string;
        /** Memory, as a Kubernetes quantity */
        memory: string;
      };
      /** The resource limits */
      limits: {
        /** CPU, as a Kubernetes quantity */
        cpu: string;
        /** Memory, as a Kubernetes quantity */
        memory: string;
      };
      /** Storage, as a Kubernetes quantity */
      storage: string;
    };
    /** The resources that exceed the quota */
    over: string[];
  };
  /** The price */
  price: Cost;
}

export interface StreamEvent {
  /** The event's number in its hub, without gaps */
  id: string;
  /** The event's type: what changed, and to which state */
  type: string;
  /** When it happened */
  at: string;
  /** The ID of its hub */
  federationId: string;
  /** The ID of its spoke */
  spokeId?: string;
  /** The spoke's or hub's state after the change */
  state: string;
  /** The running operation */
  operation?: {
    /** The operation's ID */
    id: string;
    /** The kind of operation */
    kind: string;
    /** Number of the current step, or of the last one if it ended; 0 while queued */
    step: number;
    /** The number of steps */
    of: number;
    /** What the current step does, with its progress if known */
    label: string;
    /** The number of the attempt */
    attempt: number;
  };
  /** Why it failed; absent otherwise */
  error?: string;
}

export interface Token {
  /** The token's ID */
  id: string;
  /** The purpose of the token */
  name: string;
  /** What the token may do: readonly reads, provisioning also creates and removes spokes, cli does everything */
  scope: "cli" | "provisioning" | "readonly";
  /** The first characters of the token, to recognize it */
  prefix: string;
  /** When it was created */
  createdAt: string;
  /** When it expires; null if it does not */
  expiresAt: string | null;
  /** When it was last used, to the minute; null if never */
  lastUsedAt: string | null;
}

export interface UnreadCount {
  /** The number of your unread notifications */
  count: number;
}

export interface User {
  /** The user's ID */
  id: string;
  /** The user's email address, used to sign in */
  email: string;
  /** operator: everything; hub_admin: own hubs; spoke_admin: own spokes */
  role: "operator" | "hub_admin" | "spoke_admin";
  /** IDs of the hubs that the user manages */
  federationIds: string[];
  /** The user's name */
  displayName: string;
  /** IDs of the spokes that the user manages without managing their hub */
  spokeIds: string[];
}

export interface UserPatch {
  /** The user's name; must be text of 1 to 200 characters without control characters */
  displayName?: string | null | undefined;
  /** Whether the user is an operator */
  operator?: boolean | null | undefined;
  /** Whether the account is disabled */
  disabled?: boolean | null | undefined;
}

export interface UserRecord {
  /** The user's ID */
  id: string;
  /** The user's email address, used to sign in */
  email: string;
  /** operator: everything; hub_admin: own hubs; spoke_admin: own spokes */
  role: "operator" | "hub_admin" | "spoke_admin";
  /** IDs of the hubs that the user manages */
  federationIds: string[];
  /** The user's name */
  displayName: string;
  /** IDs of the spokes that the user manages without managing their hub */
  spokeIds: string[];
  /** Whether the user is an operator */
  operator: boolean;
  /** Whether the account can be used, or why not */
  state: "active" | "invited" | "unverified" | "disabled";
  /** When the email address was verified; null until then */
  emailVerifiedAt: string | null;
  /** Why the mail server permanently refused the last email to this address; null if it did not */
  mailRefusal: string | null;
  /** When an operator disabled the account; null if it is enabled */
  disabledAt: string | null;
  /** When it was created */
  createdAt: string;
  /** When it last changed */
  updatedAt: string;
}

export interface VerifyEmail {
  /** The value of ?token= in the emailed link; must be text of 1 to 200 characters without control characters */
  token: string;
  /** Your new password; must be a password of 12 to 256 characters */
  password?: string | null | undefined;
}
