/** Declares the kinds and states of a backup, the states of a request to restore it, and the states of site templates. */

/** The causes of a backup. A `last` backup, taken before its spoke was removed, is kept permanently. */
export const BACKUP_KINDS = ["nightly", "manual", "upgrade", "last"] as const;
export type BackupKind = (typeof BACKUP_KINDS)[number];

export const BACKUP_STATES = ["pending", "ready", "failed", "deleted"] as const;
export type BackupState = (typeof BACKUP_STATES)[number];

export const RESTORE_REQUEST_STATES = ["open", "done", "declined"] as const;
export type RestoreRequestState = (typeof RESTORE_REQUEST_STATES)[number];

/** The states of a template: a prepared installation, stored as a backup's volumes, from which new sites are created. */
export const TEMPLATE_STATES = ["creating", "ready", "failed", "retiring"] as const;
export type TemplateState = (typeof TEMPLATE_STATES)[number];

/** The numbers of days, ISO weeks and months of which the newest backup is kept. */
export interface BackupRetention {
  readonly daily: number;
  readonly weekly: number;
  readonly monthly: number;
}

/** The retention of a site whose hub's tier does not set another. */
export const DEFAULT_RETENTION: BackupRetention = { daily: 7, weekly: 4, monthly: 6 };

/** The time of day (UTC) in which nightly backups start, in milliseconds since midnight. `end` may be on the next day. */
export interface BackupWindow {
  readonly start: number;
  readonly end: number;
}
