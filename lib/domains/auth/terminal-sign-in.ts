/**
 * Lets users sign in from a terminal with the browser, by two flows. `browser`: an authorization code with PKCE, returned
 * to the terminal's port on 127.0.0.1 (RFC 8252). `device`: the user types a code from the terminal into a page (RFC 8628).
 * The terminal then redeems its secret for an API token (terminal-token.ts).
 */
import { type RawBuilder, sql } from "kysely";
import type { App } from "#lib/app.ts";
import type { Actor, TokenScope } from "#lib/domains/auth/access.ts";
import type { RequestOrigin } from "#lib/domains/auth/authenticate.ts";
import { findHubIds } from "#lib/domains/auth/tokens.ts";
import { recordChange } from "#lib/changes/record.ts";
import { createSecret, hashSecret } from "#lib/drivers/crypto/secret.ts";
import { createUserCode, normalizeUserCode } from "#lib/drivers/crypto/user-code.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { buildAbsoluteUrl } from "#lib/base/config.ts";
import { Fault } from "#lib/base/errors.ts";
import { createId, isId } from "#lib/base/ids.ts";

/** How long the user has to type the code, and how long the terminal has to redeem a code from the browser. */
const DEVICE_SECONDS = 600, CODE_SECONDS = 60;
/** The number of seconds between two polls of a terminal. */
export const POLL_SECONDS = 5;

interface TerminalRequest {
  /** The name of the token, for example `wheelwright on ada@laptop`. */
  readonly name: string;
  readonly scope: TokenScope;
}

/** The user's decisions about the token. */
interface TokenLimits {
  readonly scope: TokenScope;
  readonly expiresAt?: Date | undefined;
  readonly federationIds?: readonly string[] | undefined;
}

interface CodeRequest extends TerminalRequest, TokenLimits {
  /** The PKCE challenge by the method S256. */
  readonly challenge: string;
  readonly port: number;
}

/** Throws a `conflict` fault (`portal_off`) without the portal, whose pages these flows need. */
export function requirePortal({ config }: Pick<App, "config">): void {
  if (config.portal) return;
  const message = "Signing in with a browser needs the portal, which is off; sign in with a password";
  throw new Fault("conflict", "portal_off", message);
}

/** Approves a sign-in from a terminal on the user's machine. Returns the code for the terminal, valid for 60 seconds. */
export async function createTerminalCode(
  app: App,
  actor: Actor,
  { challenge, port, name, ...limits }: CodeRequest,
): Promise<{ readonly code: string; readonly expiresIn: number }> {
  requirePortal(app);
  const code = createSecret(), id = createId("tsi");
  return await app.db.transact(async (tx) => {
    await deleteOldSignIns(tx);
    const token = await checkLimits(tx, actor, limits);
    await tx.insertInto("terminal_sign_ins").values({
      ...{ id, flow: "browser", state: "approved", challenge, port, name, ...token, sessionId: actor.credential.id },
      ...{ secretHash: hashSecret(code), ip: actor.ip, userAgent: actor.userAgent, expiresAt: inSeconds(CODE_SECONDS) },
    }).execute();
    await recordDecision(tx, actor, { kind: "terminal_sign_in_approved", flow: "browser", name });
    return { code, expiresIn: CODE_SECONDS };
  });
}

export interface DeviceSignIn {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly verificationUri: string;
  readonly expiresIn: number;
  readonly interval: number;
}

/** Starts a sign-in from a terminal without a browser. Throws a `conflict` fault (`portal_off`). */
export async function startDeviceSignIn(
  app: App,
  { ip, userAgent }: RequestOrigin,
  { name, scope }: TerminalRequest,
): Promise<DeviceSignIn> {
  requirePortal(app);
  const deviceCode = createSecret(), userCode = createUserCode();
  await app.db.transact(async (tx) => {
    await deleteOldSignIns(tx);
    await tx.insertInto("terminal_sign_ins").values({
      ...{ id: createId("tsi"), flow: "device", state: "pending", userCode, name, scope, ip, userAgent },
      ...{ secretHash: hashSecret(deviceCode), expiresAt: inSeconds(DEVICE_SECONDS) },
    }).execute();
  });
  const verificationUri = buildAbsoluteUrl(app.config.publicUrl, "/device").href;
  return { deviceCode, userCode, verificationUri, expiresIn: DEVICE_SECONDS, interval: POLL_SECONDS };
}

export interface PendingDeviceSignIn extends TerminalRequest, RequestOrigin {
  readonly id: string;
  readonly createdAt: Date;
}

/** Finds the sign-in for the code that a user typed. Throws a `missing` fault (`sign_in_missing`). */
export async function findDeviceSignIn(app: App, userCode: string): Promise<PendingDeviceSignIn> {
  const row = await selectPending(app.db.rows).where("userCode", "=", normalizeUserCode(userCode)).executeTakeFirst();
  if (row) return row;
  throw signInMissingFault();
}

interface DeviceDecision extends TokenLimits {
  readonly id: string;
  readonly approve: boolean;
}

/** Approves or denies a sign-in. Of several decisions, the first counts; the others throw `sign_in_missing`. */
export async function decideDeviceSignIn(
  app: App,
  actor: Actor,
  { id, approve, ...limits }: DeviceDecision,
): Promise<{ readonly approved: boolean }> {
  if (!isId("tsi", id)) throw signInMissingFault();
  return await app.db.transact(async (tx) => {
    const pending = await selectPending(tx).where("id", "=", id).forNoKeyUpdate().executeTakeFirst();
    if (!pending) throw signInMissingFault();
    const token = approve ? await checkLimits(tx, actor, limits) : {};
    const state = approve ? "approved" : "denied";
    await tx.updateTable("terminal_sign_ins").set({ state, ...token, sessionId: actor.credential.id })
      .where("id", "=", id).execute();
    const kind = approve ? "terminal_sign_in_approved" : "terminal_sign_in_denied";
    await recordDecision(tx, actor, { kind, flow: "device", name: pending.name });
    return { approved: approve };
  });
}

function selectPending(rows: RowQueries) {
  return rows.selectFrom("terminal_sign_ins").select(["id", "name", "scope", "ip", "userAgent", "createdAt"])
    .where("state", "=", "pending").where("expiresAt", ">", sql<Date>`wheelwright_now()`);
}

/** Checks the limits of the future token, so that the user sees the problem and not the terminal. */
async function checkLimits(tx: Tx, actor: Actor, { scope, expiresAt, federationIds }: TokenLimits) {
  const { rows: [row] } = await sql<{ past: boolean }>`
    select ${expiresAt ?? null}::timestamptz <= wheelwright_now() as past`.execute(tx);
  if (row?.past) throw new Fault("invalid", "expiry_past", "expiresAt must be in the future");
  const hubs = federationIds === undefined ? null : await findHubIds(tx, actor, federationIds);
  return { scope, tokenExpiresAt: expiresAt ?? null, federationIds: hubs };
}

interface Decision {
  readonly kind: "terminal_sign_in_approved" | "terminal_sign_in_denied";
  readonly flow: "browser" | "device";
  readonly name: string;
}

async function recordDecision(tx: Tx, actor: Actor, { kind, ...metadata }: Decision): Promise<void> {
  await recordChange(tx, actor, { audit: [{ kind, objectType: "user", objectId: actor.userId, metadata }] });
}

/** Deletes sign-ins that expired an hour ago. Skips rows that another transaction deletes. */
async function deleteOldSignIns(tx: Tx): Promise<void> {
  await sql`delete from terminal_sign_ins where id in (
    select id from terminal_sign_ins where expires_at < (select wheelwright_now()) - interval '1 hour'
    order by expires_at limit 100 for update skip locked)`.execute(tx);
}

function inSeconds(seconds: number): RawBuilder<Date> {
  return sql<Date>`wheelwright_now() + ${seconds} * interval '1 second'`;
}

function signInMissingFault(): Fault {
  const message = "There is no such sign-in, or it has expired; start again in the terminal";
  return new Fault("missing", "sign_in_missing", message);
}
