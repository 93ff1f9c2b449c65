/** Mails of each template, and one with only hostile values. */
import type { QueuedMail } from "#lib/drivers/mail/letter.ts";

const to = { email: "ada@school.example", name: "Ada Lovelace" };
const expiresAt = "2026-11-28T14:05:00.000Z";

const EXPIRY = { expiresAt: "2026-12-05T09:30:00.000Z" };
const UNUSED = { lastUsedAt: null, ip: "", userAgent: "" };

export const LETTERS: Readonly<Record<string, QueuedMail>> = {
  invitation: {
    template: "invitation",
    to,
    about: { inviter: "Grace Hopper", places: ["Northern schools"], expiresAt },
  },
  "invitation-many": {
    template: "invitation",
    to,
    about: {
      inviter: "Grace Hopper",
      places: Array.from({ length: 13 }, (_, i) => `${["Ash", "Birch", "Cedar"][i % 3]} school ${i + 1}`),
      expiresAt,
    },
  },
  "password-reset": { template: "password-reset", to, about: { expiresAt: "2026-11-21T15:05:00.000Z" } },
  verification: { template: "verification", to, about: { expiresAt: "2026-11-22T14:05:00.000Z" } },
  "password-changed": {
    template: "password-changed",
    to,
    about: { at: "2026-11-21T14:05:00.000Z", ip: "2001:db8::7" },
  },
  "second-factor-changed": {
    template: "second-factor-changed",
    to,
    about: { change: "factor_added", name: "Phone", at: "2026-11-21T14:05:00.000Z", ip: "2001:db8::7" },
  },
  "hub-requested": {
    template: "hub-requested",
    to,
    about: { id: "frq_06fj2c1s8m4q7x2w9e5d3n6rzy", by: "grace@school.example", hub: "Northern schools", slug: "north" },
  },
  "backup-unverified": {
    template: "backup-unverified",
    to,
    about: {
      spokeId: "spk_06fj2c4v7tq0w1x9n3m8k5r2dh",
      spoke: "Department of Biology",
      domain: "biology.spokes.example.org",
      backupId: "bak_06fj2c8q1w9n3m8k5r2dt7w1xy",
      reason: "The restored site differs from the backup: it has 4 users, but 5 were counted during the backup",
    },
  },
  "restore-requested": {
    template: "restore-requested",
    to,
    about: {
      by: "grace@school.example",
      spoke: "Department of Biology",
      domain: "biology.spokes.example.org",
      backupId: "bak_06fj2c8q1w9n3m8k5r2dt7w1xy",
      reason: "A course was deleted by mistake",
      command: "wheelwright restore spk_06fj2c4v7tq0w1x9n3m8k5r2dh --backup bak_06fj2c8q1w9n3m8k5r2dt7w1xy",
    },
  },
  "rollout-paused": {
    template: "rollout-paused",
    to,
    about: {
      id: "rol_06fj2c8q1w9n3m8k5r2dt7w1xy",
      action: "upgrade to 5.2.2",
      reason: "One spoke failed",
      ...{ done: 41, failed: 1, changed: 187 },
    },
  },
  "rollout-completed": {
    template: "rollout-completed",
    to,
    about: { id: "rol_06fj2c8q1w9n3m8k5r2dt7w1xy", action: "reapply", done: 1, failed: 0, changed: 1 },
  },
  "webhook-disabled": {
    template: "webhook-disabled",
    to,
    about: {
      id: "whk_06fj2c4v7tq0w1x9n3m8k5r2dg",
      host: "hooks.example.org",
      hub: "Northern schools",
      reason: "No delivery succeeded for 3 days. The last problem: The receiver answered 500",
    },
  },
  "request-approved": { template: "request-approved", to, about: { hub: "Northern schools", slug: "north" } },
  "request-rejected": {
    template: "request-rejected",
    to,
    about: {
      hub: "Northern schools",
      reason: "There is a hub for these schools already: south.\n\nAsk Grace to add yours to it, or see " +
        "https://school.example/hubs for how hubs are meant to be cut.",
    },
  },
  "tokens-expiring": {
    template: "tokens-expiring",
    to,
    about: { tokens: [{ name: "nightly report", prefix: "ww_ro_x7Yk", ...EXPIRY, ...UNUSED }], more: 0 },
  },
  "tokens-expiring-many": {
    template: "tokens-expiring",
    to,
    about: {
      tokens: [
        {
          ...{ name: "deploy https://school.example", prefix: "ww_prv_q0Zz", ...EXPIRY },
          ...{ lastUsedAt: "2026-11-27T08:15:00.000Z", ip: "2001:db8::7", userAgent: "wheelwright/0.2.0" },
        },
        { name: "my laptop", prefix: "ww_cli_Ab3d", ...EXPIRY, ...UNUSED },
      ],
      more: 3,
    },
  },
  announcement: {
    template: "announcement",
    to,
    about: {
      notices: [{
        kind: "endpoint",
        what: "GET /api/spokes/{spokeId}/activity",
        from: "2026-12-21T00:00:00.000Z",
        note: "Ask for GET /api/spokes/{spokeId}/events, which answers with the same events, 100 at a time.",
        tokens: [
          { name: "nightly report", prefix: "ww_ro_x7Yk", calls: 12345 },
          { name: "my laptop", prefix: "ww_cli_Ab3d", calls: 1 },
          { name: "deploy", prefix: "ww_prv_q0Zz", calls: 0 },
        ],
        others: { tokens: 0, calls: 0 },
      }],
      more: 0,
    },
  },
  "announcement-many": {
    template: "announcement",
    to,
    about: {
      notices: [
        {
          kind: "limit",
          what: "Requests with one token: 600 a minute",
          from: "2027-01-15T12:00:00.000Z",
          note: "More requests get 429 with Retry-After. Follow the event stream instead of polling.",
          tokens: [
            { name: `"><img src=x onerror=alert(1)> https://evil.example/now`, prefix: "ww_cli_Ab3d", calls: 2400000 },
            { name: "\u202egnp.live\u202c " + "x".repeat(500), prefix: "ww_cli_9Kd2", calls: 7 },
          ],
          others: { tokens: 1203, calls: 1 },
        },
        {
          kind: "endpoint",
          what: "DELETE /api/federations/{federationId}/members/{userId}",
          from: "2026-12-31T00:00:00.000Z",
          note: "Ask for DELETE /api/members/{memberId}.",
          tokens: [{ name: "مدارس الشمال", prefix: "ww_cli_Ab3d", calls: 0 }],
          others: { tokens: 0, calls: 0 },
        },
      ],
      more: 3,
    },
  },
  hostile: {
    template: "invitation",
    to: { email: "ada@school.example", name: 'Ada\r\nBcc: eve@evil.example\r\n\r\n"<script>' },
    about: {
      inviter: `<script>alert("x")</script> & '${"👩‍👩‍👧‍👦".repeat(100)}`,
      places: [
        `"><img src=x onerror=alert(1)>`,
        "\u202egnp.live\u202c \u2066turned\u2069",
        `Win at https://evil.example/now or www.evil.example, mail eve@evil.example`,
        `Z${"\u0300\u0301\u0302".repeat(200)}algo\nline\r\nbreak`,
        "مدارس الشمال",
        "x".repeat(500),
      ],
      expiresAt,
    },
  },
};

export const HOME = new URL("https://hubs.school.example/");
export const SECRET = "6yZ0sW3n1qXvB8rTkLp2mJdFhGcA9uEoIiYxNwQzV4s";
