/** What is written down: audit events, tokens, times; and what the service says of itself. */
import { type Entries, SPOKE } from "#lib/docs/glossary/entry.ts";

export const RECORDS: Entries = {
  actor: ["Who did it"],
  objectType: ["What kind of thing it happened to", "spoke"],
  objectId: ["Which of them", SPOKE],
  metadata: ["What else is known, by kind", { size: "medium", domain: "ash.school.example" }],
  ip: ["From which address", "203.0.113.7"],
  userAgent: ["With which program", "curl/8.14.1"],
  at: ["When", "2026-11-21T12:00:00.000Z"],
  type: ["What changed into which state", "SpokeUpdateProvisioning"],

  read: ["Whether you have read it", false],
  readAt: ["When you read it; null until then", null],
  "UnreadCount.count": ["How many you have not read", 3],
  marked: ["How many became read by this call", 3],
  scope: ["What it may at most: readonly reads, provisioning also makes and removes spokes, cli does all", "readonly"],
  ".token": ["What stands behind ?token= in the mailed link", "x4Kq9TzV…"],
  "AcceptInvite.token": ["What stands behind ?token= in the mailed link", "x4Kq9TzV…"],
  "PasswordReset.token": ["What stands behind ?token= in the mailed link", "x4Kq9TzV…"],
  "VerifyEmail.token": ["What stands behind ?token= in the mailed link", "x4Kq9TzV…"],
  prefix: ["How it begins, to tell it by", "ww_ro_7Kq2"],
  token: ["The token itself, shown this once", "ww_ro_7Kq2mZ…"],
  createdAt: ["When it was made", "2026-11-21T11:55:00.000Z"],
  updatedAt: ["When it last changed", "2026-11-21T12:00:00.000Z"],
  startedAt: ["When it began; null while queued", "2026-11-21T11:58:30.000Z"],
  finishedAt: ["When it ended; null until then", null],
  readyAt: ["When the site was first ready", "2026-11-21T12:00:00.000Z"],
  observedAt: ["When the cluster was last looked at", "2026-11-21T12:00:00.000Z"],
  expiresAt: ["When it ends; null when it does not", null],
  "NewToken.expiresAt": ["When it ends; never when absent", "2027-05-31T00:00:00.000Z"],
  lastUsedAt: ["When it was last used, to the minute; null when never", null],
  checks: ["What was looked at", { database: "ok", migrations: "ok", scheduler: "ok" }],

  api: ["Version of the API", "v0"],
  commit: ["The build that answers", "358a5e6"],
  openapi: ["Version of OpenAPI", "3.1.0"],
};
