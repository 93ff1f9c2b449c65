/** Written by `npm run generate`; commit it, do not edit it. */
export const SPOKE_FIELDS = {
  id: {
    label: "ID",
    hint: "The ID of the spoke",
    type: "string",
  },
  federationId: {
    label: "Hub",
    hint: "The ID of the spoke's hub",
    type: "string",
  },
  slug: {
    label: "Slug",
    hint: "A short name for addresses and commands, of lowercase letters, digits and hyphens",
    type: "string",
    settable: "required",
  },
  displayName: {
    label: "Name",
    hint: "The full name of the site, shown to visitors",
    type: "string",
    settable: true,
    changeable: true,
  },
  domain: {
    label: "Domain",
    hint: "The host name of the site",
    type: "string",
    settable: true,
    changeable: true,
  },
  size: {
    label: "Size",
    hint: "CPU, memory and storage of the site",
    type: "string",
    catalogued: "sizes",
    settable: true,
  },
  lmsVersion: {
    label: "Moodle",
    hint: "The Moodle version of the site",
    type: "string",
    catalogued: "versions",
    settable: true,
  },
  adminEmail: {
    label: "Administrator",
    hint: "Email address of the site's admin account, which receives the site's notifications",
    type: "string",
    settable: true,
    changeable: true,
  },
  region: {
    label: "Region",
    hint: "The region in which the site runs",
    type: "string",
    catalogued: "regions",
    settable: true,
  },
  brand: {
    label: "Brand",
    hint: "Logo and colours of the site",
    type: "string",
    catalogued: "brands",
    settable: true,
    changeable: true,
  },
  seed: {
    label: "Seed",
    hint: "The courses that a new site contains",
    type: "string",
    catalogued: "seeds",
    settable: true,
  },
  identity: {
    label: "Hub sign-in",
    hint: "Whether users sign in with the hub's identity provider",
    type: "boolean",
    settable: true,
    changeable: true,
  },
  content: {
    label: "Shared courses",
    hint: "Whether the site includes the hub's shared courses",
    type: "boolean",
    settable: true,
    changeable: true,
  },
  contentMode: {
    label: "Content mode",
    hint: "How the site gets new versions of the hub's courses: subscribe, pull or mirror",
    type: "string",
    catalogued: "contentModes",
    settable: true,
    changeable: true,
  },
  mail: {
    label: "Email",
    hint: "Whether the site sends email. A copy starts with held, and a change restarts the site",
    type: "string",
    choices: ["on", "held"],
    changeable: true,
  },
  state: {
    label: "State",
    hint: "The state of the spoke",
    type: "string",
    choices: [
      "provisioning",
      "active",
      "failed",
      "suspending",
      "suspended",
      "resuming",
      "updating",
      "removing",
      "removed",
    ],
  },
  stateReason: {
    label: "Reason",
    hint: "Why the spoke is in this state; null if there is nothing to explain",
    type: "string",
  },
  health: {
    label: "Health",
    hint: "Whether the site works: healthy, degraded after three failed checks in a row, or unknown",
    type: "string",
    choices: ["healthy", "degraded", "unknown"],
  },
  storagePercent: {
    label: "Storage used",
    hint: "How full the disk of the files or of the database is, in percent, whichever is higher; null while unknown",
    type: "string",
  },
  maintenance: {
    label: "Maintenance mode",
    hint: "Whether a user has put the site in maintenance mode",
    type: "boolean",
  },
  imageDigest: {
    label: "Image",
    hint: "Digest of the Moodle image that the site runs; null until a pod reports it",
    type: "string",
  },
  namespace: {
    label: "Namespace",
    hint: "The Kubernetes namespace of the site",
    type: "string",
  },
} as const;

export const ACTION_DECLARATIONS = {
  "suspend": { summary: "Stop the site. Its data, address and certificate are kept.", parameters: {} },
  "resume": { summary: "Start the suspended site again.", parameters: {} },
  "restart": { summary: "Restart Moodle and its scheduled tasks. Data is kept.", parameters: {} },
  "upgrade": {
    summary: "Upgrade Moodle to a newer version. A backup is taken first.",
    parameters: {
      lmsVersion: {
        label: "Version",
        hint: "The target version",
        type: "string",
        catalogued: "versions",
        required: true,
        example: "5.2.2",
      },
      skipBackup: {
        label: "Skip the backup",
        hint: "Upgrade without a backup if the cluster cannot take one. You cannot roll back without a backup",
        type: "boolean",
      },
    },
  },
  "resize": {
    summary: "Change the site's CPU, memory and storage.",
    parameters: {
      size: {
        label: "Size",
        hint: "The new size",
        type: "string",
        catalogued: "sizes",
        required: true,
        example: "large",
      },
    },
  },
  "maintenance-on": {
    summary: "Show Moodle's maintenance page to visitors. Administrators can still use the site.",
    parameters: {},
  },
  "maintenance-off": { summary: "End maintenance mode.", parameters: {} },
  "purge-caches": { summary: "Purge Moodle's caches.", parameters: {} },
  "backup": { summary: "Take a backup of the site's files and database now.", parameters: {} },
  "run-cron": { summary: "Run Moodle's scheduled tasks now.", parameters: {} },
  "reset-admin-password": {
    summary: "Set a new password for the site's admin account and end the account's sessions.",
    parameters: {},
  },
  "suspend-person": {
    summary: "Suspend a person by email address, and end the person's sessions.",
    parameters: {
      email: {
        label: "Email address",
        hint: "The person's email address",
        type: "string",
        required: true,
        example: "cy@school.example",
      },
    },
  },
  "reinstate-person": {
    summary: "Let a person sign in again after suspend-person.",
    parameters: {
      email: {
        label: "Email address",
        hint: "The person's email address",
        type: "string",
        required: true,
        example: "cy@school.example",
      },
    },
  },
  "reapply": {
    summary: "Revert changes that were made to the site's objects in the cluster. For operators only.",
    parameters: {},
  },
  "configure": {
    summary: "Apply the settings that the site does not have yet, such as those that its hub shares.",
    parameters: {},
  },
  "retry": { summary: "Retry a failed installation or upgrade.", parameters: {} },
} as const;
