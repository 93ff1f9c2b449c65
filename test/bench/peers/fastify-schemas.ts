/** Defines the request and response schemas of the Fastify peer. */
import { z } from "zod";

export const Limit = z.object({ limit: z.coerce.number().int().min(1).max(500) });
export const Unread = z.object({ count: z.number() });

export const NewSpoke = z.object({
  slug: z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/),
  size: z.string().max(100),
});

const STATES = [
  "provisioning",
  "active",
  "failed",
  "suspending",
  "suspended",
  "resuming",
  "updating",
  "removing",
] as const;
const text = z.string(), maybeText = z.string().nullable(), time = z.date(), maybeTime = z.date().nullable();

const OperationView = z.object({
  id: text,
  kind: text,
  state: z.enum(["queued", "running"]),
  federationId: text,
  spokeId: text,
  step: z.number(),
  of: z.number(),
  label: text,
  attempt: z.number(),
  position: z.number().nullable(),
  etaSeconds: z.number().nullable(),
  waitingFor: maybeText,
  nextAttemptAt: maybeTime,
  notes: z.array(text),
  createdAt: time,
  startedAt: maybeTime,
  finishedAt: maybeTime,
  error: z.unknown(),
});

export const SpokeView = z.object({
  id: text,
  federationId: text,
  slug: text,
  displayName: text,
  domain: text,
  formerDomains: z.array(z.object({ domain: text, until: text })),
  url: text,
  size: text,
  identity: z.boolean(),
  content: z.boolean(),
  contentMode: maybeText,
  brand: maybeText,
  mail: z.enum(["on", "held"]),
  adminEmail: text,
  region: maybeText,
  lmsVersion: text,
  moodleVersion: text,
  imageDigest: maybeText,
  from: z.object({ spokeId: text, backupId: text }).nullable(),
  seed: maybeText,
  state: z.enum(STATES),
  status: z.enum(STATES),
  stateReason: maybeText,
  health: z.enum(["healthy", "degraded", "unknown"]),
  maintenance: z.boolean(),
  namespace: text,
  operation: OperationView.nullable(),
  createdAt: time,
  updatedAt: time,
  readyAt: maybeTime,
  observedAt: maybeTime,
  lastFailedAt: maybeTime,
  storagePercent: z.number().nullable(),
  drift: z.unknown(),
});

export const AuditEvents = z.array(z.object({
  id: text,
  kind: text,
  actor: z.object({ id: text, email: text }),
  objectType: text,
  objectId: text,
  metadata: z.record(z.string(), z.unknown()),
  ip: text,
  userAgent: text,
  at: time,
}));
