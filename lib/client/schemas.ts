/** Written by `npm run generate`; commit it, do not edit it. */
export interface AcceptInvite {
  /** The value of the parameter "token" in the link from the email; must be text of 1 to 200 characters without control characters */
  token: string;
  /** Your new password; must be a password of 12 to 256 characters */
  password: string;
  /** Your name; must be text of 1 to 200 characters without control characters */
  displayName?: string | null | undefined;
}

export interface Acknowledgement {
  /** A sentence about what happens next */
  message: string;
}

export interface ActionPreview {
  /** Always true: nothing was changed */
  dryRun: true;
  /** The action */
  action: string;
  /** The ID of the spoke to which the object belongs */
  spokeId: string;
  /** The spoke's current state */
  state: string;
  /** The spoke's state after the action has succeeded */
  becomes: string;
  /** Whether the action makes the site unavailable */
  downtime: boolean;
  /** The steps of the action, in order */
  steps: string[];
  /** What the action would change in the cluster, from a dry run */
  changes: {
    /** The kind and name of the Kubernetes object */
    object: string;
    /** The path of the field that would change; empty if a new object would be created */
    field: string;
    /** The current value of the field; null if the field is not set */
    from: unknown;
    /** The new value of the field; null if the field would be removed */
    to: unknown;
  }[];
  /** Effects of the action that no other field shows, and the cluster's objections to it */
  notes: string[];
  /** The monthly price of the spoke */
  price: Cost;
}

export interface ActivatedFactor {
  /** The second factor, which counts from now on */
  factor: Factor;
  /** Ten recovery codes, which are shown only once; null if the user already had a second factor */
  recoveryCodes: string[] | null;
}

export interface Approval {
  /** The short name of the hub in URLs and host names; must be 1 to 63 lower-case letters, digits or hyphens, neither beginning nor ending with a hyphen */
  slug?: string | null | undefined;
  /** The display name; must be text of 1 to 200 characters without control characters */
  name?: string | null | undefined;
  /** The name of the region in the catalog; must be text of 1 to 100 characters without control characters */
  region?: string | null | undefined;
  /** What the hub gives its sites: identity, content or both. Another text has no effect; a name from the catalog; must be text of 1 to 100 characters without control characters */
  mode?: string | null | undefined;
  /** The name of the hub's tier in the catalog; must be text of 1 to 100 characters without control characters */
  tier?: string | null | undefined;
}

export interface ApprovedDevice {
  /** Whether the terminal gets a token */
  approved: boolean;
}

export interface AuditEvent {
  /** The event's ID */
  id: string;
  /** What happened */
  kind: string;
  /** The user or system that caused the event */
  actor: {
    /** The ID of the user who caused the event, or "system" */
    id: string;
    /** The user's email address, used to sign in */
    email: string;
  };
  /** The type of the object that the event is about */
  objectType: string;
  /** The ID of the object that the event is about */
  objectId: string;
  /** More data about the event. Its fields depend on the kind of event */
  metadata: Record<string, unknown>;
  /** The IP address of the caller; empty if an operator performed the action and you are not an operator */
  ip: string;
  /** The user agent of the caller; empty if an operator performed the action and you are not an operator */
  userAgent: string;
  /** When the event occurred */
  at: string;
}

export interface Availability {
  /** The months (UTC), newest first, for two years. The last minutes are added a little later */
  months: {
    /** The month */
    month: string;
    /** The percentage of measured minutes (up or down) in which the login page worked, rounded down to three decimals; null if no minute was measured */
    availability: number | null;
    /** Minutes in which the login page worked */
    up: number;
    /** Minutes in which the login page failed twice */
    down: number;
    /** Minutes of operations, suspension and maintenance mode */
    planned: number;
    /** Minutes without a measurement, because the control plane or the cluster was unavailable */
    unknown: number;
  }[];
}

export interface BackupSummary {
  /** Whether the cluster could take backups that outlive the spoke, when last checked. If not, see "lastError" */
  available: boolean;
  /** When backups are taken automatically while the spoke is active. Each spoke has its own time */
  schedule: string;
  /** How many backups are kept: the newest backup from each recent day, week and month (UTC) */
  retention: {
    /** The number of recent days for each of which the newest backup is kept */
    daily: number;
    /** The number of recent ISO weeks for each of which the newest backup is kept */
    weekly: number;
    /** The number of recent months for each of which the newest backup is kept */
    monthly: number;
  };
  /** When the newest backup became ready; null before the first backup */
  lastSuccessAt: string | null;
  /** When a backup of the spoke last failed; null if no backup failed, or while the spoke is suspended */
  lastFailureAt: string | null;
  /** Why backups are not available, or why the last backup failed; null if there is no error */
  lastError: string | null;
  /** How often the newest backup is tested by restoring it into a temporary namespace (setting RESTORE_TESTS) */
  restoreTests: "off" | "weekly" | "nightly";
  /** When a backup of the spoke last passed a restore test; null if no backup was ever verified */
  lastVerifiedAt: string | null;
  /** When restore tests of the spoke started to fail; null if the last test succeeded */
  unverifiedSince: string | null;
  /** The backups of the spoke, newest first. Each contains both volumes. Failed backups stay listed for up to a week */
  snapshots: {
    /** The ID of the backup, to be used in restores */
    id: string;
    /** When the backup started */
    createdAt: string;
    /** When the backup was complete; null until then */
    readyAt: string | null;
    /** The size of the volumes restored from the backup, in bytes; null if the storage driver does not report it */
    sizeBytes: number | null;
    /** The backup's state */
    state: "pending" | "ready" | "failed";
    /** The Moodle version of the site at the time of the backup; null if not recorded */
    lmsVersion: string | null;
    /** When a restore test last verified the backup; null if the backup was never verified */
    verifiedAt: string | null;
    /** The results of the backup's restore test; null if the backup was not tested */
    verification: {
      /** The number of courses in the restored site; null if they were not counted */
      courses: number | null;
      /** The number of user accounts in the restored site, excluding the guest account; null if they were not counted */
      users: number | null;
      /** The time that a recovery takes: the seconds from the start of the test until the login page responded */
      seconds: number;
      /** Whether the numbers of courses and users were compared with numbers from the time of the backup */
      compared: boolean;
      /** The number of files found with the right size; null if files are stored elsewhere or were not compared */
      files: number | null;
      /** The number of randomly chosen files that were read and had the right hash */
      hashed: number | null;
      /** The release of the restored Moodle code, which matches the database; null if the two were not compared */
      codeRelease: string | null;
    } | null;
    /** Why the backup's last restore test failed, or a note that the quota left no space for one; null otherwise */
    verificationError: string | null;
  }[];
  /** Volumes from before a restore, newest first, for a rollback. After the time in the field "until", a volume is deleted as soon as a newer backup exists */
  kept: {
    /** The name of the PersistentVolumeClaim */
    claim: string;
    /** When the site stopped using the volume */
    since: string;
    /** The volume is kept at least until this time */
    until: string;
  }[];
}

export interface Billing {
  /** Whether the hub's spokes are billed */
  connected: boolean;
  /** The email address that receives the hub's invoices */
  email: string | null;
  /** The status of the hub's subscription at the payment provider; null if the hub has no subscription */
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
  /** When an invoice of the hub became overdue; null if no invoice is overdue */
  pastDueSince: string | null;
  /** The ISO 4217 code of the subscription's currency; null if the hub has no subscription */
  currency: string | null;
  /** The items of the hub's subscription, with the quantities that the payment provider bills */
  items: {
    /** The size of the billed spokes; null if the item is not for spokes */
    size: string | null;
    /** The billed quantity of the item */
    quantity: number;
    /** The monthly price for the item's whole quantity; null if the price is not a single amount */
    monthly: number | null;
  }[];
  /** The total monthly price for the hub; null if nothing is billed, or if the price is not a single amount */
  monthly: number | null;
  /** The hub's latest invoice, or the oldest unpaid invoice if one is overdue; null before the first invoice */
  invoice: {
    /** The number of the invoice; null for a draft */
    number: string | null;
    /** The status of the invoice at the payment provider */
    status: string;
    /** The total amount of the invoice, in the currency's smallest unit */
    total: number;
    /** The unpaid amount of the invoice, in the currency's smallest unit */
    remaining: number;
    /** The ISO 4217 code of the currency */
    currency: string;
    /** When the invoice is due; null if the invoice is charged immediately */
    dueAt: string | null;
    /** The invoice's page at the payment provider, which anyone with the URL can open; null for a draft */
    url: string | null;
  } | null;
  /** Whether a change to the hub's spokes must still be sent to the payment provider */
  pending: boolean;
  /** How the payment provider's numbers of spokes differ from those in the hub; null if they are equal */
  difference: {
    /** A sentence that states how the number of billed spokes differs from the number of spokes in the hub */
    message: string;
    /** The difference as numbers for each size; empty if numbers alone cannot describe the difference */
    sizes: {
      /** The name of the spoke's size in the catalog */
      size: string;
      /** The number of spokes with this size that should be billed */
      spokes: number;
      /** The number of spokes with this size that the payment provider bills */
      billed: number;
    }[];
  } | null;
  /** Why the payment provider could not be updated. Only for operators; null for other users */
  error: string | null;
  /** When the subscription was last checked at the payment provider; null if it was never checked */
  checkedAt: string | null;
}

export interface BillingAddress {
  /** The email address that receives the hub's invoices; must be an email address */
  email: string;
}

export interface BulkAction {
  /** The IDs of the spokes on which to act; must be a list of 1 to 500 ids */
  ids?: readonly string[] | undefined;
  /** Selects spokes by their values. A spoke must match everything that is set, and be in ids if given; must select spokes: use {"all": true} for all spokes that you can see */
  filter?: {
    /** Selects all spokes that you can see; must be true */
    all?: true | null | undefined;
    /** The ID or slug of a hub; must be text of 1 to 100 characters without control characters */
    federationId?: string | null | undefined;
    /** The spokes' slug; must be 1 to 63 lower-case letters, digits or hyphens, neither beginning nor ending with a hyphen */
    slug?: string | null | undefined;
    /** The spokes' state */
    state?:
      | "provisioning"
      | "active"
      | "failed"
      | "suspending"
      | "suspended"
      | "resuming"
      | "updating"
      | "removing"
      | "removed"
      | null
      | undefined;
    /** The spokes' health */
    health?: "healthy" | "degraded" | "unknown" | null | undefined;
    /** The Moodle version that the spokes run; must be a version such as 4.5.12 */
    lmsVersion?: string | null | undefined;
    /** The spokes' size; must be text of 1 to 100 characters without control characters */
    size?: string | null | undefined;
    /** The spokes' region; must be text of 1 to 100 characters without control characters */
    region?: string | null | undefined;
    /** Only spokes whose `storagePercent` is at least this number */
    minStoragePercent?: number | null | undefined;
    /** Only spokes whose site has this add-on; must be the component of a plugin, such as mod_attendance */
    addon?: string | null | undefined;
    /** Text in the spokes' slug, display name or domain; must be text of 1 to 100 characters without control characters */
    q?: string | null | undefined;
    /** If true, only spokes whose manifests come from an older revision of the blueprint */
    outdated?: boolean | null | undefined;
    /** Selects only spokes that lack what their hub shares, or have an older add-on than the catalog lists */
    behind?: boolean | null | undefined;
  } | undefined;
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
    | "suspend-person"
    | "reinstate-person"
    | "reapply"
    | "configure"
    | "retry"
    | "destroy";
  /** The preview's selection. Required for a filter and for destroy; nothing starts if the selection has changed; must be text of 1 to 100 characters without control characters */
  expected?: string | undefined;
  /** The new size; a name from the catalog; must be text of 1 to 100 characters without control characters */
  size?: string | null | undefined;
  /** The target version; a name from the catalog; must be a version such as 4.5.12 */
  lmsVersion?: string | null | undefined;
  /** Upgrade without a backup if the cluster cannot take one. You cannot roll back without a backup */
  skipBackup?: boolean | null | undefined;
  /** The person's email address; must be an email address */
  email?: string | null | undefined;
  /** The same value as in the field "lmsVersion"; must be a version such as 4.5.12 */
  moodleVersion?: string | null | undefined;
}

export interface BulkOutcome {
  /** The spoke's ID */
  id: string;
  /** Whether the request was accepted */
  accepted: boolean;
  /** The spoke, if the request was accepted */
  spoke?: Spoke;
  /** Why the request for this spoke was rejected; absent if the request was accepted */
  error?: {
    /** The HTTP status */
    statusCode: number;
    /** The cause as one word, for programs */
    code: string;
    /** An explanation of what could not be done, and how to make it possible */
    message: string;
    /** The reason phrase of the HTTP status */
    error: string;
  };
}

export interface BulkPreview {
  /** Always true: nothing was changed */
  dryRun: true;
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
    | "suspend-person"
    | "reinstate-person"
    | "reapply"
    | "configure"
    | "retry"
    | "destroy";
  /** The parameters of the action */
  parameters: Record<string, unknown>;
  /** Identifies the spokes and which of them can run the action */
  selection: string;
  /** The number of spokes that can run the action */
  possible: number;
  /** The number of spokes that cannot run the action */
  refused: number;
  /** The usual duration of the action on one spoke; null if it has never succeeded */
  usualSeconds: number | null;
  /** The number of sites that the action makes unavailable; null if this depends on what changes on each site */
  downtimes: number | null;
  /** The monthly price of the spoke */
  price: Cost;
  /** The selected spokes */
  spokes: {
    /** The ID of the spoke to which the object belongs */
    spokeId: string;
    /** The ID of the hub to which the object belongs */
    federationId: string;
    /** The short name of the hub in URLs and host names */
    slug: string;
    /** The host name of the site */
    domain: string;
    /** The spoke's state in the rollout */
    state: string;
    /** The spoke's state after the action; null if it cannot run the action */
    becomes: string | null;
    /** Why the spoke failed or is skipped */
    reason: string | null;
  }[];
}

export interface Catalog {
  /** The regions that hubs and spokes can be in */
  regions: {
    /** The name of the region, for use in requests */
    name: string;
    /** The display name */
    title: string | null;
  }[];
  /** The tiers that hubs can have */
  tiers: {
    /** The name of the tier, for use in requests */
    name: string;
    /** The display name */
    title: string | null;
    /** Whether only operators may give the tier to a hub, or take it away */
    restricted: boolean;
    /** Where the pods of the hub's sites run; null if the tier does not say, or if you are not an operator */
    placement: {
      /** The labels that nodes must have */
      nodeSelector: Record<string, string>;
      /** The tolerations of pods, as in Kubernetes */
      tolerations: {
        /** The key of the taint; null tolerates every key */
        key: string | null;
        /** How the value is compared: Equal or Exists */
        operator: string;
        /** The value of the taint; null if every value is tolerated */
        value: string | null;
        /** The effect of the taint; null tolerates every effect */
        effect: string | null;
        /** How long pods stay after the taint NoExecute was added; null is forever */
        tolerationSeconds: number | null;
      }[];
      /** The name of the PriorityClass of pods; null if the tier sets none */
      priorityClass: string | null;
    } | null;
    /** The sizes that the hub's spokes may have; null if every size is allowed */
    sizes: string[] | null;
    /** The nightly backups of the hub's spokes */
    backups: {
      /** When nightly backups start; null means 22:00 to 04:00 UTC */
      window: {
        /** The time of day at which the window opens */
        from: string;
        /** The time of day at which the window closes, on the next day if it is not after `from` */
        to: string;
      } | null;
      /** How many backups are kept; null means 7 daily, 4 weekly and 6 monthly */
      retention: {
        /** The number of recent days for each of which the newest backup is kept */
        daily: number;
        /** The number of recent ISO weeks for each of which the newest backup is kept */
        weekly: number;
        /** The number of recent months for each of which the newest backup is kept */
        monthly: number;
      } | null;
    };
    /** The limits for all spokes of the hub together */
    bounds: {
      /** The maximum number of spokes; null if there is no limit */
      spokes: number | null;
      /** The maximum storage of the volumes of all sites; null if there is no limit */
      storage: string | null;
    };
  }[];
  /** The modes that hubs can have */
  modes: {
    /** The name of the mode, for use in requests */
    name: string;
    /** The display name */
    title: string | null;
  }[];
  /** The ways in which shared content can be delivered */
  contentModes: {
    /** The name of the content mode, for use in requests */
    name: string;
    /** The display name */
    title: string | null;
  }[];
  /** The brands that spokes can have */
  brands: {
    /** The name of the brand, for use in requests */
    name: string;
    /** The display name */
    title: string | null;
  }[];
  /** The sets of initial courses that new sites can have */
  seeds: {
    /** The name of the set of initial courses, for use in requests */
    name: string;
    /** The display name */
    title: string | null;
  }[];
  /** The add-ons that the operator lists; null without a list, which allows every add-on */
  addons: {
    /** The type and the name of the plugin */
    component: string;
    /** The number of the version */
    version: number;
    /** The name of the version */
    release: string;
    /** The archive with the add-on's code */
    source: {
      /** The address of the archive */
      url: string;
      /** The SHA-256 digest of the archive */
      sha256: string;
    };
    /** The branches of Moodle on which this version runs */
    branches: string[];
    /** The add-on's licence */
    licence: string | null;
    /** The operator's note about the add-on */
    note: string | null;
  }[] | null;
  /** Whether administrators of sites may upload add-ons in the browser */
  webInstaller: boolean;
  /** The Moodle versions that new sites can run, newest first, previews last */
  versions: {
    /** The Moodle version, for use in requests */
    name: string;
    /** The title; of a course, that of its newest version */
    title: string | null;
    /** Whether this Moodle version is a preview, which is not yet released */
    preview: boolean;
    /** Whether this size or version is the default */
    default: boolean;
  }[];
  /** The sizes that spokes can have */
  sizes: {
    /** The name of the size, for use in requests */
    name: string;
    /** The display name */
    title: string | null;
    /** Whether this size or version is the default */
    default: boolean;
    /** The CPU, memory and storage of a spoke with this size */
    resources: {
      /** The CPU and memory for the site's Moodle container */
      app: {
        /** The requested amounts of CPU and memory */
        requests: {
          /** An amount of CPU, as a Kubernetes quantity */
          cpu: string;
          /** An amount of memory, as a Kubernetes quantity */
          memory: string;
        };
        /** The maximum amounts of CPU and memory */
        limits: {
          /** An amount of CPU, as a Kubernetes quantity */
          cpu: string;
          /** An amount of memory, as a Kubernetes quantity */
          memory: string;
        };
      };
      /** The CPU and memory for the site's database */
      database: {
        /** The requested amounts of CPU and memory */
        requests: {
          /** An amount of CPU, as a Kubernetes quantity */
          cpu: string;
          /** An amount of memory, as a Kubernetes quantity */
          memory: string;
        };
        /** The maximum amounts of CPU and memory */
        limits: {
          /** An amount of CPU, as a Kubernetes quantity */
          cpu: string;
          /** An amount of memory, as a Kubernetes quantity */
          memory: string;
        };
      };
      /** The storage for the site's files and database */
      disks: {
        /** The storage for the site's files */
        files: string;
        /** The storage for the site's database */
        database: string;
      };
      /** The number of requests that the site can process at the same time */
      workers: number;
    };
    /** The resource quota for the namespace of a spoke with this size */
    quota: {
      /** The requested amounts of CPU and memory */
      requests: {
        /** An amount of CPU, as a Kubernetes quantity */
        cpu: string;
        /** An amount of memory, as a Kubernetes quantity */
        memory: string;
      };
      /** The maximum amounts of CPU and memory */
      limits: {
        /** An amount of CPU, as a Kubernetes quantity */
        cpu: string;
        /** An amount of memory, as a Kubernetes quantity */
        memory: string;
      };
      /** An amount of storage, as a Kubernetes quantity */
      storage: string;
    };
    /** The monthly price of a spoke with this size; null if this size has no price */
    price: {
      /** The ISO 4217 code of the currency */
      currency: string;
      /** The monthly price of one spoke, in the currency's smallest unit: 1900 means €19.00, but ¥1,900 */
      monthly: number;
    } | null;
  }[];
  /** Fields that accept any value, because the catalog does not list their values */
  open: string[];
  /** The default values for fields that a request omits; null for a field without a default. A spoke's region defaults to the region of its hub */
  defaults: {
    /** The default size of a new spoke */
    size: string;
    /** The default Moodle version of a new spoke */
    lmsVersion: string;
    /** Whether users of the site sign in through the hub's identity provider */
    identity: boolean;
    /** Whether the site has the hub's shared content */
    content: boolean;
    /** Always null, because a new spoke is in the region of its hub by default */
    region: string | null;
    /** Always null: this field has no default value */
    tier: string | null;
    /** Always null: this field has no default value */
    mode: string | null;
    /** Always null: this field has no default value */
    contentMode: string | null;
    /** Always null: a spoke without a brand has the default theme of Moodle */
    brand: string | null;
    /** Always null: a site without a seed starts without courses */
    seed: string | null;
  };
  /** The ISO 4217 code of all prices; null if the catalog has no prices, or prices in several currencies */
  currency: string | null;
  /** Whether a payment provider is connected, so that users are charged the prices in the catalog */
  charged: boolean;
  /** The parent of default domains: a spoke's default domain is its slug, a dot, and this domain */
  rootDomain: string;
}

export interface ChangedFederation {
  /** The hub's ID */
  id: string;
  /** The short name of the hub in URLs and host names */
  slug: string;
  /** The display name */
  name: string;
  /** The name of the region in the catalog */
  region: string | null;
  /** What the hub gives its sites: identity, content or both. Another text has no effect; a name from the catalog */
  mode: string | null;
  /** The name of the hub's tier in the catalog */
  tier: string | null;
  /** The hub's state */
  state: "provisioning" | "active" | "failed" | "removing" | "removed";
  /** The same value as in the field "state" */
  status: "provisioning" | "active" | "failed" | "removing" | "removed";
  /** Why the hub or spoke is in its current state; null if there is nothing to explain */
  stateReason: string | null;
  /** The number of the hub's spokes, without removed spokes */
  spokeCount: number;
  /** A sentence about a mode that does less than it seems to; null for the other modes */
  modeNote: string | null;
  /** When the object was created */
  createdAt: string;
  /** When the object last changed */
  updatedAt: string;
  /** The running or queued operation of the hub or spoke; null if no operation is queued or running */
  operation: Operation | null;
  /** What the change would do, in a dry run; otherwise null */
  preview: FederationPreview | null;
}

export interface Changelog {
  /** The version of the API */
  api: string;
  /** The version of the running release */
  version: string;
  /** Announcements of changes, made at least 30 days ahead. An announcement stays in the list after it takes effect, until a later release drops it */
  notices: {
    /** The ID of the announcement, in this document and on the changelog page */
    id: string;
    /** The kind of announcement: deprecation if an endpoint ends or changes, limit for a new limit */
    kind: "deprecation" | "limit";
    /** The subject of the announcement, in one line */
    title: string;
    /** The HTTP method of the deprecated endpoint */
    method?: string;
    /** The path of the deprecated endpoint, as in the API reference */
    path?: string;
    /** The state of the announcement: announced until it takes effect, then in_effect */
    state: "announced" | "in_effect";
    /** When the change was announced */
    announcedAt: string;
    /** When the deprecated endpoint ends, or when the new limit starts */
    takesEffectAt: string;
    /** What you should do about the change; code is in backticks */
    note: string;
    /** The URL of the announcement on the changelog page */
    url: string;
  }[];
  /** The changes in each release, with unreleased changes first */
  releases: {
    /** The version of the release, or "unreleased" */
    version: string;
    /** The day of the release; null for unreleased changes */
    releasedAt: string | null;
    /** The changes in the release that users notice, one per entry; code is in backticks, emphasis in double asterisks */
    changes: string[];
  }[];
}

export interface Confirm {
  /** Your password, if you have no second factor; must be a password of at most 4096 characters */
  password?: string | null | undefined;
  /** The 6 digits that your authenticator app shows now; each code works once; must be the 6 digits that your authenticator app shows */
  code?: string | null | undefined;
  /** One of your recovery codes, instead of a code; each works once; must be text of 1 to 100 characters without control characters */
  recoveryCode?: string | null | undefined;
  /** What the browser returned: id and response of the toJSON() of the PublicKeyCredential */
  passkey?:
    | {
      /** The ID of the passkey, in base64url; must be text of 1 to 8192 characters without control characters */
      id: string;
      /** The values that the authenticator signed, in base64url */
      response: {
        /** The challenge and the origin, as the browser saw them; must be text of 1 to 8192 characters without control characters */
        clientDataJSON: string;
        /** The new passkey; only to activate one; must be text of 1 to 8192 characters without control characters */
        attestationObject?: string | undefined;
        /** What the authenticator checked; only to use a passkey; must be text of 1 to 8192 characters without control characters */
        authenticatorData?: string | undefined;
        /** The signature; only to use a passkey; must be text of 1 to 8192 characters without control characters */
        signature?: string | undefined;
      };
    }
    | null
    | undefined;
}

export interface Confirmation {
  /** Until when the session may do dangerous actions */
  recentUntil: string;
}

export type Cost = {
  /** Whether the cost is known. It is known only if the hub is billed through a payment provider, the size has a price, and you manage the hub */
  available: true;
  /** The ISO 4217 code of the currency */
  currency: string;
  /** The spoke's size after the change */
  size: string;
  /** The spoke's monthly price after the change, in the currency's smallest unit: 1900 means €19.00, but ¥1,900 */
  recurringMonthly: number;
  /** The prorated amount that is due now, in the currency's smallest unit; negative for a credit. If this is the hub's first spoke, it is the amount of the first invoice */
  dueNow: number;
  /** The time for which the prorated amount was computed */
  prorationDate: string;
} | {
  /** Whether the cost is known. It is known only if the hub is billed through a payment provider, the size has a price, and you manage the hub */
  available: false;
  /** The cause as one word */
  reason?: string;
};

export interface Course {
  /** The course's ID */
  id: string;
  /** The title; of a course, that of its newest version */
  title: string;
  /** The version that the hub gives to its spokes; null if it gives them none */
  delivered: number | null;
  /** The versions, newest first */
  versions: {
    /** The version's number */
    version: number;
    /** The text that names this version in the policy */
    release: string;
    /** The title; of a course, that of its newest version */
    title: string;
    /** The short name that the course had on its site */
    shortname: string;
    /** The SHA-256 hash of the package, a Moodle backup without users */
    sha256: string;
    /** The size of the package in bytes */
    bytes: number;
    /** The add-ons that the course needs */
    plugins: string[];
    /** The oldest branch of Moodle that can use this version */
    branch: string;
    /** The spoke from which the version was published; null unless you manage the hub */
    spokeId: string | null;
    /** When the version was published */
    publishedAt: string;
    /** The time of the newest backup that contains the package; null without one */
    backedUpAt: string | null;
    /** Whether the hub's library no longer has the package, so that no site can get this version */
    isMissing: boolean;
    /** The user who published the version; null unless you manage the hub */
    publishedBy: string | null;
  }[];
}

export interface CoursePublication {
  /** The spoke whose site has the course; must be text of 1 to 100 characters without control characters */
  spokeId: string;
  /** The short name of the course on that site; must be text of 1 to 255 characters without control characters */
  course: string;
  /** The hub's course that gets a new version; without it, the hub gets a new course; must be the ID of a course, such as crs_06fj2c4v7tq0w1x9n3m8k5r2dg */
  courseId?: string | null | undefined;
  /** Whether the hub's spokes get the version at once; true if absent */
  deliver?: boolean | null | undefined;
}

export interface DeviceDecision {
  /** The ID of the sign-in; must be text of 1 to 100 characters without control characters */
  id: string;
  /** Whether the terminal gets a token */
  approve: boolean;
  /** What the token may do: "readonly" reads, "provisioning" also creates and removes spokes, "cli" does everything */
  scope: "cli" | "provisioning" | "readonly";
  /** When the token will expire. If this field is absent, the token never expires; must be an ISO 8601 timestamp such as 2026-11-21T12:00:00.000Z */
  expiresAt?: string | null | undefined;
  /** Limits the token to 1 to 100 hubs, by ID or slug; must list 1 to 100 different hubs */
  federationIds?: readonly string[] | null | undefined;
}

export interface DeviceRedemption {
  /** The secret with which the terminal gets its token; must be text of 1 to 200 characters without control characters */
  deviceCode: string;
}

export interface DeviceSignIn {
  /** The secret with which the terminal gets its token */
  deviceCode: string;
  /** The code that the user types into the page */
  userCode: string;
  /** The page where the user types the code */
  verificationUri: string;
  /** The number of seconds until the code expires */
  expiresIn: number;
  /** The least number of seconds between two requests for the token */
  interval: number;
}

export interface Factor {
  /** The ID of the second factor */
  id: string;
  /** The kind of the second factor: "totp" is an authenticator app, "passkey" a passkey */
  kind: "totp" | "passkey";
  /** The name of the second factor */
  name: string;
  /** When the object was created */
  createdAt: string;
  /** When the second factor was last used; null if never */
  lastUsedAt: string | null;
}

export interface FactorActivation {
  /** The 6 digits that your authenticator app shows now; each code works once; must be the 6 digits that your authenticator app shows */
  code?: string | null | undefined;
  /** What the browser returned: id and response of the toJSON() of the PublicKeyCredential */
  passkey?:
    | {
      /** The ID of the passkey, in base64url; must be text of 1 to 8192 characters without control characters */
      id: string;
      /** The values that the authenticator signed, in base64url */
      response: {
        /** The challenge and the origin, as the browser saw them; must be text of 1 to 8192 characters without control characters */
        clientDataJSON: string;
        /** The new passkey; only to activate one; must be text of 1 to 8192 characters without control characters */
        attestationObject?: string | undefined;
        /** What the authenticator checked; only to use a passkey; must be text of 1 to 8192 characters without control characters */
        authenticatorData?: string | undefined;
        /** The signature; only to use a passkey; must be text of 1 to 8192 characters without control characters */
        signature?: string | undefined;
      };
    }
    | null
    | undefined;
}

export interface FactorPatch {
  /** The name of the second factor; must be text of 1 to 100 characters without control characters */
  name: string;
}

export interface Federation {
  /** The hub's ID */
  id: string;
  /** The short name of the hub in URLs and host names */
  slug: string;
  /** The display name */
  name: string;
  /** The name of the region in the catalog */
  region: string | null;
  /** What the hub gives its sites: identity, content or both. Another text has no effect; a name from the catalog */
  mode: string | null;
  /** The name of the hub's tier in the catalog */
  tier: string | null;
  /** The hub's state */
  state: "provisioning" | "active" | "failed" | "removing" | "removed";
  /** The same value as in the field "state" */
  status: "provisioning" | "active" | "failed" | "removing" | "removed";
  /** Why the hub or spoke is in its current state; null if there is nothing to explain */
  stateReason: string | null;
  /** The number of the hub's spokes, without removed spokes */
  spokeCount: number;
  /** A sentence about a mode that does less than it seems to; null for the other modes */
  modeNote: string | null;
  /** When the object was created */
  createdAt: string;
  /** When the object last changed */
  updatedAt: string;
  /** The running or queued operation of the hub or spoke; null if no operation is queued or running */
  operation: Operation | null;
}

export interface FederationAction {
  /** The action to perform: retry restarts the failed operation of a hub */
  action: "retry";
}

export interface FederationPatch {
  /** The hub's current slug. You may omit this field, because the slug cannot be changed; must be text of 1 to 100 characters without control characters */
  slug?: string | null | undefined;
  /** The display name; must be text of 1 to 200 characters without control characters */
  name?: string | null | undefined;
  /** The name of the region in the catalog; must be text of 1 to 100 characters without control characters */
  region?: string | null | undefined;
  /** What the hub gives its sites: identity, content or both. Another text has no effect; a name from the catalog; must be text of 1 to 100 characters without control characters */
  mode?: string | null | undefined;
  /** The name of the hub's tier in the catalog; must be text of 1 to 100 characters without control characters */
  tier?: string | null | undefined;
  /** Whether to start a rollout that brings the hub's tier to its spokes. Only operators can */
  rollOut?: boolean | null | undefined;
}

export interface FederationPreview {
  /** The fields of the hub that change */
  changes: {
    /** The path of the field that would change; empty if a new object would be created */
    field: string;
    /** The current value of the field; null if the field is not set */
    from: string | null;
    /** The new value of the field; null if the field would be removed */
    to: string;
  }[];
  /** The number of spokes with each effect */
  counts: {
    /** Spokes whose pods move, so that their sites are down for a short time */
    moves: number;
    /** Spokes that change without downtime */
    in_place: number;
    /** Spokes that are left out because they are suspended */
    suspended: number;
    /** Spokes that cannot change in their present state */
    refused: number;
    /** Spokes that have what the tier sets */
    unchanged: number;
  };
  /** The usual duration of the operation on one spoke; null if it has never succeeded */
  usualSeconds: number | null;
  /** The number of sites that are down for at most this time */
  downtimes: number;
  /** The least time in which a rollout can end; null if the usual duration is unknown */
  minimumSeconds: number | null;
  /** The spokes that the tier concerns */
  spokes: {
    /** The ID of the spoke to which the object belongs */
    spokeId: string;
    /** The short name of the hub in URLs and host names */
    slug: string;
    /** The host name of the site */
    domain: string;
    /** What the spoke gets of the change */
    effect: "moves" | "in_place" | "suspended" | "refused" | "unchanged";
    /** Whether the tier allows the spoke's size. A spoke keeps its size in any case */
    sizeAllowed: boolean;
    /** Why the spoke failed or is skipped */
    reason: string | null;
  }[];
  /** The number of further spokes, which are not listed */
  more: number;
  /** What else the change does */
  notes: string[];
}

export interface FederationRequest {
  /** The request's ID */
  id: string;
  /** The short name of the hub in URLs and host names */
  slug: string;
  /** The display name */
  name: string;
  /** The name of the region in the catalog */
  region: string | null;
  /** What the hub gives its sites: identity, content or both. Another text has no effect; a name from the catalog */
  mode: string | null;
  /** The name of the hub's tier in the catalog */
  tier: string | null;
  /** Why you need the hub */
  reason: string | null;
  /** The request's state */
  state: "pending" | "approved" | "rejected" | "withdrawn";
  /** The user who made the request */
  requestedBy: {
    /** The user's ID */
    id: string;
    /** The user's email address, used to sign in */
    email: string;
  };
  /** The user who decided or withdrew the request; null until then */
  decidedBy: {
    /** The user's ID */
    id: string;
    /** The user's email address, used to sign in */
    email: string;
  } | null;
  /** When the request was decided; null until then */
  decidedAt: string | null;
  /** Why the request was rejected; null if it was not rejected */
  rejectReason: string | null;
  /** The ID of the hub that was created from the request; null until then */
  federationId: string | null;
  /** When the object was created */
  createdAt: string;
}

export interface ForgotPassword {
  /** Your email address; must be an email address */
  email: string;
}

export interface HubCost {
  /** Whether the amounts are those that the payment provider bills, or the catalog's prices */
  prices: "provider" | "catalog";
  /** Why the catalog's prices are used; null if the payment provider bills the hub */
  reason: string | null;
  /** The cost for each size. Suspended, failed and unfinished spokes cost nothing and are not listed */
  lines: {
    /** The size of the spokes; null for an item of the subscription that is not for spokes */
    size: string | null;
    /** The number of spokes, or the quantity of the subscription's item */
    spokes: number;
    /** The monthly price of one spoke, in the currency's smallest unit; null if none is known */
    each: number | null;
    /** The monthly price of all these spokes, in the currency's smallest unit */
    monthly: number | null;
    /** The ISO 4217 code of the currency */
    currency: string | null;
    /** Why the line has no amount; null if it has one */
    reason: string | null;
  }[];
  /** The sum of the lines for each currency */
  totals: {
    /** The ISO 4217 code of the currency */
    currency: string;
    /** The monthly total in this currency, in the currency's smallest unit */
    monthly: number;
  }[];
  /** The payment provider's estimate of the next invoice, which may be a minute old; null if unknown */
  nextInvoice: {
    /** The ISO 4217 code of the currency */
    currency: string;
    /** The total amount of the next invoice, in the currency's smallest unit */
    total: number;
    /** The amount to pay after credit is deducted, in the currency's smallest unit */
    due: number;
    /** When the next invoice will be created */
    at: string;
  } | null;
  /** Why the next invoice is unknown; null if it is known */
  nextInvoiceReason: string | null;
}

export interface HubJoining {
  /** The result: added, invited by email, or unchanged if the user was already a member */
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

export interface HubUsage {
  /** The hub's ID */
  federationId: string;
  /** When the sums were calculated; null if no spoke has reported its usage yet */
  measuredAt: string | null;
  /** Used bytes of the disk for files; null while unknown */
  filesUsed: number | null;
  /** The size of the disk for files, in bytes */
  filesSize: number | null;
  /** Used bytes of the disk for the database; null while unknown */
  databaseUsed: number | null;
  /** The size of the disk for the database, in bytes */
  databaseSize: number | null;
  /** The number of user accounts, without guests and deleted accounts */
  users: number | null;
  /** The number of users who used the site in the last 30 days */
  activeUsers: number | null;
  /** The number of courses */
  courses: number | null;
  /** The number of spokes in the sums: those that have reported their usage */
  spokes: number;
  /** The number of spokes that use at least 80% of their storage */
  fullSpokes: number;
  /** The length of time that each sample stands for: samples are hourly for up to 2 days */
  step: "hour" | "day";
  /** The newest values of each hour or day, the oldest first */
  samples: {
    /** The start of the hour or day (UTC) */
    at: string;
    /** Used bytes of the disk for files; null while unknown */
    filesUsed: number | null;
    /** The size of the disk for files, in bytes */
    filesSize: number | null;
    /** Used bytes of the disk for the database; null while unknown */
    databaseUsed: number | null;
    /** The size of the disk for the database, in bytes */
    databaseSize: number | null;
    /** The number of user accounts, without guests and deleted accounts */
    users: number | null;
    /** The number of users who used the site in the last 30 days */
    activeUsers: number | null;
    /** The number of courses */
    courses: number | null;
    /** The number of spokes in the sums: those that have reported their usage */
    spokes: number;
    /** The number of spokes that use at least 80% of their storage */
    fullSpokes: number;
  }[];
}

export interface Identity {
  /** The identity's ID */
  id: string;
  /** The ID of the provider in the file SIGN_IN_PROVIDERS */
  provider: string;
  /** The provider's issuer */
  issuer: string;
  /** What identifies the person at the provider, even if the address changes */
  subject: string;
  /** The address that the provider reported at the last sign-in */
  email: string | null;
  /** When the object was created */
  createdAt: string;
  /** When the user last signed in with the identity */
  lastUsedAt: string;
}

export interface IssuedWebhook {
  /** The webhook's ID */
  id: string;
  /** The ID of the hub; null for a webhook of the installation, which gets the events of all hubs, and its tests */
  federationId: string | null;
  /** The receiver's URL. It must have a public address and use https. Redirects are not followed */
  url: string;
  /** The types of the events to send; all types if the list is empty */
  eventTypes: string[];
  /** A text for people */
  description: string;
  /** Whether the webhook sends events. It is disabled after three days of failures, or by an admin */
  state: "active" | "disabled";
  /** Why the webhook was disabled; null while it is active */
  disabledReason: string | null;
  /** When the first attempt failed since the last success, in any hub; null if deliveries succeed */
  failingSince: string | null;
  /** The last attempt to deliver a message; null before the first attempt */
  lastDelivery: {
    /** When the attempt ended */
    at: string;
    /** The HTTP status of the answer; null without an answer */
    status: number | null;
    /** Why the message was not delivered; null if it was */
    error: string | null;
  } | null;
  /** Until when messages are also signed with the former secret; null if they are not */
  formerSecretEndsAt: string | null;
  /** The user who created the webhook. It stays when the user leaves the hub */
  createdBy: {
    /** The user's ID */
    id: string;
    /** The user's email address, used to sign in */
    email: string;
  };
  /** When the object was created */
  createdAt: string;
  /** When the object last changed */
  updatedAt: string;
  /** The secret that verifies signatures, as Standard Webhooks defines them. It is shown only once */
  secret: string;
}

export interface Library {
  /** The ID of the hub to which the object belongs */
  federationId: string;
  /** The number of packages that the hub's courses name */
  packages: number;
  /** The size of these packages in bytes */
  packageBytes: number;
  /** The space that is used on the volume, in bytes; null before the first check */
  usedBytes: number | null;
  /** The size of a new library's volume, in bytes */
  capacityBytes: number | null;
  /** When the library was last checked */
  checkedAt: string | null;
  /** The versions whose package the last check did not find */
  missing: string[];
  /** Whether the hub's cluster can take backups of the library */
  backupsAvailable: boolean;
  /** The time of the newest backup; null if there is none */
  backedUpAt: string | null;
  /** Why the last check or backup failed, or why the cluster takes no backups */
  error: string | null;
  /** The backups from which an operator can restore the library, newest first */
  backups: {
    /** The backup's ID */
    id: string;
    /** When the object was created */
    createdAt: string;
    /** The size of the snapshot in bytes; null if the storage does not report it */
    sizeBytes: number | null;
    /** The number of packages in the backup */
    packages: number;
  }[];
}

export interface LoggedIn {
  /** The user who sent the request */
  user: User;
  /** What you still need to do, such as verifying your email address; absent if there is nothing to do */
  message?: string;
}

export interface Login {
  /** Your email address; must be an email address */
  email: string;
  /** The password; must be a password of at most 4096 characters */
  password: string;
  /** The 6 digits that your authenticator app shows now; each code works once; must be the 6 digits that your authenticator app shows */
  code?: string | null | undefined;
  /** One of your recovery codes, instead of a code; each works once; must be text of 1 to 100 characters without control characters */
  recoveryCode?: string | null | undefined;
}

export interface Marked {
  /** The number of notifications that this request marked as read */
  marked: number;
}

export interface Me {
  /** The user who sent the request */
  user: User;
}

export interface Member {
  /** The user's ID */
  userId: string;
  /** The user's email address, used to sign in */
  email: string;
  /** The user's name */
  displayName: string;
  /** Whether the member's email address is still unverified. Until it is verified, the membership gives no access */
  pending: boolean;
  /** Why the mail server permanently refused the last email to this address; null if no email was refused */
  mailRefusal: string | null;
  /** When the user became a member */
  createdAt: string;
}

export interface MintedToken {
  /** The token's ID */
  id: string;
  /** The purpose of the token */
  name: string;
  /** What the token may do: "readonly" reads, "provisioning" also creates and removes spokes, "cli" does everything */
  scope: "cli" | "provisioning" | "readonly";
  /** The first characters of the token, by which you can recognize the token */
  prefix: string;
  /** The token's hubs; null without a limit */
  federationIds: string[] | null;
  /** When the object was created */
  createdAt: string;
  /** When the token expires; null if it never expires */
  expiresAt: string | null;
  /** The complete token, which is shown only once */
  token: string;
}

export interface NewDeviceSignIn {
  /** The name of the token; must be text of 1 to 100 characters without control characters */
  name: string;
  /** What the token may do: "readonly" reads, "provisioning" also creates and removes spokes, "cli" does everything */
  scope: "cli" | "provisioning" | "readonly";
}

export interface NewFactor {
  /** The kind of the second factor: "totp" is an authenticator app, "passkey" a passkey */
  kind: "totp" | "passkey";
  /** The name of the second factor; must be text of 1 to 100 characters without control characters */
  name: string;
}

export interface NewFederation {
  /** The short name of the hub in URLs and host names; must be 1 to 63 lower-case letters, digits or hyphens, neither beginning nor ending with a hyphen */
  slug: string;
  /** The display name; must be text of 1 to 200 characters without control characters */
  name?: string | null | undefined;
  /** The name of the region in the catalog; must be text of 1 to 100 characters without control characters */
  region?: string | null | undefined;
  /** What the hub gives its sites: identity, content or both. Another text has no effect; a name from the catalog; must be text of 1 to 100 characters without control characters */
  mode?: string | null | undefined;
  /** The name of the hub's tier in the catalog; must be text of 1 to 100 characters without control characters */
  tier?: string | null | undefined;
}

export interface NewFederationRequest {
  /** The short name of the hub in URLs and host names; must be 1 to 63 lower-case letters, digits or hyphens, neither beginning nor ending with a hyphen */
  slug: string;
  /** The display name; must be text of 1 to 200 characters without control characters */
  name?: string | null | undefined;
  /** The name of the region in the catalog; must be text of 1 to 100 characters without control characters */
  region?: string | null | undefined;
  /** What the hub gives its sites: identity, content or both. Another text has no effect; a name from the catalog; must be text of 1 to 100 characters without control characters */
  mode?: string | null | undefined;
  /** The name of the hub's tier in the catalog; must be text of 1 to 100 characters without control characters */
  tier?: string | null | undefined;
  /** Why you need the hub; must be text of 1 to 2000 characters without control characters */
  reason?: string | null | undefined;
}

export interface NewMember {
  /** The email address of the new member; must be an email address */
  email: string;
  /** The name of the new member, if the member has no account yet; must be text of 1 to 200 characters without control characters */
  displayName?: string | null | undefined;
}

export interface NewRestoreRequest {
  /** The ID of the backup to restore; must be text of 1 to 100 characters without control characters */
  backupId: string;
  /** Why a restore is needed; must be text of 1 to 2000 characters without control characters */
  reason: string;
}

export interface NewRollout {
  /** The action on each spoke. Only operators can use reapply */
  action: "upgrade" | "resize" | "reapply" | "restart" | "configure";
  /** The new size; a name from the catalog; must be text of 1 to 100 characters without control characters */
  size?: string | null | undefined;
  /** The target version; a name from the catalog; must be a version such as 4.5.12 */
  lmsVersion?: string | null | undefined;
  /** Upgrade without a backup if the cluster cannot take one. You cannot roll back without a backup */
  skipBackup?: boolean | null | undefined;
  /** The spokes to change. A spoke must match everything that is set; must select spokes: use {"all": true} for all spokes that you can see */
  selector: {
    /** The IDs of the spokes, in the order in which they are changed; must be a list of 1 to 1000 ids */
    ids?: readonly string[] | null | undefined;
    /** Selects all spokes that you can see; must be true */
    all?: true | null | undefined;
    /** The ID or slug of a hub; must be text of 1 to 100 characters without control characters */
    federationId?: string | null | undefined;
    /** The spokes' slug; must be 1 to 63 lower-case letters, digits or hyphens, neither beginning nor ending with a hyphen */
    slug?: string | null | undefined;
    /** The spokes' state */
    state?:
      | "provisioning"
      | "active"
      | "failed"
      | "suspending"
      | "suspended"
      | "resuming"
      | "updating"
      | "removing"
      | "removed"
      | null
      | undefined;
    /** The spokes' health */
    health?: "healthy" | "degraded" | "unknown" | null | undefined;
    /** The Moodle version that the spokes run; must be a version such as 4.5.12 */
    lmsVersion?: string | null | undefined;
    /** The spokes' size; must be text of 1 to 100 characters without control characters */
    size?: string | null | undefined;
    /** The spokes' region; must be text of 1 to 100 characters without control characters */
    region?: string | null | undefined;
    /** Only spokes whose `storagePercent` is at least this number */
    minStoragePercent?: number | null | undefined;
    /** Only spokes whose site has this add-on; must be the component of a plugin, such as mod_attendance */
    addon?: string | null | undefined;
    /** Text in the spokes' slug, display name or domain; must be text of 1 to 100 characters without control characters */
    q?: string | null | undefined;
    /** If true, only spokes whose manifests come from an older revision of the blueprint */
    outdated?: boolean | null | undefined;
    /** Selects only spokes that lack what their hub shares, or have an older add-on than the catalog lists */
    behind?: boolean | null | undefined;
  };
  /** The first wave, which is watched */
  canary?: {
    /** The number of spokes in the first wave (default: 1) */
    spokes: number;
    /** How long the first wave is watched before the next one starts, in minutes (default: 10) */
    minutes: number;
  } | undefined;
  /** The number of spokes in each later wave, or a percentage of all spokes (default: 10%); must be a number of spokes such as 20, or a percentage such as 10% */
  batch?: string | null | undefined;
  /** The maximum number of spokes in a cluster that are changed at the same time (default: 5) */
  maxUnavailable?: number | null | undefined;
  /** The number of failed spokes at which the rollout pauses (default: 1) */
  maxFailures?: number | null | undefined;
  /** The hours in which operations may start. Operations that have started continue; by default, they start at any time */
  window?: {
    /** The days on which the window opens; must be a list of 1 to 7 days */
    days: readonly ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
    /** The time of day at which the window opens; must be a time of day such as 22:00 */
    from: string;
    /** The time of day at which the window closes, on the next day if it is not after `from`; must be a time of day such as 22:00 */
    to: string;
    /** The time zone of the days and times; must be a time zone such as Europe/Berlin */
    timeZone: string;
  } | undefined;
}

export interface NewSpoke {
  /** A short name for addresses and commands, of lowercase letters, digits and hyphens; must be 1 to 63 lower-case letters, digits or hyphens, neither beginning nor ending with a hyphen */
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
  /** Logo and colours of the site; a name from the catalog; must be text of 1 to 100 characters without control characters */
  brand?: string | null | undefined;
  /** The courses that a new site contains; a name from the catalog; must be text of 1 to 100 characters without control characters */
  seed?: string | null | undefined;
  /** Whether users sign in with the hub's identity provider */
  identity?: boolean | null | undefined;
  /** Whether the site includes the hub's shared courses */
  content?: boolean | null | undefined;
  /** How the site gets new versions of the hub's courses: subscribe, pull or mirror; a name from the catalog; must be text of 1 to 100 characters without control characters */
  contentMode?: string | null | undefined;
  /** The ID or slug of the hub. If given, it must match the hub in the path; must be text of 1 to 100 characters without control characters */
  federationId?: string | null | undefined;
  /** The same value as in the field "lmsVersion"; must be a version such as 4.5.12 */
  moodleVersion?: string | null | undefined;
  /** The ID or domain of a spoke that you manage, to create a copy of that spoke. The copy has the same courses, users and settings, unless you give other settings here. No credentials of the original are copied; must be text of 1 to 253 characters without control characters */
  copyOf?: string | null | undefined;
  /** The backup from which to copy: newest (the default), now to take a new backup first, or the ID of a backup; must be text of 1 to 100 characters without control characters */
  copyBackup?: string | null | undefined;
}

export interface NewTerminalCode {
  /** The PKCE challenge: the SHA-256 of the verifier, in base64url; must be a PKCE challenge by the method S256: 43 letters, digits, hyphens or underscores */
  challenge: string;
  /** The port on 127.0.0.1 where the terminal waits for the code; must be a port from 1024 to 65535 */
  port: number;
  /** The name of the token; must be text of 1 to 100 characters without control characters */
  name: string;
  /** What the token may do: "readonly" reads, "provisioning" also creates and removes spokes, "cli" does everything */
  scope: "cli" | "provisioning" | "readonly";
  /** When the token will expire. If this field is absent, the token never expires; must be an ISO 8601 timestamp such as 2026-11-21T12:00:00.000Z */
  expiresAt?: string | null | undefined;
  /** Limits the token to 1 to 100 hubs, by ID or slug; must list 1 to 100 different hubs */
  federationIds?: readonly string[] | null | undefined;
}

export interface NewToken {
  /** The purpose of the token; must be text of 1 to 100 characters without control characters */
  name: string;
  /** What the token may do: "readonly" reads, "provisioning" also creates and removes spokes, "cli" does everything */
  scope: "cli" | "provisioning" | "readonly";
  /** When the token will expire. If this field is absent, the token never expires; must be an ISO 8601 timestamp such as 2026-11-21T12:00:00.000Z */
  expiresAt?: string | null | undefined;
  /** Limits the token to 1 to 100 hubs, by ID or slug; must list 1 to 100 different hubs */
  federationIds?: readonly string[] | null | undefined;
}

export interface NewWebhook {
  /** The receiver's URL. It must have a public address and use https. Redirects are not followed; must be an https URL of at most 2000 characters */
  url: string;
  /** The types of the events to send; all types if the list is empty; must be a list of event types, such as SpokeUpdateActive */
  eventTypes?:
    | readonly (
      | "SpokeUpdateProvisioning"
      | "SpokeUpdateActive"
      | "SpokeUpdateFailed"
      | "SpokeUpdateSuspending"
      | "SpokeUpdateSuspended"
      | "SpokeUpdateResuming"
      | "SpokeUpdateUpdating"
      | "SpokeUpdateRemoving"
      | "SpokeUpdateRemoved"
      | "FederationUpdateProvisioning"
      | "FederationUpdateActive"
      | "FederationUpdateFailed"
      | "FederationUpdateRemoving"
      | "FederationUpdateRemoved"
      | "RolloutUpdateRunning"
      | "RolloutUpdatePaused"
      | "RolloutUpdateCompleted"
      | "RolloutUpdateAborted"
    )[]
    | undefined;
  /** A text for people; must be text of 0 to 200 characters without control characters */
  description?: string | undefined;
}

export interface Notification {
  /** The ID of the notification, which is also the ID of its audit event */
  id: string;
  /** What happened */
  kind: string;
  /** The user or system that caused the event */
  actor: {
    /** The ID of the user who caused the event, or "system" */
    id: string;
    /** The user's email address, used to sign in */
    email: string;
  };
  /** The type of the object that the event is about */
  objectType: string;
  /** The ID of the object that the event is about */
  objectId: string;
  /** More data about the event. Its fields depend on the kind of event */
  metadata: Record<string, unknown>;
  /** The IP address of the caller; empty if an operator performed the action and you are not an operator */
  ip: string;
  /** The user agent of the caller; empty if an operator performed the action and you are not an operator */
  userAgent: string;
  /** When the event occurred */
  at: string;
  /** Whether you have read the notification */
  read: boolean;
  /** When you read the notification; null until then */
  readAt: string | null;
}

export interface Onboarding {
  /** Your account */
  user: User;
  /** The user's request for a hub, if the user made one */
  federationRequest: FederationRequest | null;
}

export interface OnboardingAnswers {
  /** Your name; must be text of 1 to 200 characters without control characters */
  displayName?: string | null | undefined;
  /** Your new password, if you want one; must be a password of 12 to 256 characters */
  password?: string | null | undefined;
  /** The user's request for a hub, if the user made one */
  federationRequest?: NewFederationRequest | null | undefined;
}

export interface OnboardingState {
  /** When the user completed onboarding; null until then */
  onboardedAt: string | null;
}

export interface Operation {
  /** The operation's ID */
  id: string;
  /** The kind of operation */
  kind: string;
  /** The operation's state */
  state: "queued" | "running" | "succeeded" | "failed" | "cancelled";
  /** The ID of the hub to which the object belongs */
  federationId: string | null;
  /** The ID of the spoke to which the object belongs */
  spokeId: string | null;
  /** The number of the current step, or of the last step if the operation has ended; 0 while queued */
  step: number;
  /** The number of steps in the operation */
  of: number;
  /** A description of the current step, with its progress if known */
  label: string;
  /** The number of the current attempt at this step */
  attempt: number;
  /** The operation's position in the queue of its hub, 1 if it is next; null unless the operation is queued */
  position: number | null;
  /** Estimated seconds until the operation ends, from the median of past runs; null if unknown or ended */
  etaSeconds: number | null;
  /** The operation that must finish first; null if there is no such operation, or if you may not see it */
  waitingFor: {
    /** The operation's ID */
    id: string;
    /** The kind of operation */
    kind: string;
    /** A description of the current step, with its progress if known */
    label: string;
    /** The number of the current step, or of the last step if the operation has ended; 0 while queued */
    step: number;
    /** The number of steps in the operation */
    of: number;
    /** When the operation started */
    since: string;
    /** The ID of the hub to which the object belongs */
    federationId: string | null;
    /** The ID of the spoke to which the object belongs */
    spokeId: string | null;
  } | null;
  /** When the next attempt at the step starts; null if no attempt is delayed */
  nextAttemptAt: string | null;
  /** Parts of the operation that were skipped, or that failed without stopping the operation */
  notes: string[];
  /** When the object was created */
  createdAt: string;
  /** When the operation started; null while it is queued */
  startedAt: string | null;
  /** When the operation ended; null until then */
  finishedAt: string | null;
  /** Why the last attempt failed; null if it did not fail */
  error: {
    /** The cause as one word, for programs */
    code: string;
    /** An explanation of what could not be done, and how to make it possible */
    message: string;
    /** The name of the step that failed */
    step: string;
    /** Who can fix the problem: the user, the operator, or the cluster's administrator */
    fault: "user" | "operator" | "cluster";
    /** How to fix the problem */
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
  /** The ID of the hub to which the object belongs */
  federationId: string | null;
  /** The ID of the spoke to which the object belongs */
  spokeId: string | null;
  /** The number of the current step, or of the last step if the operation has ended; 0 while queued */
  step: number;
  /** The number of steps in the operation */
  of: number;
  /** A description of the current step */
  label: string;
  /** The number of the current attempt at this step */
  attempt: number;
  /** The operation's position in the queue of its hub, 1 if it is next; null unless the operation is queued */
  position: number | null;
  /** Estimated seconds until the operation ends, from the median of past runs; null if unknown or ended */
  etaSeconds: number | null;
  /** The operation that must finish first; null if there is no such operation, or if you may not see it */
  waitingFor: {
    /** The operation's ID */
    id: string;
    /** The kind of operation */
    kind: string;
    /** A description of the current step, with its progress if known */
    label: string;
    /** The number of the current step, or of the last step if the operation has ended; 0 while queued */
    step: number;
    /** The number of steps in the operation */
    of: number;
    /** When the operation started */
    since: string;
    /** The ID of the hub to which the object belongs */
    federationId: string | null;
    /** The ID of the spoke to which the object belongs */
    spokeId: string | null;
  } | null;
  /** When the next attempt at the step starts; null if no attempt is delayed */
  nextAttemptAt: string | null;
  /** Parts of the operation that were skipped, or that failed without stopping the operation */
  notes: string[];
  /** When the object was created */
  createdAt: string;
  /** When the operation started; null while it is queued */
  startedAt: string | null;
  /** When the operation ended; null until then */
  finishedAt: string | null;
  /** The steps of the operation, in order. A step starts when the previous step ends */
  steps: {
    /** The name of the step, which stays the same if the label changes */
    name: string;
    /** A description of the step */
    label: string;
    /** When the step started; null until then, or if the time was not recorded */
    startedAt: string | null;
    /** When the step ended; null until then, or if the time was not recorded */
    finishedAt: string | null;
  }[];
  /** Why the last attempt failed, with logs and Kubernetes events; null if it did not fail */
  error: {
    /** The cause as one word, for programs */
    code: string;
    /** An explanation of what could not be done, and how to make it possible */
    message: string;
    /** The name of the step that failed */
    step: string;
    /** Who can fix the problem: the user, the operator, or the cluster's administrator */
    fault: "user" | "operator" | "cluster";
    /** How to fix the problem */
    hint: string | null;
    /** The last log lines of the pod that failed */
    log: string[];
    /** Kubernetes events from the spoke's namespace */
    events: {
      /** When the event occurred */
      at: string;
      /** The kind and name of the Kubernetes object */
      object: string;
      /** The cause as one word */
      reason: string;
      /** The message of the Kubernetes event */
      message: string;
      /** How often the event occurred */
      count: number;
    }[];
  } | null;
}

export interface Overview {
  /** Counts of the spokes that you can see */
  spokes: {
    /** The total number of spokes */
    total: number;
    /** The number of spokes in each state */
    byState: {
      /** The number of spokes that are being created */
      provisioning: number;
      /** The number of active spokes */
      active: number;
      /** The number of spokes in this state */
      failed: number;
      /** The number of spokes in this state */
      suspending: number;
      /** The number of spokes in this state */
      suspended: number;
      /** The number of spokes in this state */
      resuming: number;
      /** The number of spokes in this state */
      updating: number;
      /** The number of spokes in this state */
      removing: number;
    };
    /** The number of active spokes whose health is degraded */
    degraded: number;
    /** The number of active spokes whose last restore test failed */
    unverified: number;
    /** When the least recently verified active spoke last passed a restore test; null if no spoke was ever verified */
    oldestVerifiedAt: string | null;
  };
  /** The hubs that you can see, newest first, each with counts of the spokes that you can see */
  hubs: {
    /** The hub's ID */
    federationId: string;
    /** The total number of spokes */
    total: number;
    /** The number of spokes in each state */
    byState: {
      /** The number of spokes that are being created */
      provisioning: number;
      /** The number of active spokes */
      active: number;
      /** The number of spokes in this state */
      failed: number;
      /** The number of spokes in this state */
      suspending: number;
      /** The number of spokes in this state */
      suspended: number;
      /** The number of spokes in this state */
      resuming: number;
      /** The number of spokes in this state */
      updating: number;
      /** The number of spokes in this state */
      removing: number;
    };
    /** The number of active spokes whose health is degraded */
    degraded: number;
    /** The number of active spokes whose last restore test failed */
    unverified: number;
    /** When the least recently verified active spoke last passed a restore test; null if no spoke was ever verified */
    oldestVerifiedAt: string | null;
  }[];
  /** Counts of the operations that have not ended, for the hubs and spokes that you can see */
  queue: {
    /** The number of queued operations */
    queued: number;
    /** The number of running operations */
    running: number;
    /** The number of seconds that the oldest queued operation has waited; null if no operation is queued */
    oldestWaitSeconds: number | null;
  };
  /** The templates from which new sites are created. Null unless an operator requests the overview of all hubs */
  templates: {
    /** The cluster in which the template is stored */
    cluster: string;
    /** The Moodle version of sites that are created from the template */
    lmsVersion: string;
    /** The state of the template: ready when new sites can be created from it */
    state: "creating" | "ready" | "failed" | "retiring";
    /** Why the template could not be created or used; null if no error occurred */
    error: string | null;
    /** When the template may be created again after a failure; null if the last attempt did not fail */
    nextAttemptAt: string | null;
    /** When the template became ready */
    readyAt: string | null;
    /** When a site was last created from the template */
    lastUsedAt: string | null;
  }[] | null;
  /** The spokes whose manifests come from an older revision of the blueprint; the rollout `reapply` updates them */
  outdated: {
    /** The number of these spokes, at most 1000 */
    spokes: number;
    /** Whether there are more than 1000 */
    more: boolean;
  };
}

export interface OverviewHistory {
  /** When the totals of hubs were last added up, every few minutes; null if they never were, or if you see only spokes */
  updatedAt: string | null;
  /** The number of sites whose installation succeeded */
  installs: number;
  /** Their median duration in seconds; null if there were none */
  installSeconds: number | null;
  /** The number of operations that failed */
  failures: number;
  /** The median time between an operation's request by a user and its start, in seconds */
  waitSeconds: number | null;
  /** The 95th percentile of this time, in seconds */
  waitSeconds95: number | null;
  /** The most frequent causes of failures, most frequent first; all others are counted as `other` */
  causes: {
    /** The failure's code */
    code: string;
    /** The number of operations that failed with this code */
    count: number;
  }[];
  /** The days (UTC), oldest first. An operation counts on the day on which it ended */
  samples: {
    /** The day */
    day: string;
    /** The number of sites whose installation succeeded */
    installs: number;
    /** Their median duration in seconds; null if there were none */
    installSeconds: number | null;
    /** The number of operations that failed */
    failures: number;
    /** The median time between an operation's request by a user and its start, in seconds */
    waitSeconds: number | null;
    /** The 95th percentile of this time, in seconds */
    waitSeconds95: number | null;
    /** Used bytes of the disk for files; null while unknown */
    filesUsed: number | null;
    /** Used bytes of the disk for the database; null while unknown */
    databaseUsed: number | null;
    /** The change of the used bytes since the day before; null if one of them is unknown */
    growth: number | null;
  }[];
}

export interface OwnPatch {
  /** The display name; must be text of 1 to 200 characters without control characters */
  displayName?: string | null | undefined;
}

export interface PasskeyLogin {
  /** What the browser returned: id and response of the toJSON() of the PublicKeyCredential */
  passkey: {
    /** The ID of the passkey, in base64url; must be text of 1 to 8192 characters without control characters */
    id: string;
    /** The values that the authenticator signed, in base64url */
    response: {
      /** The challenge and the origin, as the browser saw them; must be text of 1 to 8192 characters without control characters */
      clientDataJSON: string;
      /** The new passkey; only to activate one; must be text of 1 to 8192 characters without control characters */
      attestationObject?: string | undefined;
      /** What the authenticator checked; only to use a passkey; must be text of 1 to 8192 characters without control characters */
      authenticatorData?: string | undefined;
      /** The signature; only to use a passkey; must be text of 1 to 8192 characters without control characters */
      signature?: string | undefined;
    };
  };
}

export interface PasskeyOptions {
  /** The host name of the service, to which passkeys belong */
  rpId: string;
  /** The challenge that the passkey signs */
  challenge: string;
  /** Your passkeys; empty for a sign-in, where any passkey may be used */
  allowCredentials: {
    /** The type of the event, which names the object and its new state */
    type: "public-key";
    /** The ID of the passkey, in base64url */
    id: string;
  }[];
  /** Whether the device must verify you, by PIN or biometrics */
  userVerification: string;
  /** How long the challenge works, in milliseconds */
  timeout: number;
}

export interface PasskeyRequest {
  /** What the passkey is for: "sign-in" without a password, "second-factor" of a sign-in, or "confirm" a session */
  for: "sign-in" | "second-factor" | "confirm";
}

export interface PasswordChange {
  /** Your current password; must be a password of at most 4096 characters */
  current: string;
  /** Your new password; must be a password of 12 to 256 characters */
  password: string;
}

export interface PasswordReset {
  /** The value of the parameter "token" in the link from the email; must be text of 1 to 200 characters without control characters */
  token: string;
  /** Your new password; must be a password of 12 to 256 characters */
  password: string;
  /** Whether to keep your API tokens. By default, they are revoked */
  keepTokens?: boolean | null | undefined;
}

export interface PendingDeviceSignIn {
  /** The ID of the sign-in */
  id: string;
  /** The name of the token */
  name: string;
  /** What the token may do: "readonly" reads, "provisioning" also creates and removes spokes, "cli" does everything */
  scope: "cli" | "provisioning" | "readonly";
  /** The address from which the sign-in was started */
  ip: string;
  /** The User-Agent of the program that started it */
  userAgent: string;
  /** When the object was created */
  createdAt: string;
}

export interface PendingSignIn {
  /** The email address of the user who signs in */
  email: string;
  /** When the sign-in expires */
  expiresAt: string;
  /** The kinds of the user's second factors */
  factors: ("totp" | "passkey")[];
}

export interface Policy {
  /** The ID of the hub to which the object belongs */
  federationId: string;
  /** The sites' language, time zone, access and support contact */
  settings: {
    /** The version. If nothing was ever shared: 0 in a hub, null in a spoke */
    version: number;
    /** The values; null if left to the sites */
    values: {
      /** The default language */
      language: string | null;
      /** The default time zone */
      timeZone: string | null;
      /** Whether the login page lets guests in */
      guestAccess: boolean | null;
      /** Whether visitors must sign in to see the front page */
      forcedLogin: boolean | null;
      /** The maximum size of an uploaded file, in MiB */
      uploadLimit: number | null;
      /** The name of the support contact */
      supportName: string | null;
      /** The email address of the support contact */
      supportEmail: string | null;
      /** The address of the support page */
      supportPage: string | null;
    };
    /** The fields that spokes may override */
    overridable: string[];
    /** When the version was made */
    changedAt: string | null;
    /** The user who made the version */
    changedBy: string | null;
  };
  /** The sites' colour, logo and styles */
  brand: {
    /** The version. If nothing was ever shared: 0 in a hub, null in a spoke */
    version: number;
    /** The values; null if left to the sites */
    values: {
      /** The name of a brand in the catalog */
      preset: string | null;
      /** The colour of links and buttons */
      color: string | null;
      /** The logo, a PNG or JPEG file on the web */
      logo: {
        /** The address of the file; must be an https URL */
        url: string;
        /** The SHA-256 hash of the file; must be a SHA-256 in hexadecimal */
        sha256: string;
      } | null;
      /** Additional styles for Moodle's theme */
      scss: string | null;
    };
    /** The fields that spokes may override */
    overridable: string[];
    /** When the version was made */
    changedAt: string | null;
    /** The user who made the version */
    changedBy: string | null;
  };
  /** The identity provider with which people sign in */
  signIn: {
    /** The version. If nothing was ever shared: 0 in a hub, null in a spoke */
    version: number;
    /** The values; null if left to the sites */
    values: {
      /** The issuer of the OpenID Connect provider */
      issuer: string | null;
      /** The client ID at the provider */
      clientId: string | null;
      /** The client secret; in answers its name in the hub's Kubernetes Secret */
      clientSecret: string | null;
      /** The initial access token with which each site registers its own client; in answers its name, like clientSecret */
      registrationToken: string | null;
      /** The scopes to request; openid profile email if not set */
      scopes: string | null;
      /** The text of the button on the login page */
      label: string | null;
      /** Whether login pages lead straight to the provider, except /login/index.php?loginredirect=0; must be button or redirect */
      loginPage: "button" | "redirect" | null;
      /** The email domains that may sign in; all if not set; must be domains such as school.example or *.school.example, 50 at most */
      domains: string[] | null;
      /** Whether people confirm by email before they join an existing account */
      confirmation: boolean | null;
    };
    /** The fields that spokes may override */
    overridable: string[];
    /** When the version was made */
    changedAt: string | null;
    /** The user who made the version */
    changedBy: string | null;
  };
  /** The courses that the sites get */
  courses: {
    /** The version. If nothing was ever shared: 0 in a hub, null in a spoke */
    version: number;
    /** The values; null if left to the sites */
    values: {
      /** The courses, each as its ID, @ and a version; must be versions of courses such as crs_06fj2c4v7tq0w1x9n3m8k5r2dg@2, at most one of each course */
      releases: string[] | null;
    };
    /** The fields that spokes may override */
    overridable: string[];
    /** When the version was made */
    changedAt: string | null;
    /** The user who made the version */
    changedBy: string | null;
  };
  /** The add-ons that Wheelwright installs on the sites */
  addons: {
    /** The number of the version */
    version: number;
    /** The values; null if left to the sites */
    values: {
      /** Add-ons of the catalog; must be 1 to 50 components */
      components: string[] | null;
    };
    /** The fields that spokes may override */
    overridable: string[];
    /** When the version was made */
    changedAt: string | null;
    /** The user who made the version */
    changedBy: string | null;
  };
  /** The addresses to register at the identity provider, one for each spoke; none if sites register themselves */
  redirectUris: string[];
  /** The number of spokes in each state, by section */
  spokes: {
    /** The number of spokes in each state of the section */
    settings: SectionCounts;
    /** The number of spokes in each state of the section */
    brand: SectionCounts;
    /** The number of spokes in each state of the section */
    signIn: SectionCounts;
    /** The number of spokes in each state of the section */
    courses: SectionCounts;
    /** The number of spokes in each state of the section */
    addons: SectionCounts;
  };
  /** The newest rollout that brings this to the spokes; null if none was necessary */
  rollout: {
    /** The rollout's ID */
    id: string;
    /** The rollout's state */
    state: "running" | "paused" | "completed" | "aborted";
    /** Why the rollout was paused or aborted */
    reason: string | null;
  } | null;
}

export interface PolicyPatch {
  /** The settings to change. Null removes a value */
  settings?: {
    /** The default language; must be the code of a Moodle language pack, such as de or pt_br */
    language?: string | null | undefined;
    /** The default time zone; must be a time zone such as Europe/Berlin */
    timeZone?: string | null | undefined;
    /** Whether the login page lets guests in */
    guestAccess?: boolean | null | undefined;
    /** Whether visitors must sign in to see the front page */
    forcedLogin?: boolean | null | undefined;
    /** The maximum size of an uploaded file, in MiB */
    uploadLimit?: number | null | undefined;
    /** The name of the support contact; must be text of 1 to 100 characters without control characters */
    supportName?: string | null | undefined;
    /** The email address of the support contact; must be an email address */
    supportEmail?: string | null | undefined;
    /** The address of the support page; must be an https URL */
    supportPage?: string | null | undefined;
  } | undefined;
  /** The parts of the brand to change. Null removes a value */
  brand?: {
    /** The name of a brand in the catalog; must be text of 1 to 100 characters without control characters */
    preset?: string | null | undefined;
    /** The colour of links and buttons; must be a colour such as #aa0044 */
    color?: string | null | undefined;
    /** The logo, a PNG or JPEG file on the web */
    logo?:
      | {
        /** The address of the file; must be an https URL */
        url: string;
        /** The SHA-256 hash of the file; must be a SHA-256 in hexadecimal */
        sha256: string;
      }
      | null
      | undefined;
    /** Additional styles for Moodle's theme; must be text of 1 to 20000 characters without control characters */
    scss?: string | null | undefined;
  } | undefined;
  /** The parts of the sign-in to change. Null removes a value */
  signIn?: {
    /** The issuer of the OpenID Connect provider; must be an https URL */
    issuer?: string | null | undefined;
    /** The client ID at the provider; must be text of 1 to 1000 characters without control characters */
    clientId?: string | null | undefined;
    /** The client secret; in answers its name in the hub's Kubernetes Secret; must be text of 1 to 1000 characters without control characters */
    clientSecret?: string | null | undefined;
    /** The initial access token with which each site registers its own client; in answers its name, like clientSecret; must be text of 1 to 4000 characters without control characters */
    registrationToken?: string | null | undefined;
    /** The scopes to request; openid profile email if not set; must be text of 1 to 1000 characters without control characters */
    scopes?: string | null | undefined;
    /** The text of the button on the login page; must be text of 1 to 200 characters without control characters */
    label?: string | null | undefined;
    /** Whether login pages lead straight to the provider, except /login/index.php?loginredirect=0; must be button or redirect */
    loginPage?: "button" | "redirect" | null | undefined;
    /** The email domains that may sign in; all if not set; must be domains such as school.example or *.school.example, 50 at most */
    domains?: readonly string[] | null | undefined;
    /** Whether people confirm by email before they join an existing account */
    confirmation?: boolean | null | undefined;
  } | undefined;
  /** The courses that the sites get, in these versions */
  courses?: {
    /** The courses, each as its ID, @ and a version; must be versions of courses such as crs_06fj2c4v7tq0w1x9n3m8k5r2dg@2, at most one of each course */
    releases?: readonly string[] | null | undefined;
  } | undefined;
  /** The add-ons */
  addons?: {
    /** Add-ons of the catalog; must be 1 to 50 components */
    components?: readonly string[] | null | undefined;
  } | undefined;
  /** The fields that spokes may override, by section */
  overridable?: {
    /** The names of settings */
    settings?:
      | readonly (
        | "language"
        | "timeZone"
        | "guestAccess"
        | "forcedLogin"
        | "uploadLimit"
        | "supportName"
        | "supportEmail"
        | "supportPage"
      )[]
      | undefined;
    /** The names of parts of the brand */
    brand?: readonly ("preset" | "color" | "logo" | "scss")[] | undefined;
    /** The name of the list */
    addons?: readonly ("components")[] | undefined;
  } | undefined;
  /** The versions that the change is based on. If a section has another version by now, nothing changes */
  ifVersion?: {
    /** The version of the section; must be the number of a version */
    settings?: number | undefined;
    /** The version of the section; must be the number of a version */
    brand?: number | undefined;
    /** The version of the section; must be the number of a version */
    signIn?: number | undefined;
    /** The version of the section; must be the number of a version */
    courses?: number | undefined;
    /** The version of the section; must be the number of a version */
    addons?: number | undefined;
  } | undefined;
}

export interface PolicyPreview {
  /** Always true: nothing was changed */
  dryRun: true;
  /** The ID of the hub to which the object belongs */
  federationId: string;
  /** The values that the change replaces */
  changes: {
    /** The section of the policy */
    section: "settings" | "brand" | "signIn" | "courses" | "addons";
    /** The path of the field that would change; empty if a new object would be created */
    field: string;
    /** The current value of the field; null if the field is not set */
    from: unknown;
    /** The new value of the field; null if the field would be removed */
    to: unknown;
  }[];
  /** Whether sites become unavailable, for about a minute */
  downtime: boolean;
  /** The number of spokes, by what they get of the change */
  counts: {
    /** Spokes that get the change now */
    changes: number;
    /** Spokes that are not running, and get the change as soon as they are active */
    later: number;
    /** Spokes that keep their own values */
    overridden: number;
    /** Spokes that an admin of the hub has excluded */
    excluded: number;
  };
  /** The first 50 spokes by slug */
  spokes: {
    /** The ID of the spoke to which the object belongs */
    spokeId: string;
    /** The short name of the hub in URLs and host names */
    slug: string;
    /** The host name of the site */
    domain: string;
    /** What the spoke gets of the change */
    effect: "changes" | "later" | "overridden" | "excluded";
    /** Why the spoke failed or is skipped */
    reason: string | null;
  }[];
  /** The number of spokes that are not listed */
  more: number;
  /** What else to know, one sentence each */
  notes: string[];
}

export interface PolicyRollback {
  /** The section of the policy */
  section: "settings" | "brand" | "signIn" | "courses" | "addons";
  /** The version whose values become the newest version; must be the number of a version */
  version: number;
}

export interface PolicyVersion {
  /** The section of the policy */
  section: "settings" | "brand" | "signIn" | "courses" | "addons";
  /** The version's number */
  version: number;
  /** The values of this version */
  values: Record<string, unknown>;
  /** The fields that spokes may override */
  overridable: string[];
  /** When the version was made */
  changedAt: string;
  /** The user who made the version */
  changedBy: string;
}

export interface Problem {
  /** The HTTP status */
  statusCode: number;
  /** The error code, which programs can use to handle the error. Each endpoint lists its error codes */
  code: string;
  /** An explanation of what could not be done, and how to make it possible */
  message: string;
  /** The reason phrase of the HTTP status */
  error: string;
}

export interface QueuedMessage {
  /** The ID of the message in the header webhook-id. Repeated messages have the same ID */
  messageId: string;
}

export interface Readiness {
  /** Always ok, because a service that is not ready responds with status 503 */
  status: "ok";
  /** The readiness checks and their results */
  checks: Record<string, "ok">;
  /** Parts of the operation that were skipped, or that failed without stopping the operation */
  notes: string[];
}

export interface RecoveryCodes {
  /** Ten new recovery codes, which are shown only once */
  recoveryCodes: string[];
}

export interface Rejection {
  /** Why the request is rejected, as a message to the requester; must be text of 1 to 2000 characters without control characters */
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
  /** Why the restore request is declined, as a message to the requester; must be text of 1 to 2000 characters without control characters */
  declineReason?: string | null | undefined;
}

export interface RestoreRequest {
  /** The request's ID */
  id: string;
  /** The ID of the hub to which the object belongs */
  federationId: string;
  /** The ID of the spoke to which the object belongs */
  spokeId: string;
  /** The ID of the backup to restore */
  backupId: string;
  /** Why a restore is needed */
  reason: string;
  /** Whether the restore request is open and, if not, its result */
  state: "open" | "done" | "declined";
  /** The user who made the request */
  requestedBy: {
    /** The user's ID */
    id: string;
    /** The user's email address, used to sign in */
    email: string;
  };
  /** The operator who decided the request; null until then, or if a restore closed the request */
  decidedBy: {
    /** The user's ID */
    id: string;
    /** The user's email address, used to sign in */
    email: string;
  } | null;
  /** When the request was decided; null until then */
  decidedAt: string | null;
  /** Why the restore request was declined; null if it was not declined */
  declineReason: string | null;
  /** The command that restores the backup. Only for operators; null for other users */
  command: string | null;
  /** When the object was created */
  createdAt: string;
}

export interface Rollout {
  /** The rollout's ID */
  id: string;
  /** The rollout's state */
  state: "running" | "paused" | "completed" | "aborted";
  /** The action on each spoke. Only operators can use reapply */
  action: "upgrade" | "resize" | "reapply" | "restart" | "configure";
  /** The parameters of the action */
  parameters: Record<string, unknown>;
  /** The first wave, which is watched */
  canary: {
    /** The number of spokes in the first wave (default: 1) */
    spokes: number;
    /** How long the first wave is watched before the next one starts, in minutes (default: 10) */
    minutes: number;
  };
  /** The number of spokes in each later wave, or a percentage of all spokes (default: 10%) */
  batch: string;
  /** The maximum number of spokes in a cluster that are changed at the same time (default: 5) */
  maxUnavailable: number;
  /** The number of failed spokes at which the rollout pauses (default: 1) */
  maxFailures: number;
  /** The hours in which operations may start. Operations that have started continue; by default, they start at any time */
  window: {
    /** The days on which the window opens */
    days: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
    /** The time of day at which the window opens; must be a time of day such as 22:00 */
    from: string;
    /** The time of day at which the window closes, on the next day if it is not after `from`; must be a time of day such as 22:00 */
    to: string;
    /** The time zone of the days and times */
    timeZone: string;
  } | null;
  /** What the rollout waits for; null if it is not running */
  note: string | null;
  /** Why the rollout was paused or aborted */
  reason: string | null;
  /** The number of waves, including the canary */
  waves: number;
  /** The first wave that is not finished, starting with 0, the canary; null if all waves are finished */
  currentWave: number | null;
  /** The number of spokes in each state */
  counts: {
    /** Spokes whose operation has not started */
    waiting: number;
    /** Spokes whose operation is queued or running */
    running: number;
    /** Spokes whose operation has succeeded, and which have not been found healthy since */
    checking: number;
    /** Spokes that were found healthy after their operation */
    succeeded: number;
    /** Spokes whose operation failed, or which were not healthy afterwards */
    failed: number;
    /** Spokes that the action cannot change */
    skipped: number;
  };
  /** The user who made the request */
  requestedBy: {
    /** The user's ID */
    id: string;
    /** The user's email address, used to sign in */
    email: string;
  };
  /** When the object was created */
  createdAt: string;
  /** When the object last changed */
  updatedAt: string;
  /** When the operation ended; null until then */
  finishedAt: string | null;
}

export interface RolloutDetail {
  /** The rollout's ID */
  id: string;
  /** The rollout's state */
  state: "running" | "paused" | "completed" | "aborted";
  /** The action on each spoke. Only operators can use reapply */
  action: "upgrade" | "resize" | "reapply" | "restart" | "configure";
  /** The parameters of the action */
  parameters: Record<string, unknown>;
  /** The first wave, which is watched */
  canary: {
    /** The number of spokes in the first wave (default: 1) */
    spokes: number;
    /** How long the first wave is watched before the next one starts, in minutes (default: 10) */
    minutes: number;
  };
  /** The number of spokes in each later wave, or a percentage of all spokes (default: 10%) */
  batch: string;
  /** The maximum number of spokes in a cluster that are changed at the same time (default: 5) */
  maxUnavailable: number;
  /** The number of failed spokes at which the rollout pauses (default: 1) */
  maxFailures: number;
  /** The hours in which operations may start. Operations that have started continue; by default, they start at any time */
  window: {
    /** The days on which the window opens */
    days: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
    /** The time of day at which the window opens; must be a time of day such as 22:00 */
    from: string;
    /** The time of day at which the window closes, on the next day if it is not after `from`; must be a time of day such as 22:00 */
    to: string;
    /** The time zone of the days and times */
    timeZone: string;
  } | null;
  /** What the rollout waits for; null if it is not running */
  note: string | null;
  /** Why the rollout was paused or aborted */
  reason: string | null;
  /** The number of waves, including the canary */
  waves: number;
  /** The first wave that is not finished, starting with 0, the canary; null if all waves are finished */
  currentWave: number | null;
  /** The number of spokes in each state */
  counts: {
    /** Spokes whose operation has not started */
    waiting: number;
    /** Spokes whose operation is queued or running */
    running: number;
    /** Spokes whose operation has succeeded, and which have not been found healthy since */
    checking: number;
    /** Spokes that were found healthy after their operation */
    succeeded: number;
    /** Spokes whose operation failed, or which were not healthy afterwards */
    failed: number;
    /** Spokes that the action cannot change */
    skipped: number;
  };
  /** The user who made the request */
  requestedBy: {
    /** The user's ID */
    id: string;
    /** The user's email address, used to sign in */
    email: string;
  };
  /** When the object was created */
  createdAt: string;
  /** When the object last changed */
  updatedAt: string;
  /** When the operation ended; null until then */
  finishedAt: string | null;
  /** The spokes, in the order in which they are changed */
  spokes: {
    /** The ID of the spoke to which the object belongs */
    spokeId: string;
    /** The ID of the hub to which the object belongs */
    federationId: string;
    /** The short name of the hub in URLs and host names */
    slug: string;
    /** The host name of the site */
    domain: string;
    /** The spoke's wave, starting with 0, the canary; null if the action cannot change the spoke */
    wave: number | null;
    /** Why the spoke failed or is skipped */
    reason: string | null;
    /** The spoke's state in the rollout */
    state: "waiting" | "running" | "checking" | "succeeded" | "failed" | "skipped";
    /** The ID of the spoke's operation; null before it starts */
    operationId: string | null;
    /** When the spoke's operation ended; null before that */
    endedAt: string | null;
  }[];
}

export interface RolloutPreview {
  /** Always true: nothing was changed */
  dryRun: true;
  /** The action on each spoke. Only operators can use reapply */
  action: "upgrade" | "resize" | "reapply" | "restart" | "configure";
  /** The parameters of the action */
  parameters: Record<string, unknown>;
  /** The first wave, which is watched */
  canary: {
    /** The number of spokes in the first wave (default: 1) */
    spokes: number;
    /** How long the first wave is watched before the next one starts, in minutes (default: 10) */
    minutes: number;
  };
  /** The number of spokes in each later wave, or a percentage of all spokes (default: 10%) */
  batch: string;
  /** The maximum number of spokes in a cluster that are changed at the same time (default: 5) */
  maxUnavailable: number;
  /** The number of failed spokes at which the rollout pauses (default: 1) */
  maxFailures: number;
  /** The hours in which operations may start. Operations that have started continue; by default, they start at any time */
  window: {
    /** The days on which the window opens */
    days: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
    /** The time of day at which the window opens; must be a time of day such as 22:00 */
    from: string;
    /** The time of day at which the window closes, on the next day if it is not after `from`; must be a time of day such as 22:00 */
    to: string;
    /** The time zone of the days and times */
    timeZone: string;
  } | null;
  /** The number of spokes in each wave, starting with the canary */
  waves: number[];
  /** The number of spokes that the action cannot change */
  skipped: number;
  /** The usual duration of the action on one spoke; null if it has never succeeded */
  usualSeconds: number | null;
  /** The number of sites that the action makes unavailable; null if this depends on what changes on each site */
  downtimes: number | null;
  /** The least time in which the rollout can end, in seconds, with the watched canary; checks of health and a time window make it longer. Null if the usual duration is unknown */
  minimumSeconds: number | null;
  /** The monthly price of the changed spokes at the catalog's prices; null if the action does not change it */
  price: {
    /** The prices by currency */
    totals: {
      /** The ISO 4217 code of the currency */
      currency: string;
      /** The monthly price before the rollout, in the minor unit of the currency */
      before: number;
      /** The monthly price after the rollout */
      after: number;
    }[];
    /** The number of spokes for whose size, before or after, the catalog has no price */
    unpriced: number;
  } | null;
  /** The spokes, in the order in which they are changed */
  spokes: {
    /** The ID of the spoke to which the object belongs */
    spokeId: string;
    /** The ID of the hub to which the object belongs */
    federationId: string;
    /** The short name of the hub in URLs and host names */
    slug: string;
    /** The host name of the site */
    domain: string;
    /** The spoke's wave, starting with 0, the canary; null if the action cannot change the spoke */
    wave: number | null;
    /** Why the spoke failed or is skipped */
    reason: string | null;
  }[];
}

export interface RolloutResumption {
  /** Whether failed spokes are tried again or skipped (default: retry); must be retry or skip */
  failed?: "retry" | "skip" | undefined;
}

export interface SecondFactor {
  /** The 6 digits that your authenticator app shows now; each code works once; must be the 6 digits that your authenticator app shows */
  code?: string | null | undefined;
  /** One of your recovery codes, instead of a code; each works once; must be text of 1 to 100 characters without control characters */
  recoveryCode?: string | null | undefined;
  /** What the browser returned: id and response of the toJSON() of the PublicKeyCredential */
  passkey?:
    | {
      /** The ID of the passkey, in base64url; must be text of 1 to 8192 characters without control characters */
      id: string;
      /** The values that the authenticator signed, in base64url */
      response: {
        /** The challenge and the origin, as the browser saw them; must be text of 1 to 8192 characters without control characters */
        clientDataJSON: string;
        /** The new passkey; only to activate one; must be text of 1 to 8192 characters without control characters */
        attestationObject?: string | undefined;
        /** What the authenticator checked; only to use a passkey; must be text of 1 to 8192 characters without control characters */
        authenticatorData?: string | undefined;
        /** The signature; only to use a passkey; must be text of 1 to 8192 characters without control characters */
        signature?: string | undefined;
      };
    }
    | null
    | undefined;
}

export interface SecondFactors {
  /** The second factors, oldest first */
  factors: Factor[];
  /** The number of unused recovery codes */
  recoveryCodes: number;
  /** Whether REQUIRE_SECOND_FACTOR requires you to have a second factor */
  required: boolean;
}

export interface SectionCounts {
  /** Spokes that have the newest version */
  in_sync: number;
  /** Spokes that have an older version, or none */
  behind: number;
  /** Spokes with values of their own, or that could not set a value */
  differs: number;
  /** Spokes that an admin of the hub has excluded */
  excluded: number;
}

export interface Session {
  /** The session's ID */
  id: string;
  /** When the object was created */
  createdAt: string;
  /** When the session was last used, to the minute */
  lastUsedAt: string;
  /** When the session expires if it is not used again */
  expiresAt: string;
  /** The IP address from which the user signed in */
  ip: string;
  /** The user agent with which the user signed in */
  userAgent: string;
  /** Whether your request used this session */
  current: boolean;
  /** The ID of the provider at which the session began; null if it began here */
  provider: string | null;
}

export interface SignInCheck {
  /** The issuer that was checked */
  issuer: string;
  /** Why the site cannot use the provider; null if it can */
  problem: string | null;
  /** The spoke whose site has read the provider's discovery document and keys */
  spokeId: string;
}

export interface SignInCheckRequest {
  /** The issuer to check; the hub's own if absent; must be an https URL */
  issuer?: string | null | undefined;
  /** Whether the provider must register clients; by default, if the hub has a registration token */
  registers?: boolean | null | undefined;
}

export interface SignInLink {
  /** A link with which the site's admin account can set a new password and sign in; shown only once */
  url: string;
  /** When the link expires, according to the site's settings */
  expiresAt: string;
}

export interface SignInProvider {
  /** The provider's ID in the file SIGN_IN_PROVIDERS */
  id: string;
  /** The text of the provider's button */
  label: string;
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
  /** A short name for addresses and commands, of lowercase letters, digits and hyphens */
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
  /** Logo and colours of the site; a name from the catalog */
  brand: string | null;
  /** The courses that a new site contains; a name from the catalog */
  seed: string | null;
  /** Whether users sign in with the hub's identity provider */
  identity: boolean;
  /** Whether the site includes the hub's shared courses */
  content: boolean;
  /** How the site gets new versions of the hub's courses: subscribe, pull or mirror; a name from the catalog */
  contentMode: string | null;
  /** Whether the site sends email. A copy starts with held, and a change restarts the site; must be on or held */
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
  /** Whether the site works: healthy, degraded after three failed checks in a row, or unknown */
  health: "healthy" | "degraded" | "unknown";
  /** How full the disk of the files or of the database is, in percent, whichever is higher; null while unknown */
  storagePercent: number | null;
  /** Whether a user has put the site in maintenance mode */
  maintenance: boolean;
  /** Digest of the Moodle image that the site runs; null until a pod reports it */
  imageDigest: string | null;
  /** The Kubernetes namespace of the site */
  namespace: string;
  /** Former domains that redirect to the spoke's current domain. No other spoke can use them until the redirect ends */
  formerDomains: {
    /** The domain */
    domain: string;
    /** When the redirect and the reservation end */
    until: string;
  }[];
  /** The URL of the site */
  url: string;
  /** The same value as in the field "lmsVersion" */
  moodleVersion: string;
  /** The spoke and the backup from which this spoke was copied; null if it is not a copy */
  from: {
    /** The ID of the copied spoke */
    spokeId: string;
    /** The ID of the copied backup; null if a new backup would be taken first */
    backupId: string;
  } | null;
  /** The same value as in the field "state" */
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
  /** The running or queued operation of the hub or spoke; null if no operation is queued or running */
  operation: Operation | null;
  /** When the object was created */
  createdAt: string;
  /** When the object last changed */
  updatedAt: string;
  /** When the site was first ready */
  readyAt: string | null;
  /** When the site's objects in the cluster were last checked */
  observedAt: string | null;
  /** When an operation on the spoke last failed; null if none has */
  lastFailedAt: string | null;
  /** Differences between the spoke's objects and its manifests at the last check; null if no difference is known */
  drift: {
    /** The objects of the spoke that were changed or deleted in the cluster */
    objects: {
      /** The kind and name of the Kubernetes object */
      object: string;
      /** Whether the object is changed or missing */
      what: "changed" | "missing";
      /** The fields of the object that differ from the manifest; empty for a missing object */
      fields: string[];
    }[];
    /** Set if the spoke's manifests come from an older revision of the blueprint. To update it, use the action reapply */
    revision: {
      /** The blueprint revision from which the spoke was rendered */
      from: string;
      /** The current revision of the blueprint */
      to: string;
    } | null;
    /** The add-ons of the site that the catalog does not list; absent if there are none */
    addons?: string[];
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
    | "suspend-person"
    | "reinstate-person"
    | "reapply"
    | "configure"
    | "retry";
  /** The new size; a name from the catalog; must be text of 1 to 100 characters without control characters */
  size?: string | null | undefined;
  /** The target version; a name from the catalog; must be a version such as 4.5.12 */
  lmsVersion?: string | null | undefined;
  /** Upgrade without a backup if the cluster cannot take one. You cannot roll back without a backup */
  skipBackup?: boolean | null | undefined;
  /** The person's email address; must be an email address */
  email?: string | null | undefined;
  /** The same value as in the field "lmsVersion"; must be a version such as 4.5.12 */
  moodleVersion?: string | null | undefined;
}

export interface SpokeAddons {
  /** The ID of the spoke to which the object belongs */
  spokeId: string;
  /** When the site listed its add-ons; null if it has not reported any list yet */
  reportedAt: string | null;
  /** The number of all add-ons; a report has room for about 100 of them */
  total: number | null;
  /** The add-ons, sorted by component */
  addons: {
    /** The type and the name of the plugin */
    component: string;
    /** The number of the version */
    version: number;
    /** Whether Moodle uses the add-on */
    enabled: boolean;
    /** Whether the catalog lists the add-on; null if the catalog has no list of add-ons */
    listed: boolean | null;
  }[];
}

export interface SpokeAvailability {
  /** Why the login page did not work when it was last requested; null if it worked, or was not requested */
  problem: string | null;
  /** When the certificate of the site's public address ends; null without HTTPS, and until a request has seen it */
  certificateEndsAt: string | null;
  /** The months (UTC), newest first, for two years. The last minutes are added a little later */
  months: {
    /** The month */
    month: string;
    /** The percentage of measured minutes (up or down) in which the login page worked, rounded down to three decimals; null if no minute was measured */
    availability: number | null;
    /** Minutes in which the login page worked */
    up: number;
    /** Minutes in which the login page failed twice */
    down: number;
    /** Minutes of operations, suspension and maintenance mode */
    planned: number;
    /** Minutes without a measurement, because the control plane or the cluster was unavailable */
    unknown: number;
  }[];
}

export interface SpokeJoining {
  /** The result: added, invited by email, or unchanged if the user was already a member */
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
  /** Logo and colours of the site; a name from the catalog; must be text of 1 to 100 characters without control characters */
  brand?: string | null | undefined;
  /** Whether users sign in with the hub's identity provider */
  identity?: boolean | null | undefined;
  /** Whether the site includes the hub's shared courses */
  content?: boolean | null | undefined;
  /** How the site gets new versions of the hub's courses: subscribe, pull or mirror; a name from the catalog; must be text of 1 to 100 characters without control characters */
  contentMode?: string | null | undefined;
  /** Whether the site sends email. A copy starts with held, and a change restarts the site; must be on or held */
  mail?: "on" | "held" | null | undefined;
}

export interface SpokePolicy {
  /** The spoke's ID */
  spokeId: string;
  /** The ID of the hub to which the object belongs */
  federationId: string;
  /** The sites' language, time zone, access and support contact */
  settings: {
    /** Whether the site has what the hub shares */
    state: "in_sync" | "behind" | "differs" | "excluded";
    /** Why the site is not in sync, one sentence each */
    reasons: string[];
    /** The hub's newest version, or 0 */
    hubVersion: number;
    /** The version. If nothing was ever shared: 0 in a hub, null in a spoke */
    version: number | null;
    /** The values; null if left to the sites */
    values: {
      /** The default language */
      language: string | null;
      /** The default time zone */
      timeZone: string | null;
      /** Whether the login page lets guests in */
      guestAccess: boolean | null;
      /** Whether visitors must sign in to see the front page */
      forcedLogin: boolean | null;
      /** The maximum size of an uploaded file, in MiB */
      uploadLimit: number | null;
      /** The name of the support contact */
      supportName: string | null;
      /** The email address of the support contact */
      supportEmail: string | null;
      /** The address of the support page */
      supportPage: string | null;
    };
    /** The site's own values, while allowed */
    overrides: {
      /** The default language */
      language: string | null;
      /** The default time zone */
      timeZone: string | null;
      /** Whether the login page lets guests in */
      guestAccess: boolean | null;
      /** Whether visitors must sign in to see the front page */
      forcedLogin: boolean | null;
      /** The maximum size of an uploaded file, in MiB */
      uploadLimit: number | null;
      /** The name of the support contact */
      supportName: string | null;
      /** The email address of the support contact */
      supportEmail: string | null;
      /** The address of the support page */
      supportPage: string | null;
    };
    /** The fields that spokes may override */
    overridable: string[];
    /** When these last changed */
    overriddenAt: string | null;
    /** The user who last changed these */
    overriddenBy: string | null;
  };
  /** The sites' colour, logo and styles */
  brand: {
    /** Whether the site has what the hub shares */
    state: "in_sync" | "behind" | "differs" | "excluded";
    /** Why the site is not in sync, one sentence each */
    reasons: string[];
    /** The hub's newest version, or 0 */
    hubVersion: number;
    /** The version. If nothing was ever shared: 0 in a hub, null in a spoke */
    version: number | null;
    /** The values; null if left to the sites */
    values: {
      /** The name of a brand in the catalog */
      preset: string | null;
      /** The colour of links and buttons */
      color: string | null;
      /** The logo, a PNG or JPEG file on the web */
      logo: {
        /** The address of the file; must be an https URL */
        url: string;
        /** The SHA-256 hash of the file; must be a SHA-256 in hexadecimal */
        sha256: string;
      } | null;
      /** Additional styles for Moodle's theme */
      scss: string | null;
    };
    /** The site's own values, while allowed */
    overrides: {
      /** The name of a brand in the catalog */
      preset: string | null;
      /** The colour of links and buttons */
      color: string | null;
      /** The logo, a PNG or JPEG file on the web */
      logo: {
        /** The address of the file; must be an https URL */
        url: string;
        /** The SHA-256 hash of the file; must be a SHA-256 in hexadecimal */
        sha256: string;
      } | null;
      /** Additional styles for Moodle's theme */
      scss: string | null;
    };
    /** The fields that spokes may override */
    overridable: string[];
    /** When these last changed */
    overriddenAt: string | null;
    /** The user who last changed these */
    overriddenBy: string | null;
  };
  /** The identity provider with which people sign in */
  signIn: {
    /** Whether the site has what the hub shares */
    state: "in_sync" | "behind" | "differs" | "excluded";
    /** Why the site is not in sync, one sentence each */
    reasons: string[];
    /** The hub's newest version, or 0 */
    hubVersion: number;
    /** The version. If nothing was ever shared: 0 in a hub, null in a spoke */
    version: number | null;
    /** The values; null if left to the sites */
    values: {
      /** The issuer of the OpenID Connect provider */
      issuer: string | null;
      /** The client ID at the provider */
      clientId: string | null;
      /** The client secret; in answers its name in the hub's Kubernetes Secret */
      clientSecret: string | null;
      /** The initial access token with which each site registers its own client; in answers its name, like clientSecret */
      registrationToken: string | null;
      /** The scopes to request; openid profile email if not set */
      scopes: string | null;
      /** The text of the button on the login page */
      label: string | null;
      /** Whether login pages lead straight to the provider, except /login/index.php?loginredirect=0; must be button or redirect */
      loginPage: "button" | "redirect" | null;
      /** The email domains that may sign in; all if not set; must be domains such as school.example or *.school.example, 50 at most */
      domains: string[] | null;
      /** Whether people confirm by email before they join an existing account */
      confirmation: boolean | null;
    };
    /** The site's own values, while allowed */
    overrides: {
      /** The issuer of the OpenID Connect provider */
      issuer: string | null;
      /** The client ID at the provider */
      clientId: string | null;
      /** The client secret; in answers its name in the hub's Kubernetes Secret */
      clientSecret: string | null;
      /** The initial access token with which each site registers its own client; in answers its name, like clientSecret */
      registrationToken: string | null;
      /** The scopes to request; openid profile email if not set */
      scopes: string | null;
      /** The text of the button on the login page */
      label: string | null;
      /** Whether login pages lead straight to the provider, except /login/index.php?loginredirect=0; must be button or redirect */
      loginPage: "button" | "redirect" | null;
      /** The email domains that may sign in; all if not set; must be domains such as school.example or *.school.example, 50 at most */
      domains: string[] | null;
      /** Whether people confirm by email before they join an existing account */
      confirmation: boolean | null;
    };
    /** The fields that spokes may override */
    overridable: string[];
    /** When these last changed */
    overriddenAt: string | null;
    /** The user who last changed these */
    overriddenBy: string | null;
  };
  /** The courses that the sites get */
  courses: {
    /** Whether the site has what the hub shares */
    state: "in_sync" | "behind" | "differs" | "excluded";
    /** Why the site is not in sync, one sentence each */
    reasons: string[];
    /** The hub's newest version, or 0 */
    hubVersion: number;
    /** The version. If nothing was ever shared: 0 in a hub, null in a spoke */
    version: number | null;
    /** The values; null if left to the sites */
    values: {
      /** The courses, each as its ID, @ and a version; must be versions of courses such as crs_06fj2c4v7tq0w1x9n3m8k5r2dg@2, at most one of each course */
      releases: string[] | null;
    };
    /** The site's own values, while allowed */
    overrides: {
      /** The courses, each as its ID, @ and a version; must be versions of courses such as crs_06fj2c4v7tq0w1x9n3m8k5r2dg@2, at most one of each course */
      releases: string[] | null;
    };
    /** The fields that spokes may override */
    overridable: string[];
    /** When these last changed */
    overriddenAt: string | null;
    /** The user who last changed these */
    overriddenBy: string | null;
  };
  /** The add-ons that Wheelwright installs on the sites */
  addons: {
    /** Whether the site has what the hub shares */
    state: "in_sync" | "behind" | "differs" | "excluded";
    /** Why the site is not in sync, one sentence each */
    reasons: string[];
    /** The hub's newest version, or 0 */
    hubVersion: number;
    /** The number of the version */
    version: number | null;
    /** The values; null if left to the sites */
    values: {
      /** Add-ons of the catalog; must be 1 to 50 components */
      components: string[] | null;
    };
    /** The site's own values, while allowed */
    overrides: {
      /** Add-ons of the catalog; must be 1 to 50 components */
      components: string[] | null;
    };
    /** The fields that spokes may override */
    overridable: string[];
    /** When these last changed */
    overriddenAt: string | null;
    /** The user who last changed these */
    overriddenBy: string | null;
  };
  /** The sections from which an admin of the hub has excluded the spoke */
  excluded: ("settings" | "brand" | "signIn" | "courses" | "addons")[];
}

export interface SpokePolicyPatch {
  /** The settings to change. Null removes a value */
  settings?: {
    /** The default language; must be the code of a Moodle language pack, such as de or pt_br */
    language?: string | null | undefined;
    /** The default time zone; must be a time zone such as Europe/Berlin */
    timeZone?: string | null | undefined;
    /** Whether the login page lets guests in */
    guestAccess?: boolean | null | undefined;
    /** Whether visitors must sign in to see the front page */
    forcedLogin?: boolean | null | undefined;
    /** The maximum size of an uploaded file, in MiB */
    uploadLimit?: number | null | undefined;
    /** The name of the support contact; must be text of 1 to 100 characters without control characters */
    supportName?: string | null | undefined;
    /** The email address of the support contact; must be an email address */
    supportEmail?: string | null | undefined;
    /** The address of the support page; must be an https URL */
    supportPage?: string | null | undefined;
  } | undefined;
  /** The parts of the brand to change. Null removes a value */
  brand?: {
    /** The colour of links and buttons; must be a colour such as #aa0044 */
    color?: string | null | undefined;
    /** The logo, a PNG or JPEG file on the web */
    logo?:
      | {
        /** The address of the file; must be an https URL */
        url: string;
        /** The SHA-256 hash of the file; must be a SHA-256 in hexadecimal */
        sha256: string;
      }
      | null
      | undefined;
    /** Additional styles for Moodle's theme; must be text of 1 to 20000 characters without control characters */
    scss?: string | null | undefined;
  } | undefined;
  /** The versions that a site with the content mode pull takes */
  courses?: {
    /** The courses, each as its ID, @ and a version; must be versions of courses such as crs_06fj2c4v7tq0w1x9n3m8k5r2dg@2, at most one of each course */
    releases?: readonly string[] | null | undefined;
  } | undefined;
  /** The add-ons */
  addons?: {
    /** Add-ons of the catalog; must be 1 to 50 components */
    components?: readonly string[] | null | undefined;
  } | undefined;
  /** The sections from which the spoke is excluded. Only hub admins can set them */
  excluded?: readonly ("settings" | "brand" | "signIn" | "courses" | "addons")[] | undefined;
}

export interface SpokePreview {
  /** Always true: nothing was changed */
  dryRun: true;
  /** The spoke that would be created */
  spoke: {
    /** The ID of the spoke's hub */
    federationId: string;
    /** A short name for addresses and commands, of lowercase letters, digits and hyphens */
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
    /** Logo and colours of the site; a name from the catalog */
    brand: string | null;
    /** The courses that a new site contains; a name from the catalog */
    seed: string | null;
    /** Whether users sign in with the hub's identity provider */
    identity: boolean;
    /** Whether the site includes the hub's shared courses */
    content: boolean;
    /** How the site gets new versions of the hub's courses: subscribe, pull or mirror; a name from the catalog */
    contentMode: string | null;
    /** Whether the site sends email. A copy starts with held, and a change restarts the site; must be on or held */
    mail: "on" | "held";
    /** How full the disk of the files or of the database is, in percent, whichever is higher; null while unknown */
    storagePercent: number | null;
    /** The Kubernetes namespace of the site */
    namespace: string;
    /** The URL of the site */
    url: string;
    /** The same value as in the field "lmsVersion" */
    moodleVersion: string;
    /** The spoke and the backup from which this spoke was copied; null if it is not a copy */
    from: {
      /** The ID of the copied spoke */
      spokeId: string;
      /** The ID of the copied backup; null if a new backup would be taken first */
      backupId: string | null;
    } | null;
  };
  /** The Kubernetes objects that would be applied, in order */
  objects: (Record<string, unknown>)[];
  /** The resource quota of the spoke's namespace, and the resources that the spoke would use */
  quota: {
    /** The maximum amount of resources that the spoke would use */
    demand: {
      /** The requested amounts of CPU and memory */
      requests: {
        /** An amount of CPU, as a Kubernetes quantity */
        cpu: string;
        /** An amount of memory, as a Kubernetes quantity */
        memory: string;
      };
      /** The maximum amounts of CPU and memory */
      limits: {
        /** An amount of CPU, as a Kubernetes quantity */
        cpu: string;
        /** An amount of memory, as a Kubernetes quantity */
        memory: string;
      };
      /** An amount of storage, as a Kubernetes quantity */
      storage: string;
    };
    /** The resource quota of the spoke's namespace */
    quota: {
      /** The requested amounts of CPU and memory */
      requests: {
        /** An amount of CPU, as a Kubernetes quantity */
        cpu: string;
        /** An amount of memory, as a Kubernetes quantity */
        memory: string;
      };
      /** The maximum amounts of CPU and memory */
      limits: {
        /** An amount of CPU, as a Kubernetes quantity */
        cpu: string;
        /** An amount of memory, as a Kubernetes quantity */
        memory: string;
      };
      /** An amount of storage, as a Kubernetes quantity */
      storage: string;
    };
    /** The resources that would exceed the quota */
    over: string[];
  };
  /** The monthly price of the spoke */
  price: Cost;
}

export interface SpokeUsage {
  /** The spoke's ID */
  spokeId: string;
  /** When the site measured these values; null if it has not reported its usage yet */
  measuredAt: string | null;
  /** Used bytes of the disk for files; null while unknown */
  filesUsed: number | null;
  /** The size of the disk for files, in bytes */
  filesSize: number | null;
  /** Used bytes of the disk for the database; null while unknown */
  databaseUsed: number | null;
  /** The size of the disk for the database, in bytes */
  databaseSize: number | null;
  /** The number of user accounts, without guests and deleted accounts */
  users: number | null;
  /** The number of users who used the site in the last 30 days */
  activeUsers: number | null;
  /** The number of courses */
  courses: number | null;
  /** How full the fuller of the two disks is, in percent; null while unknown */
  storagePercent: number | null;
  /** Which of the two disks is fuller */
  fullestDisk: "files" | "database" | null;
  /** When this disk is full if it grows as in the last 14 days; null without growth, and beyond five years */
  fullAt: string | null;
  /** When Moodle's scheduled tasks last succeeded; up to ten minutes too early */
  tasksAt: string | null;
  /** The number of scheduled and ad hoc tasks of Moodle that failed when they last ran; null while unknown */
  failingTasks: number | null;
  /** The classes of up to five of these tasks */
  failingTaskNames: string[];
  /** Since when the oldest ad hoc task has waited although it could run; null if none waits */
  tasksWaitingSince: string | null;
  /** The checks of Moodle's status report that failed; null while unknown */
  failedChecks: string[] | null;
  /** When Moodle made these checks; it does so once an hour */
  checkedAt: string | null;
  /** When all PHP workers were last busy, so that requests had to wait; null if not known */
  workersBusyAt: string | null;
  /** The length of time that each sample stands for: samples are hourly for up to 2 days */
  step: "hour" | "day";
  /** The newest values of each hour or day, the oldest first */
  samples: {
    /** The start of the hour or day (UTC) */
    at: string;
    /** Used bytes of the disk for files; null while unknown */
    filesUsed: number | null;
    /** The size of the disk for files, in bytes */
    filesSize: number | null;
    /** Used bytes of the disk for the database; null while unknown */
    databaseUsed: number | null;
    /** The size of the disk for the database, in bytes */
    databaseSize: number | null;
    /** The number of user accounts, without guests and deleted accounts */
    users: number | null;
    /** The number of users who used the site in the last 30 days */
    activeUsers: number | null;
    /** The number of courses */
    courses: number | null;
    /** The number of times that the site's containers were restarted */
    restarts: number;
    /** The number of containers that were killed because they used too much memory */
    oomKills: number;
    /** How often all PHP workers were busy, so that requests had to wait */
    workersBusy: number;
  }[];
}

export interface StartedFactor {
  /** The ID of the second factor */
  id: string;
  /** The kind of the second factor: "totp" is an authenticator app, "passkey" a passkey */
  kind: "totp" | "passkey";
  /** The name of the second factor */
  name: string;
  /** The app's secret in base32, for apps that cannot scan a QR code; null for a passkey */
  secret: string | null;
  /** The address that a QR code for the app contains; null for a passkey */
  uri: string | null;
  /** The argument of PublicKeyCredential.parseCreationOptionsFromJSON; null for an app */
  options: {
    /** The service to which the passkey will belong */
    rp: {
      /** The host name of the service */
      id: string;
      /** The display name */
      name: string;
    };
    /** As WebAuthn defines it */
    user: {
      /** Your ID in base64url */
      id: string;
      /** The display name */
      name: string;
      /** The display name */
      displayName: string;
    };
    /** The challenge that the browser returns */
    challenge: string;
    /** As WebAuthn defines it */
    pubKeyCredParams: {
      /** The type of the event, which names the object and its new state */
      type: "public-key";
      /** A COSE algorithm that the passkey may use */
      alg: number;
    }[];
    /** As WebAuthn defines it */
    excludeCredentials: {
      /** The type of the event, which names the object and its new state */
      type: "public-key";
      /** The ID of the passkey, in base64url */
      id: string;
    }[];
    /** As WebAuthn defines it */
    authenticatorSelection: {
      /** As WebAuthn defines it */
      residentKey: string;
      /** As WebAuthn defines it */
      userVerification: string;
    };
    /** Always none: any authenticator is accepted */
    attestation: string;
    /** How long the challenge works, in milliseconds */
    timeout: number;
  } | null;
}

export interface StreamEvent {
  /** The number of the event in the hub's event stream, without gaps between numbers */
  id: string;
  /** The type of the event, which names the object and its new state */
  type: string;
  /** When the event occurred */
  at: string;
  /** The ID of the hub to which the object belongs */
  federationId: string;
  /** The ID of the spoke to which the object belongs */
  spokeId?: string;
  /** The rollout's ID; absent if the event is not about a rollout */
  rolloutId?: string;
  /** The state of the spoke, rollout or hub after the change */
  state: string;
  /** The running operation */
  operation?: {
    /** The operation's ID */
    id: string;
    /** The kind of operation */
    kind: string;
    /** The number of the current step, or of the last step if the operation has ended; 0 while queued */
    step: number;
    /** The number of steps in the operation */
    of: number;
    /** A description of the current step, with its progress if known */
    label: string;
    /** The number of the current attempt at this step */
    attempt: number;
  };
  /** Why the operation failed; absent if it did not fail */
  error?: string;
}

export interface TerminalCode {
  /** The code for the terminal */
  code: string;
  /** The number of seconds until the code expires */
  expiresIn: number;
}

export interface TerminalRedemption {
  /** The code for the terminal; must be text of 1 to 200 characters without control characters */
  code: string;
  /** The PKCE verifier, a random text that only the terminal knows; must be a PKCE verifier: 43 to 128 letters, digits, hyphens, periods, underscores or tildes */
  verifier: string;
  /** The port on 127.0.0.1 where the terminal waits for the code; must be a port from 1024 to 65535 */
  port: number;
}

export interface Token {
  /** The token's ID */
  id: string;
  /** The purpose of the token */
  name: string;
  /** What the token may do: "readonly" reads, "provisioning" also creates and removes spokes, "cli" does everything */
  scope: "cli" | "provisioning" | "readonly";
  /** The first characters of the token, by which you can recognize the token */
  prefix: string;
  /** The token's hubs; null without a limit */
  federationIds: string[] | null;
  /** When the object was created */
  createdAt: string;
  /** When the token expires; null if it never expires */
  expiresAt: string | null;
  /** When the token was last used, to the minute; null if it was never used */
  lastUsedAt: string | null;
  /** From which address it was last used */
  lastUsedIp: string | null;
  /** With which User-Agent it was last used */
  lastUsedAgent: string | null;
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
  /** The user's role: operator manages everything, hub_admin its own hubs, spoke_admin its own spokes */
  role: "operator" | "hub_admin" | "spoke_admin";
  /** The IDs of the hubs that the user manages */
  federationIds: string[];
  /** The user's name */
  displayName: string;
  /** The IDs of the spokes that the user manages without being an admin of their hub */
  spokeIds: string[];
}

export interface UserCode {
  /** The code that the user types into the page; must be text of 1 to 40 characters without control characters */
  userCode: string;
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
  /** The user's role: operator manages everything, hub_admin its own hubs, spoke_admin its own spokes */
  role: "operator" | "hub_admin" | "spoke_admin";
  /** The IDs of the hubs that the user manages */
  federationIds: string[];
  /** The user's name */
  displayName: string;
  /** The IDs of the spokes that the user manages without being an admin of their hub */
  spokeIds: string[];
  /** Whether the user is an operator */
  operator: boolean;
  /** Whether the account can be used and, if not, the reason */
  state: "active" | "invited" | "unverified" | "disabled";
  /** When the user's email address was verified; null until then */
  emailVerifiedAt: string | null;
  /** Why the mail server permanently refused the last email to this address; null if no email was refused */
  mailRefusal: string | null;
  /** When an operator disabled the account; null if it is enabled */
  disabledAt: string | null;
  /** When the object was created */
  createdAt: string;
  /** When the object last changed */
  updatedAt: string;
}

export interface VerifyEmail {
  /** The value of the parameter "token" in the link from the email; must be text of 1 to 200 characters without control characters */
  token: string;
  /** Your new password; must be a password of 12 to 256 characters */
  password?: string | null | undefined;
}

export interface Webhook {
  /** The webhook's ID */
  id: string;
  /** The ID of the hub; null for a webhook of the installation, which gets the events of all hubs, and its tests */
  federationId: string | null;
  /** The receiver's URL. It must have a public address and use https. Redirects are not followed */
  url: string;
  /** The types of the events to send; all types if the list is empty */
  eventTypes: string[];
  /** A text for people */
  description: string;
  /** Whether the webhook sends events. It is disabled after three days of failures, or by an admin */
  state: "active" | "disabled";
  /** Why the webhook was disabled; null while it is active */
  disabledReason: string | null;
  /** When the first attempt failed since the last success, in any hub; null if deliveries succeed */
  failingSince: string | null;
  /** The last attempt to deliver a message; null before the first attempt */
  lastDelivery: {
    /** When the attempt ended */
    at: string;
    /** The HTTP status of the answer; null without an answer */
    status: number | null;
    /** Why the message was not delivered; null if it was */
    error: string | null;
  } | null;
  /** Until when messages are also signed with the former secret; null if they are not */
  formerSecretEndsAt: string | null;
  /** The user who created the webhook. It stays when the user leaves the hub */
  createdBy: {
    /** The user's ID */
    id: string;
    /** The user's email address, used to sign in */
    email: string;
  };
  /** When the object was created */
  createdAt: string;
  /** When the object last changed */
  updatedAt: string;
}

export interface WebhookDelivery {
  /** The ID of the attempt */
  id: string;
  /** The ID of the message in the header webhook-id. Repeated messages have the same ID */
  messageId: string;
  /** The type of the event, WebhookTest, or StreamReset if events were lost */
  type: string;
  /** The ID of the hub; null for a webhook of the installation, which gets the events of all hubs, and its tests */
  federationId: string | null;
  /** The number of the event in the hub's stream; null for a test message */
  number: number | null;
  /** Why the message was sent: an event, a test, or a user who sent it again */
  trigger: "event" | "test" | "redelivery";
  /** The number of the attempt for this message, starting with 1 */
  attempt: number;
  /** The HTTP status of the answer; null without an answer */
  status: number | null;
  /** The first 2 KiB of the answer */
  answer: string;
  /** Why the message was not delivered; null if it was */
  error: string | null;
  /** How long the attempt took, in milliseconds */
  durationMs: number;
  /** The body of the message, exactly as it was signed */
  body: string;
  /** When the object was created */
  createdAt: string;
}

export interface WebhookPatch {
  /** The receiver's URL. It must have a public address and use https. Redirects are not followed; must be an https URL of at most 2000 characters */
  url?: string | undefined;
  /** The types of the events to send; all types if the list is empty; must be a list of event types, such as SpokeUpdateActive */
  eventTypes?:
    | readonly (
      | "SpokeUpdateProvisioning"
      | "SpokeUpdateActive"
      | "SpokeUpdateFailed"
      | "SpokeUpdateSuspending"
      | "SpokeUpdateSuspended"
      | "SpokeUpdateResuming"
      | "SpokeUpdateUpdating"
      | "SpokeUpdateRemoving"
      | "SpokeUpdateRemoved"
      | "FederationUpdateProvisioning"
      | "FederationUpdateActive"
      | "FederationUpdateFailed"
      | "FederationUpdateRemoving"
      | "FederationUpdateRemoved"
      | "RolloutUpdateRunning"
      | "RolloutUpdatePaused"
      | "RolloutUpdateCompleted"
      | "RolloutUpdateAborted"
    )[]
    | undefined;
  /** A text for people; must be text of 0 to 200 characters without control characters */
  description?: string | undefined;
  /** Whether the webhook sends events. It is disabled after three days of failures, or by an admin */
  state?: "active" | "disabled" | undefined;
}
