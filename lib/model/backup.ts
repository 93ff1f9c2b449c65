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
