/** Defines the request and response schemas for signing in from a terminal with the browser. */
import * as v from "valibot";
import { TOKEN_SCOPES } from "#lib/drivers/crypto/token.ts";
import { boundedText, Timestamp } from "#lib/base/schema.ts";
import { NewTokenBody } from "#lib/domains/auth/views.ts";

const { name, scope, expiresAt, federationIds } = NewTokenBody.entries;
const CHALLENGE = "must be a PKCE challenge by the method S256: 43 letters, digits, hyphens or underscores";
const VERIFIER = "must be a PKCE verifier: 43 to 128 letters, digits, hyphens, periods, underscores or tildes";
const PORT = "must be a port from 1024 to 65535";

const Port = v.pipe(v.number(PORT), v.integer(PORT), v.minValue(1024, PORT), v.maxValue(65535, PORT));
const Secret = boundedText(1, 200);

export const TerminalCodeBody = v.object({
  challenge: v.pipe(v.string(CHALLENGE), v.regex(/^[\w-]{43}$/, CHALLENGE)),
  /** The port on 127.0.0.1 to which the browser returns the code. */
  port: Port,
  ...{ name, scope, expiresAt, federationIds },
});
export const TerminalCodeView = v.object({ code: v.string(), expiresIn: v.number() });

export const DeviceSignInBody = v.object({ name, scope });
export const DeviceSignInView = v.object({
  deviceCode: v.string(),
  userCode: v.string(),
  verificationUri: v.string(),
  expiresIn: v.number(),
  interval: v.number(),
});

export const UserCodeBody = v.object({ userCode: boundedText(1, 40) });
export const PendingDeviceSignInView = v.object({
  id: v.string(),
  name: v.string(),
  scope: v.picklist(TOKEN_SCOPES),
  ip: v.string(),
  userAgent: v.string(),
  createdAt: Timestamp,
});

export const DeviceDecisionBody = v.object({
  id: boundedText(1, 100),
  approve: v.boolean("must be true or false"),
  ...{ scope, expiresAt, federationIds },
});
export const DeviceDecisionView = v.object({ approved: v.boolean() });

/** The terminal's proof with which it gets its token, in the flow by the browser and in the flow by a typed code. */
export const TerminalTokenBody = v.object({
  code: Secret,
  verifier: v.pipe(v.string(VERIFIER), v.regex(/^[\w.~-]{43,128}$/, VERIFIER)),
  port: Port,
});
export const DeviceTokenBody = v.object({ deviceCode: Secret });
