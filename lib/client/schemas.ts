/** Written by `npm run generate`; commit it, do not edit it. */
export interface AcceptInvite {
  /** What stands behind ?token= in the mailed link; must be text of 1 to 200 characters without control characters */
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
  /** Nothing was done */
  dryRun: true;
  /** What to do */
  action: string;
  /** The spoke that it is about */
  spokeId: string;
  /** The spoke's state now */
  state: string;
  /** The spoke's state once the action has succeeded */
  becomes: string;
  /** Whether the site is away meanwhile, or from then on */
  downtime: boolean;
  /** What would be done, in order */
  steps: string[];
  /** What would change, by the cluster's own dry run */
  changes: {
    /** What it is about */
    object: string;
    /** Which field of it; empty for the whole of what would be made */
    field: string;
    /** The value now; null where there is none */
    from: unknown;
    /** The value then; null where there is none */
    to: unknown;
  }[];
  /** What it does that no field shows, and what the cluster would refuse */
  notes: string[];
  /** What it would cost */
  price: Cost;
}

export interface Approval {
  /** Its short name in URLs and host names; must be 1 to 63 lower-case letters, digits or hyphens, neither beginning nor ending with a hyphen */
  slug?: string | null | undefined;
  /** What people call it; must be text of 1 to 200 characters without control characters */
  name?: string | null | undefined;
  /** Where it runs, as the catalogue names it; must be text of 1 to 100 characters without control characters */
  region?: string | null | undefined;
  /** How the hub is open to others, as the catalogue names it; must be text of 1 to 100 characters without control characters */
  mode?: string | null | undefined;
  /** What was bought, as the catalogue names it; must be text of 1 to 100 characters without control characters */
  tier?: string | null | undefined;
}

export interface AuditEvent {
  /** The event's id */
  id: string;
  /** What happened */
  kind: string;
  /** Who did it */
  actor: {
    /** A user's id, or "system" */
    id: string;
    /** The address that the user signs in with */
    email: string;
  };
  /** What kind of thing it happened to */
  objectType: string;
  /** Which of them */
  objectId: string;
  /** What else is known, by kind */
  metadata: Record<string, unknown>;
  /** From which address; empty where an operator acted, unless an operator asks */
  ip: string;
  /** With which program; empty where an operator acted, unless an operator asks */
  userAgent: string;
  /** When */
  at: string;
}

export interface BackupSummary {
  /** Whether the cluster can take backups that outlive the spoke, as it was last seen; lastError says why not */
  available: boolean;
  /** When a backup is taken by itself, while the spoke is active: each spoke has a time of its own */
  schedule: string;
  /** How many are kept: the newest of so many days, weeks and months that have one, by UTC */
  retention: {
    /** Days of which the newest is kept */
    daily: number;
    /** Weeks (ISO) of which the newest is kept */
    weekly: number;
    /** Months of which the newest is kept */
    monthly: number;
  };
  /** When the newest backup was ready; null if there is none */
  lastSuccessAt: string | null;
  /** When one failed last; null if none ever did, and while the spoke is suspended: then no backup is due */
  lastFailureAt: string | null;
  /** Why backups are not available, or else why the last failure was one */
  lastError: string | null;
  /** How often the newest backup is restored into a namespace of its own, to prove it: RESTORE_DRILLS */
  drills: "off" | "weekly" | "nightly";
  /** When a backup of the spoke was proved last; null where none was */
  lastProvedAt: string | null;
  /** Since when none could be proved; null where the last drill proved one */
  unprovedSince: string | null;
  /** What there is, newest first: each is both volumes of the spoke, cut one right after the other. A failed attempt stands here for a week at most */
  snapshots: {
    /** The backup's id, to be named when one is to be restored */
    id: string;
    /** When it was begun with */
    createdAt: string;
    /** When it was whole; null until then */
    readyAt: string | null;
    /** Bytes of the volumes restored from it; null where the storage does not say */
    sizeBytes: number | null;
    /** How far it is */
    state: "pending" | "ready" | "failed";
    /** Of the platform, as the spoke had it then; null where that was not noted */
    lmsVersion: string | null;
    /** When a drill last restored it into a namespace of its own and found it whole; null where none has */
    provedAt: string | null;
    /** What was found then; null where none has */
    proof: {
      /** Courses in the restored site; null where nobody counted */
      courses: number | null;
      /** Accounts in the restored site, without the guest; null where nobody counted */
      users: number | null;
      /** From the drill's beginning until the login page answered: what a recovery takes */
      seconds: number;
      /** Whether both were counted as the backup was taken, too, and so could be seen to be what they were */
      compared: boolean;
      /** Uploaded files that the database names, all there with their size; null where another store keeps them, or nobody compared */
      files: number | null;
      /** How many of these were read whole and had the right hash, chosen at random */
      hashed: number | null;
      /** The release of the code, which is the database's; null where nobody compared */
      codeRelease: string | null;
    } | null;
    /** Why the last drill did not prove it, or that there was no room to try; null where it did, or none was */
    proofError: string | null;
  }[];
  /** Volume claims that a restore has replaced, newest first: the way back. They go after their time, once a backup was taken since */
  kept: {
    /** Its name in the spoke's namespace */
    claim: string;
    /** Since when the site uses another */
    since: string;
    /** It stays until then at least */
    until: string;
  }[];
}

export interface Billing {
  /** Whether its spokes are billed */
  connected: boolean;
  /** Where the invoices go */
  email: string | null;
  /** How the subscription stands at the payment provider; null where there is none yet */
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
  /** Since when an invoice has been overdue; null where none is */
  pastDueSince: string | null;
  /** ISO 4217; null where there is no subscription yet */
  currency: string | null;
  /** What is paid for, as the payment provider counts it */
  items: {
    /** Which size of spokes it is for; null for what is no spoke */
    size: string | null;
    /** How many */
    quantity: number;
    /** What they cost a month, all of them; null where that is no one amount */
    monthly: number | null;
  }[];
  /** What the hub costs a month; null where that is no one amount, or nothing is billed */
  monthly: number | null;
  /** The latest invoice, or the one that is to be paid first while one is late; null where there is none */
  invoice: {
    /** What is printed on it; null while it is a draft */
    number: string | null;
    /** How the payment provider calls it */
    status: string;
    /** What it comes to */
    total: number;
    /** What of that is still to be paid */
    remaining: number;
    /** ISO 4217 */
    currency: string;
    /** When it has to be paid; null where it is charged at once */
    dueAt: string | null;
    /** The payment provider's page for it. Whoever has the address can open it; null while it is a draft */
    url: string | null;
  } | null;
  /** Whether the payment provider is still to be told of a change */
  pending: boolean;
  /** Where the payment provider counts something else than there is; null where it does not */
  difference: {
    /** What differs */
    message: string;
    /** The same in numbers; empty where it is more than numbers */
    sizes: {
      /** How much it may take, as the catalogue names it */
      size: string;
      /** How many are to be billed */
      spokes: number;
      /** How many the payment provider counts */
      billed: number;
    }[];
  } | null;
  /** Why the payment provider could not be told, for operators; null for everybody else */
  error: string | null;
  /** When the subscription was last looked at; null if never */
  seenAt: string | null;
}

export interface BillingAddress {
  /** Where the invoices go; must be an e-mail address */
  email: string;
}

export interface BulkAction {
  /** The spokes to ask; must be a list of 1 to 500 ids */
  ids: readonly string[];
  /** What to do */
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
  /** Of upgrade, where it is needed: the target version; must be a version such as 4.5.12 */
  lmsVersion?: string | null | undefined;
  /** The same as lmsVersion, under the platform's own name; must be a version such as 4.5.12 */
  moodleVersion?: string | null | undefined;
  /** Of resize, where it is needed: the new size; must be text of 1 to 100 characters without control characters */
  size?: string | null | undefined;
  /** Of upgrade: go on without a backup where the cluster cannot take one */
  skipBackup?: boolean | null | undefined;
}

export interface BulkOutcome {
  /** The spoke's id */
  id: string;
  /** Whether it will be done */
  accepted: boolean;
  /** The spoke, once it was accepted */
  spoke?: Spoke;
  /** Why it was not accepted; absent when it was */
  error?: {
    /** The status of the answer */
    statusCode: number;
    /** What went wrong, in a word */
    code: string;
    /** What could not be done, and what would make it possible */
    message: string;
    /** The status in words */
    error: string;
  };
}

export interface Catalog {
  /** Where hubs and spokes can run */
  regions: {
    /** Its name in requests */
    name: string;
    /** What people call it */
    title: string | null;
  }[];
  /** What hubs can be sold as */
  tiers: {
    /** Its name in requests */
    name: string;
    /** What people call it */
    title: string | null;
  }[];
  /** How hubs can be open */
  modes: {
    /** Its name in requests */
    name: string;
    /** What people call it */
    title: string | null;
  }[];
  /** How shared content can arrive */
  contentModes: {
    /** Its name in requests */
    name: string;
    /** What people call it */
    title: string | null;
  }[];
  /** Looks */
  brands: {
    /** Its name in requests */
    name: string;
    /** What people call it */
    title: string | null;
  }[];
  /** Courses to begin with */
  seeds: {
    /** Its name in requests */
    name: string;
    /** What people call it */
    title: string | null;
  }[];
  /** Versions of the platform: newest first, previews last */
  versions: {
    /** Its name in requests */
    name: string;
    /** What people call it */
    title: string | null;
    /** Whether it is not yet released */
    preview: boolean;
    /** Whether it is taken when nothing is said */
    default: boolean;
  }[];
  /** Sizes of spokes */
  sizes: {
    /** Its name in requests */
    name: string;
    /** What people call it */
    title: string | null;
    /** Whether it is taken when nothing is said */
    default: boolean;
    /** What a spoke of this size takes */
    resources: {
      /** The site */
      app: {
        /** What is kept free for it */
        requests: {
          /** Processor time, in Kubernetes' notation */
          cpu: string;
          /** Memory, in Kubernetes' notation */
          memory: string;
        };
        /** What it may take at most */
        limits: {
          /** Processor time, in Kubernetes' notation */
          cpu: string;
          /** Memory, in Kubernetes' notation */
          memory: string;
        };
      };
      /** Its database */
      database: {
        /** What is kept free for it */
        requests: {
          /** Processor time, in Kubernetes' notation */
          cpu: string;
          /** Memory, in Kubernetes' notation */
          memory: string;
        };
        /** What it may take at most */
        limits: {
          /** Processor time, in Kubernetes' notation */
          cpu: string;
          /** Memory, in Kubernetes' notation */
          memory: string;
        };
      };
      /** Disk space */
      disks: {
        /** Disk of uploaded files */
        files: string;
        /** Disk of the database */
        database: string;
      };
      /** Requests that the site works on at once */
      workers: number;
    };
    /** What its namespace may take at most */
    quota: {
      /** What is kept free for it */
      requests: {
        /** Processor time, in Kubernetes' notation */
        cpu: string;
        /** Memory, in Kubernetes' notation */
        memory: string;
      };
      /** What it may take at most */
      limits: {
        /** Processor time, in Kubernetes' notation */
        cpu: string;
        /** Memory, in Kubernetes' notation */
        memory: string;
      };
      /** Disk space, in Kubernetes' notation */
      storage: string;
    };
    /** A month for each spoke; null where it has none */
    price: {
      /** ISO 4217 */
      currency: string;
      /** A month for each, in minor units: 1900 of EUR are € 19.00, 1900 of JPY are ¥ 1,900 */
      monthly: number;
    } | null;
  }[];
  /** Sections that are no closed choice: any text is taken, of versions any version */
  open: string[];
  /** What is taken where a request says nothing; null for none, or for a spoke's region its hub's */
  defaults: {
    /** The size that is taken */
    size: string;
    /** The version that is taken */
    lmsVersion: string;
    /** Whether people sign in through the hub's identity provider */
    identity: boolean;
    /** Whether it has the hub's shared content */
    content: boolean;
    /** None: a hub has none, and a spoke has its hub's */
    region: string | null;
    /** None */
    tier: string | null;
    /** None */
    mode: string | null;
    /** None */
    contentMode: string | null;
    /** None: the platform's own look */
    brand: string | null;
    /** None: it begins without courses */
    seed: string | null;
  };
  /** That of all prices; null where there are none, or in several currencies */
  currency: string | null;
  /** Whether a payment provider is connected, so that prices are charged and not only shown */
  charged: boolean;
  /** What a spoke's domain ends in where none is asked for: its slug, a dot, and this */
  rootDomain: string;
}

export interface Changelog {
  /** Version of the API */
  api: string;
  /** The release that answers */
  version: string;
  /** What is announced at least 30 days ahead; what has taken effect stays for as long as it is declared */
  notices: {
    /** Names it here, on the page and in no other way */
    id: string;
    /** An endpoint that ends or changes, or a limit that comes */
    kind: "deprecation" | "limit";
    /** What it is about, in a line */
    title: string;
    /** Of a deprecation: the endpoint's method */
    method?: string;
    /** Of a deprecation: the endpoint's path, as in the reference */
    path?: string;
    /** announced until it takes effect, in_effect from then on */
    state: "announced" | "in_effect";
    /** Since when it is announced */
    announcedAt: string;
    /** When the endpoint ends, or the limit begins to hold */
    takesEffectAt: string;
    /** What to do about it; backticks mark code */
    note: string;
    /** Where people read of it */
    url: string;
  }[];
  /** What each release changed; what is no release yet comes first */
  releases: {
    /** Its number, or unreleased for what is at work and not yet numbered */
    version: string;
    /** The day of its release; null for what is none yet */
    releasedAt: string | null;
    /** What users notice, an entry each; backticks mark code, double asterisks what matters */
    changes: string[];
  }[];
}

export type Cost = {
  /** Whether it can be told: not without a payment provider, for a hub that is not billed, for a size without a price, and by who does not run the hub */
  available: true;
  /** ISO 4217 */
  currency: string;
  /** The size that the spoke has then */
  size: string;
  /** What this spoke costs each month from then on, in minor units: 1900 of EUR are € 19.00, 1900 of JPY are ¥ 1,900 */
  recurringMonthly: number;
  /** What is due now for the change, prorated over the month, in minor units; of a hub's first spoke the first invoice. Negative where something is credited */
  dueNow: number;
  /** As of when that was computed */
  prorationDate: string;
} | {
  /** Whether it can be told: not without a payment provider, for a hub that is not billed, for a size without a price, and by who does not run the hub */
  available: false;
  /** Why, in a word */
  reason?: string;
};

export interface Federation {
  /** The hub's id */
  id: string;
  /** Its short name in URLs and host names */
  slug: string;
  /** What people call it */
  name: string;
  /** Where it runs, as the catalogue names it */
  region: string | null;
  /** How the hub is open to others, as the catalogue names it */
  mode: string | null;
  /** What was bought, as the catalogue names it */
  tier: string | null;
  /** What the hub is doing */
  state: "provisioning" | "active" | "failed" | "removing" | "removed";
  /** The same as state */
  status: "provisioning" | "active" | "failed" | "removing" | "removed";
  /** Why it is in this state, where that needs saying */
  stateReason: string | null;
  /** How many spokes are not removed */
  spokeCount: number;
  /** When it was made */
  createdAt: string;
  /** When it last changed */
  updatedAt: string;
  /** What it is busy with, or null */
  operation: Operation | null;
}

export interface FederationAction {
  /** What to do: a failed hub can be tried again */
  action: "retry";
}

export interface FederationPatch {
  /** If given, the slug that the hub has: it cannot be changed; must be text of 1 to 100 characters without control characters */
  slug?: string | null | undefined;
  /** What people call it; must be text of 1 to 200 characters without control characters */
  name?: string | null | undefined;
  /** Where it runs, as the catalogue names it; must be text of 1 to 100 characters without control characters */
  region?: string | null | undefined;
  /** How the hub is open to others, as the catalogue names it; must be text of 1 to 100 characters without control characters */
  mode?: string | null | undefined;
  /** What was bought, as the catalogue names it; must be text of 1 to 100 characters without control characters */
  tier?: string | null | undefined;
}

export interface FederationRequest {
  /** The request's id */
  id: string;
  /** Its short name in URLs and host names */
  slug: string;
  /** What people call it */
  name: string;
  /** Where it runs, as the catalogue names it */
  region: string | null;
  /** How the hub is open to others, as the catalogue names it */
  mode: string | null;
  /** What was bought, as the catalogue names it */
  tier: string | null;
  /** Why it is wanted */
  reason: string | null;
  /** What became of it */
  state: "pending" | "approved" | "rejected" | "withdrawn";
  /** Who asked */
  requestedBy: {
    /** The user's id */
    id: string;
    /** The address that the user signs in with */
    email: string;
  };
  /** Who decided, or who withdrew it; null until then */
  decidedBy: {
    /** The user's id */
    id: string;
    /** The address that the user signs in with */
    email: string;
  } | null;
  /** When; null until then */
  decidedAt: string | null;
  /** Why it was rejected; null otherwise */
  rejectReason: string | null;
  /** The hub that was made of it; null until then */
  federationId: string | null;
  /** When it was made */
  createdAt: string;
}

export interface ForgotPassword {
  /** The address that you sign in with; must be an e-mail address */
  email: string;
}

export interface HubJoining {
  /** added, invited by mail, or unchanged because it was so already */
  status: "added" | "invited" | "unchanged";
  /** The user */
  userId: string;
  /** The address that the user signs in with */
  email: string;
  /** Until when the invitation is good */
  expiresAt?: string;
  /** The hub */
  federationId: string;
}

export interface LoggedIn {
  /** Who calls */
  user: User;
  /** What is still to be done, such as proving the address; absent where nothing is */
  message?: string;
}

export interface Login {
  /** The address that you sign in with; must be an e-mail address */
  email: string;
  /** The password, as it was typed; must be a password of at most 4096 characters */
  password: string;
}

export interface Marked {
  /** How many became read by this call */
  marked: number;
}

export interface Me {
  /** Who calls */
  user: User;
}

export interface Member {
  /** The user */
  userId: string;
  /** The address that the user signs in with */
  email: string;
  /** The person's name */
  displayName: string;
  /** Whether the address is still unproved: until then the membership opens nothing */
  pending: boolean;
  /** Why the mail server refused the last mail to the address for good; null if it did not */
  mailRefused: string | null;
  /** Since when */
  createdAt: string;
}

export interface MintedToken {
  /** The token's id */
  id: string;
  /** What it is for */
  name: string;
  /** What it may at most: readonly reads, provisioning also makes and removes spokes, cli does all */
  scope: "cli" | "provisioning" | "readonly";
  /** How it begins, to tell it by */
  prefix: string;
  /** When it was made */
  createdAt: string;
  /** When it ends; null when it does not */
  expiresAt: string | null;
  /** The token itself, shown this once */
  token: string;
}

export interface NewFederation {
  /** Its short name in URLs and host names; must be 1 to 63 lower-case letters, digits or hyphens, neither beginning nor ending with a hyphen */
  slug: string;
  /** What people call it; must be text of 1 to 200 characters without control characters */
  name?: string | null | undefined;
  /** Where it runs, as the catalogue names it; must be text of 1 to 100 characters without control characters */
  region?: string | null | undefined;
  /** How the hub is open to others, as the catalogue names it; must be text of 1 to 100 characters without control characters */
  mode?: string | null | undefined;
  /** What was bought, as the catalogue names it; must be text of 1 to 100 characters without control characters */
  tier?: string | null | undefined;
}

export interface NewFederationRequest {
  /** Its short name in URLs and host names; must be 1 to 63 lower-case letters, digits or hyphens, neither beginning nor ending with a hyphen */
  slug: string;
  /** What people call it; must be text of 1 to 200 characters without control characters */
  name?: string | null | undefined;
  /** Where it runs, as the catalogue names it; must be text of 1 to 100 characters without control characters */
  region?: string | null | undefined;
  /** How the hub is open to others, as the catalogue names it; must be text of 1 to 100 characters without control characters */
  mode?: string | null | undefined;
  /** What was bought, as the catalogue names it; must be text of 1 to 100 characters without control characters */
  tier?: string | null | undefined;
  /** Why it is wanted; must be text of 1 to 2000 characters without control characters */
  reason?: string | null | undefined;
}

export interface NewMember {
  /** Whom to bring in; must be an e-mail address */
  email: string;
  /** The person's name, for somebody new; must be text of 1 to 200 characters without control characters */
  displayName?: string | null | undefined;
}

export interface NewRestoreRequest {
  /** The backup to restore from; must be text of 1 to 100 characters without control characters */
  backupId: string;
  /** Why a restore is needed; must be text of 1 to 2000 characters without control characters */
  reason: string;
}

export interface NewSpoke {
  /** Its short name in URLs and host names; must be 1 to 63 lower-case letters, digits or hyphens, neither beginning nor ending with a hyphen */
  slug: string;
  /** If given, the id or slug of the hub in the path; must be text of 1 to 100 characters without control characters */
  federationId?: string | null | undefined;
  /** What people call it; must be text of 1 to 200 characters without control characters */
  displayName?: string | null | undefined;
  /** Host name under which the site answers; must be a host name such as school.example.org */
  domain?: string | null | undefined;
  /** How much it may take, as the catalogue names it; must be text of 1 to 100 characters without control characters */
  size?: string | null | undefined;
  /** Whether people sign in through the hub's identity provider */
  identity?: boolean | null | undefined;
  /** Whether it has the hub's shared content */
  content?: boolean | null | undefined;
  /** How shared content arrives, as the catalogue names it; must be text of 1 to 100 characters without control characters */
  contentMode?: string | null | undefined;
  /** The look, as the catalogue names it; must be text of 1 to 100 characters without control characters */
  brand?: string | null | undefined;
  /** Address of the site's first administrator; must be an e-mail address */
  adminEmail?: string | null | undefined;
  /** Where it runs, as the catalogue names it; must be text of 1 to 100 characters without control characters */
  region?: string | null | undefined;
  /** Version of the learning platform; must be a version such as 4.5.12 */
  lmsVersion?: string | null | undefined;
  /** The same as lmsVersion, under the platform's own name; must be a version such as 4.5.12 */
  moodleVersion?: string | null | undefined;
  /** The courses that it begins with, as the catalogue names them; must be text of 1 to 100 characters without control characters */
  seed?: string | null | undefined;
  /** For a copy: the id or domain of a spoke that you may act on. The new one gets its courses and people, and what is left out here is as it is there; nothing that lets anybody into the other site comes along; must be text of 1 to 253 characters without control characters */
  copyOf?: string | null | undefined;
  /** From which of its backups: newest, which is meant where it is left out; now for one that is taken first; or an id; must be text of 1 to 100 characters without control characters */
  copyBackup?: string | null | undefined;
}

export interface NewToken {
  /** What it is for; must be text of 1 to 100 characters without control characters */
  name: string;
  /** What it may at most: readonly reads, provisioning also makes and removes spokes, cli does all */
  scope: "cli" | "provisioning" | "readonly";
  /** When it ends; never when absent; must be an ISO 8601 timestamp such as 2026-11-21T12:00:00.000Z */
  expiresAt?: string | null | undefined;
}

export interface Notification {
  /** Its audit event's id */
  id: string;
  /** What happened */
  kind: string;
  /** Who did it */
  actor: {
    /** A user's id, or "system" */
    id: string;
    /** The address that the user signs in with */
    email: string;
  };
  /** What kind of thing it happened to */
  objectType: string;
  /** Which of them */
  objectId: string;
  /** What else is known, by kind */
  metadata: Record<string, unknown>;
  /** From which address; empty where an operator acted, unless an operator asks */
  ip: string;
  /** With which program; empty where an operator acted, unless an operator asks */
  userAgent: string;
  /** When */
  at: string;
  /** Whether you have read it */
  read: boolean;
  /** When you read it; null until then */
  readAt: string | null;
}

export interface Onboarding {
  /** Who you are now */
  user: User;
  /** The request for a hub, if one was made */
  federationRequest: FederationRequest | null;
}

export interface OnboardingAnswers {
  /** Your name; must be text of 1 to 200 characters without control characters */
  displayName?: string | null | undefined;
  /** A new password, if you want one; must be a password of 12 to 256 characters */
  password?: string | null | undefined;
  /** The request for a hub, if one was made */
  federationRequest?: NewFederationRequest | null | undefined;
}

export interface OnboardingState {
  /** When onboarding was completed; null until then */
  onboardedAt: string | null;
}

export interface Operation {
  /** The operation's id */
  id: string;
  /** What is done */
  kind: string;
  /** How far it is */
  state: "queued" | "running" | "succeeded" | "failed" | "cancelled";
  /** The hub that it belongs to */
  federationId: string | null;
  /** The spoke that it is about */
  spokeId: string | null;
  /** Number of the step under way, or at which it ended; 0 while queued */
  step: number;
  /** How many steps there are */
  of: number;
  /** What the step does, and how far it is where that is known */
  label: string;
  /** Which try this is */
  attempt: number;
  /** Its place in its lane, 1 when nothing is ahead; null unless queued */
  position: number | null;
  /** Seconds until it is done, by the median of past runs; null when unknown or finished */
  etaSeconds: number | null;
  /** The operation that it waits for; null too where you may not see that one */
  waitingFor: {
    /** Its id */
    id: string;
    /** What is done */
    kind: string;
    /** What the step does, and how far it is where that is known */
    label: string;
    /** Number of the step under way, or at which it ended; 0 while queued */
    step: number;
    /** How many steps there are */
    of: number;
    /** Since when it runs */
    since: string;
    /** The hub that it belongs to */
    federationId: string | null;
    /** The spoke that it is about */
    spokeId: string | null;
  } | null;
  /** When it is tried again; null when it need not wait for that */
  nextTryAt: string | null;
  /** What was left out or could not be done, though the operation went on */
  notes: string[];
  /** When it was made */
  createdAt: string;
  /** When it began; null while queued */
  startedAt: string | null;
  /** When it ended; null until then */
  finishedAt: string | null;
  /** Why the last try failed, or null */
  error: {
    /** What went wrong, in a word */
    code: string;
    /** What could not be done, and what would make it possible */
    message: string;
    /** Name of the step that failed */
    step: string;
    /** Whose turn it is: the user's, the operator's or the cluster's */
    fault: "user" | "operator" | "cluster";
    /** What to do */
    hint: string | null;
  } | null;
}

export interface OperationDetail {
  /** The operation's id */
  id: string;
  /** What is done */
  kind: string;
  /** How far it is */
  state: "queued" | "running" | "succeeded" | "failed" | "cancelled";
  /** The hub that it belongs to */
  federationId: string | null;
  /** The spoke that it is about */
  spokeId: string | null;
  /** Number of the step under way, or at which it ended; 0 while queued */
  step: number;
  /** How many steps there are */
  of: number;
  /** What the step does */
  label: string;
  /** Which try this is */
  attempt: number;
  /** Its place in its lane, 1 when nothing is ahead; null unless queued */
  position: number | null;
  /** Seconds until it is done, by the median of past runs; null when unknown or finished */
  etaSeconds: number | null;
  /** The operation that it waits for; null too where you may not see that one */
  waitingFor: {
    /** Its id */
    id: string;
    /** What is done */
    kind: string;
    /** What the step does, and how far it is where that is known */
    label: string;
    /** Number of the step under way, or at which it ended; 0 while queued */
    step: number;
    /** How many steps there are */
    of: number;
    /** Since when it runs */
    since: string;
    /** The hub that it belongs to */
    federationId: string | null;
    /** The spoke that it is about */
    spokeId: string | null;
  } | null;
  /** When it is tried again; null when it need not wait for that */
  nextTryAt: string | null;
  /** What was left out or could not be done, though the operation went on */
  notes: string[];
  /** When it was made */
  createdAt: string;
  /** When it began; null while queued */
  startedAt: string | null;
  /** When it ended; null until then */
  finishedAt: string | null;
  /** What it does, in order: a step begins when the one before it ends */
  steps: {
    /** Its name, which stays when its label is worded anew */
    name: string;
    /** What it does */
    label: string;
    /** When it began; null until then, and where that was not kept */
    startedAt: string | null;
    /** When it ended; null until then, and where that was not kept */
    finishedAt: string | null;
  }[];
  /** Why the last try failed, and what it left behind; or null */
  error: {
    /** What went wrong, in a word */
    code: string;
    /** What could not be done, and what would make it possible */
    message: string;
    /** Name of the step that failed */
    step: string;
    /** Whose turn it is: the user's, the operator's or the cluster's */
    fault: "user" | "operator" | "cluster";
    /** What to do */
    hint: string | null;
    /** The last lines that the failing pod logged */
    log: string[];
    /** What the cluster said of the namespace */
    events: {
      /** When */
      at: string;
      /** What it is about */
      object: string;
      /** Why, in a word */
      reason: string;
      /** In the cluster's words */
      message: string;
      /** How often, or how many */
      count: number;
    }[];
  } | null;
}

export interface Overview {
  /** The spokes that you see */
  spokes: {
    /** How many there are */
    total: number;
    /** How many are in which state */
    byState: {
      /** How many are in this state */
      provisioning: number;
      /** How many are in this state */
      active: number;
      /** How many are in this state */
      failed: number;
      /** How many are in this state */
      suspending: number;
      /** How many are in this state */
      suspended: number;
      /** How many are in this state */
      resuming: number;
      /** How many are in this state */
      updating: number;
      /** How many are in this state */
      removing: number;
    };
    /** How many active ones are not well */
    degraded: number;
    /** How many active ones have a backup that the last drill could not prove */
    unproved: number;
    /** Of the active ones' last proofs the oldest; null where no backup was ever proved */
    oldestProofAt: string | null;
  };
  /** The hubs that you see, newest first, each with the spokes that you see of it */
  hubs: {
    /** The hub */
    federationId: string;
    /** How many there are */
    total: number;
    /** How many are in which state */
    byState: {
      /** How many are in this state */
      provisioning: number;
      /** How many are in this state */
      active: number;
      /** How many are in this state */
      failed: number;
      /** How many are in this state */
      suspending: number;
      /** How many are in this state */
      suspended: number;
      /** How many are in this state */
      resuming: number;
      /** How many are in this state */
      updating: number;
      /** How many are in this state */
      removing: number;
    };
    /** How many active ones are not well */
    degraded: number;
    /** How many active ones have a backup that the last drill could not prove */
    unproved: number;
    /** Of the active ones' last proofs the oldest; null where no backup was ever proved */
    oldestProofAt: string | null;
  }[];
  /** The operations of these that have not ended */
  queue: {
    /** How many wait */
    queued: number;
    /** How many are under way */
    running: number;
    /** How long the first of those that wait has been there; null where none waits */
    oldestWaitSeconds: number | null;
  };
  /** Installations that new sites are made from, for operators who ask for all hubs; null for anybody else */
  templates: {
    /** The cluster that it is kept in */
    cluster: string;
    /** The version that sites made from it have */
    lmsVersion: string;
    /** ready when sites can be made from it */
    state: "making" | "ready" | "failed" | "retiring";
    /** Why none could be made, or no site from it */
    error: string | null;
    /** When one is made again for the next site that asks for it; null where none has failed */
    nextTryAt: string | null;
    /** Since when it is there */
    readyAt: string | null;
    /** When a site was made from it last */
    lastUsedAt: string | null;
  }[] | null;
}

export interface OwnPatch {
  /** What people call it; must be text of 1 to 200 characters without control characters */
  displayName?: string | null | undefined;
}

export interface PasswordChange {
  /** The password that you have now; must be a password of at most 4096 characters */
  current: string;
  /** Your password from now on; must be a password of 12 to 256 characters */
  password: string;
}

export interface PasswordReset {
  /** What stands behind ?token= in the mailed link; must be text of 1 to 200 characters without control characters */
  token: string;
  /** Your new password; must be a password of 12 to 256 characters */
  password: string;
  /** Whether your API tokens stay; unless true, they are revoked */
  keepTokens?: boolean | null | undefined;
}

export interface Problem {
  /** The status of the answer */
  statusCode: number;
  /** What went wrong, for programs: one of those that the endpoint lists */
  code: string;
  /** What could not be done, and what would make it possible */
  message: string;
  /** The status in words */
  error: string;
}

export interface Readiness {
  /** ok; what is not ready is answered with 503 */
  status: "ok";
  /** What was looked at */
  checks: Record<string, "ok">;
  /** What was left out or could not be done, though the operation went on */
  notes: string[];
}

export interface Rejection {
  /** Why not, for who asked; must be text of 1 to 2000 characters without control characters */
  reason: string;
}

export interface ResetPassword {
  /** The user */
  userId: string;
  /** The new password, shown this once */
  password: string;
}

export interface RestoreDecision {
  /** Whether the restore is done or declined; must be done or declined */
  state: "done" | "declined";
  /** Why it is declined, for the requester; must be text of 1 to 2000 characters without control characters */
  declineReason?: string | null | undefined;
}

export interface RestoreRequest {
  /** The request's id */
  id: string;
  /** The hub that it belongs to */
  federationId: string;
  /** The spoke that it is about */
  spokeId: string;
  /** The backup to restore from */
  backupId: string;
  /** Why a restore is needed */
  reason: string;
  /** Whether an operator is still to restore it, and what came of it */
  state: "open" | "done" | "declined";
  /** Who asked */
  requestedBy: {
    /** The user's id */
    id: string;
    /** The address that the user signs in with */
    email: string;
  };
  /** The operator who decided; null until then, and where a restore closed it */
  decidedBy: {
    /** The user's id */
    id: string;
    /** The address that the user signs in with */
    email: string;
  } | null;
  /** When; null until then */
  decidedAt: string | null;
  /** Why it was declined; null otherwise */
  declineReason: string | null;
  /** What restores it on the server's machine; null unless you are an operator */
  command: string | null;
  /** When it was made */
  createdAt: string;
}

export interface Session {
  /** The session's id */
  id: string;
  /** When it was made */
  createdAt: string;
  /** When it was last used, to the minute */
  lastUsedAt: string;
  /** When it ends if it is not used before */
  expiresAt: string;
  /** From which address it began */
  ip: string;
  /** With which program it began */
  userAgent: string;
  /** Whether it is the one that you ask with */
  current: boolean;
}

export interface SignInLink {
  /** Opens the site, asks for a new password of its account admin, and signs in; shown this once */
  url: string;
  /** Until when the link opens, by the site's own settings */
  expiresAt: string;
}

export interface Signup {
  /** The address that you will sign in with; must be an e-mail address */
  email: string;
  /** Your password from now on; must be a password of 12 to 256 characters */
  password: string;
  /** Your name; must be text of 1 to 200 characters without control characters */
  displayName?: string | null | undefined;
}

export interface Spoke {
  /** The spoke's id */
  id: string;
  /** The hub that it belongs to */
  federationId: string;
  /** Its short name in URLs and host names */
  slug: string;
  /** What people call it */
  displayName: string;
  /** Host name under which the site answers */
  domain: string;
  /** Names that it had before and that lead to the present one; nobody else can have them as long */
  formerDomains: {
    /** The name */
    domain: string;
    /** When that ends */
    until: string;
  }[];
  /** Where the site is */
  url: string;
  /** How much it may take, as the catalogue names it */
  size: string;
  /** Whether people sign in through the hub's identity provider */
  identity: boolean;
  /** Whether it has the hub's shared content */
  content: boolean;
  /** How shared content arrives, as the catalogue names it */
  contentMode: string | null;
  /** The look, as the catalogue names it */
  brand: string | null;
  /** Address of the site's first administrator */
  adminEmail: string;
  /** Where it runs, as the catalogue names it */
  region: string | null;
  /** Version of the learning platform */
  lmsVersion: string;
  /** The same as lmsVersion, under the platform's own name */
  moodleVersion: string;
  /** The image that ran after the installation or the last upgrade, restore or reapply, as its node reported it: `repository@sha256:…`; null until it was seen */
  imageDigest: string | null;
  /** The courses that it begins with, as the catalogue names them */
  seed: string | null;
  /** Of a copy: what it was made from */
  from: {
    /** The spoke that it is a copy of */
    spokeId: string;
    /** The backup that its data is from; null of one that would be taken first */
    backupId: string;
  } | null;
  /** held where the site sends no mail until it is set to on, as a copy's; else on */
  mail: "on" | "held";
  /** What the spoke is doing */
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
  /** Why it is in this state, where that needs saying */
  stateReason: string | null;
  /** healthy while its login page answers and its disks are bound; degraded after three bad looks in a row */
  health: "healthy" | "degraded" | "unknown";
  /** Whether the site tells its visitors that it is in maintenance, because somebody asked for that */
  maintenance: boolean;
  /** Where it is in the cluster */
  namespace: string;
  /** What it is busy with, or null */
  operation: Operation | null;
  /** When it was made */
  createdAt: string;
  /** When it last changed */
  updatedAt: string;
  /** When the site was first ready */
  readyAt: string | null;
  /** When the cluster was last looked at */
  observedAt: string | null;
  /** In what the cluster differs from what was made, as the last look at it told; null where nothing is known */
  drift: {
    /** Objects of the spoke that somebody changed or deleted */
    objects: {
      /** Kind and name */
      object: string;
      /** changed or missing */
      what: "changed" | "missing";
      /** The fields that differ; none of what is missing */
      fields: string[];
    }[];
    /** Where it was made from another revision of the blueprint than the present one: reapply brings it there */
    revision: {
      /** The revision that it was made from */
      from: string;
      /** The present one */
      to: string;
    } | null;
  } | null;
}

export interface SpokeAction {
  /** What to do */
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
  /** Of upgrade, where it is needed: the target version; must be a version such as 4.5.12 */
  lmsVersion?: string | null | undefined;
  /** The same as lmsVersion, under the platform's own name; must be a version such as 4.5.12 */
  moodleVersion?: string | null | undefined;
  /** Of resize, where it is needed: the new size; must be text of 1 to 100 characters without control characters */
  size?: string | null | undefined;
  /** Of upgrade: go on without a backup where the cluster cannot take one */
  skipBackup?: boolean | null | undefined;
}

export interface SpokeJoining {
  /** added, invited by mail, or unchanged because it was so already */
  status: "added" | "invited" | "unchanged";
  /** The user */
  userId: string;
  /** The address that the user signs in with */
  email: string;
  /** Until when the invitation is good */
  expiresAt?: string;
  /** The spoke */
  spokeId: string;
}

export interface SpokePatch {
  /** What people call it; must be text of 1 to 200 characters without control characters */
  displayName?: string | null | undefined;
  /** The look, as the catalogue names it; must be text of 1 to 100 characters without control characters */
  brand?: string | null | undefined;
  /** Address of the site's first administrator; must be an e-mail address */
  adminEmail?: string | null | undefined;
  /** Host name under which the site answers; must be a host name such as school.example.org */
  domain?: string | null | undefined;
  /** held where the site sends no mail until it is set to on, as a copy's; else on; must be on or held */
  mail?: "on" | "held" | null | undefined;
}

export interface SpokePreview {
  /** Nothing was done */
  dryRun: true;
  /** The spoke as it would be */
  spoke: {
    /** The hub that it belongs to */
    federationId: string;
    /** Its short name in URLs and host names */
    slug: string;
    /** What people call it */
    displayName: string;
    /** Host name under which the site answers */
    domain: string;
    /** Where the site is */
    url: string;
    /** How much it may take, as the catalogue names it */
    size: string;
    /** Whether people sign in through the hub's identity provider */
    identity: boolean;
    /** Whether it has the hub's shared content */
    content: boolean;
    /** How shared content arrives, as the catalogue names it */
    contentMode: string | null;
    /** The look, as the catalogue names it */
    brand: string | null;
    /** Address of the site's first administrator */
    adminEmail: string;
    /** Where it runs, as the catalogue names it */
    region: string | null;
    /** Version of the learning platform */
    lmsVersion: string;
    /** The same as lmsVersion, under the platform's own name */
    moodleVersion: string;
    /** The courses that it begins with, as the catalogue names them */
    seed: string | null;
    /** Of a copy: what it was made from */
    from: {
      /** The spoke that it is a copy of */
      spokeId: string;
      /** The backup that its data is from; null of one that would be taken first */
      backupId: string | null;
    } | null;
    /** held where the site sends no mail until it is set to on, as a copy's; else on */
    mail: "on" | "held";
    /** Where it is in the cluster */
    namespace: string;
  };
  /** What would be applied in the cluster, in order */
  objects: (Record<string, unknown>)[];
  /** What it takes, and what it may take */
  quota: {
    /** What it takes at most */
    demand: {
      /** What is kept free for it */
      requests: {
        /** Processor time, in Kubernetes' notation */
        cpu: string;
        /** Memory, in Kubernetes' notation */
        memory: string;
      };
      /** What it may take at most */
      limits: {
        /** Processor time, in Kubernetes' notation */
        cpu: string;
        /** Memory, in Kubernetes' notation */
        memory: string;
      };
      /** Disk space, in Kubernetes' notation */
      storage: string;
    };
    /** What the namespace may take */
    quota: {
      /** What is kept free for it */
      requests: {
        /** Processor time, in Kubernetes' notation */
        cpu: string;
        /** Memory, in Kubernetes' notation */
        memory: string;
      };
      /** What it may take at most */
      limits: {
        /** Processor time, in Kubernetes' notation */
        cpu: string;
        /** Memory, in Kubernetes' notation */
        memory: string;
      };
      /** Disk space, in Kubernetes' notation */
      storage: string;
    };
    /** Where it takes more than it may */
    over: string[];
  };
  /** What it would cost */
  price: Cost;
}

export interface StreamEvent {
  /** The event's number in its hub, counted without a gap */
  id: string;
  /** What changed into which state */
  type: string;
  /** When */
  at: string;
  /** The hub that it belongs to */
  federationId: string;
  /** The spoke that it is about */
  spokeId?: string;
  /** The spoke's or hub's state after the change */
  state: string;
  /** What is under way */
  operation?: {
    /** The operation's id */
    id: string;
    /** What is done */
    kind: string;
    /** Number of the step under way, or at which it ended; 0 while queued */
    step: number;
    /** How many steps there are */
    of: number;
    /** What the step does, and how far it is where that is known */
    label: string;
    /** Which try this is */
    attempt: number;
  };
  /** Why it failed; absent otherwise */
  error?: string;
}

export interface Token {
  /** The token's id */
  id: string;
  /** What it is for */
  name: string;
  /** What it may at most: readonly reads, provisioning also makes and removes spokes, cli does all */
  scope: "cli" | "provisioning" | "readonly";
  /** How it begins, to tell it by */
  prefix: string;
  /** When it was made */
  createdAt: string;
  /** When it ends; null when it does not */
  expiresAt: string | null;
  /** When it was last used, to the minute; null when never */
  lastUsedAt: string | null;
}

export interface UnreadCount {
  /** How many you have not read */
  count: number;
}

export interface User {
  /** The user's id */
  id: string;
  /** The address that the user signs in with */
  email: string;
  /** operator: everything; hub_admin: own hubs; spoke_admin: own spokes */
  role: "operator" | "hub_admin" | "spoke_admin";
  /** Hubs that the user administers */
  federationIds: string[];
  /** The person's name */
  displayName: string;
  /** Spokes that the user administers without administering their hub */
  spokeIds: string[];
}

export interface UserPatch {
  /** The person's name; must be text of 1 to 200 characters without control characters */
  displayName?: string | null | undefined;
  /** Whether the user is an operator */
  operator?: boolean | null | undefined;
  /** Whether the account is shut */
  disabled?: boolean | null | undefined;
}

export interface UserRecord {
  /** The user's id */
  id: string;
  /** The address that the user signs in with */
  email: string;
  /** operator: everything; hub_admin: own hubs; spoke_admin: own spokes */
  role: "operator" | "hub_admin" | "spoke_admin";
  /** Hubs that the user administers */
  federationIds: string[];
  /** The person's name */
  displayName: string;
  /** Spokes that the user administers without administering their hub */
  spokeIds: string[];
  /** Whether the user is an operator */
  operator: boolean;
  /** Whether the account can be used, and why not */
  state: "active" | "invited" | "unverified" | "disabled";
  /** When the address was proved; null until then */
  emailVerifiedAt: string | null;
  /** Why the mail server refused the last mail to the address for good; null if it did not */
  mailRefused: string | null;
  /** When an operator shut the account; null while it is open */
  disabledAt: string | null;
  /** When it was made */
  createdAt: string;
  /** When it last changed */
  updatedAt: string;
}

export interface VerifyEmail {
  /** What stands behind ?token= in the mailed link; must be text of 1 to 200 characters without control characters */
  token: string;
  /** Your password from now on; must be a password of 12 to 256 characters */
  password?: string | null | undefined;
}
