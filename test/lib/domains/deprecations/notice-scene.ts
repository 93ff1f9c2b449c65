/** Helpers for tests of notices: users with tokens, notices, and queued mails. */
import type { Test } from "uvu";
import { mailNoticesToPage, type NoticeRecipientPage } from "#lib/domains/deprecations/announce.ts";
import { addCallCounts } from "#lib/domains/deprecations/store.ts";
import type { MailTemplateData } from "#lib/drivers/mail/letter.ts";
import type { AnnouncedChange, AnnouncedDeprecation, AnnouncedLimitChange } from "#lib/base/notice.ts";
import { DAY } from "#lib/base/time.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { createTestToken, createTestUser, type TestToken, type TestUserState } from "#test/support/users.ts";

export interface NoticeContext {
  db: TestDatabase;
}

/** Gives the suite a database that is emptied before each test. */
export function useNoticeDatabase(test: Test<NoticeContext>): void {
  test.before(async (context) => void (context.db = await openTestDatabase()));
  test.before.each(async ({ db }) => {
    const tables = ["token_calls", "deprecation_notices", "jobs", "api_tokens", "users", "clock_shift"];
    await db.sql(tables.map((table) => `delete from ${table}`).join(";"));
  });
  test.after(({ db }) => db.close());
}

export interface Caller extends TestToken {
  readonly userId: string;
  readonly email: string;
}

/** Creates a user with one token of this scope. */
export async function createCaller({ db }: NoticeContext, name: string, life: TestUserState = {}): Promise<Caller> {
  const person = await createTestUser(db, name, life);
  return { ...await createTestToken(db, person, "cli"), userId: person.id, email: person.email };
}

export async function addTokenCalls(
  { db }: NoticeContext,
  { id }: TestToken,
  endpoint: string,
  calls: number,
): Promise<void> {
  await addCallCounts(db.rows, [{ tokenId: id, endpoint, calls }]);
}

/** Returns the notice of `GET /api/NAME/{id}`, announced yesterday and ending in 40 days. */
export function endpointNotice(name: string, more: Partial<AnnouncedDeprecation> = {}): AnnouncedDeprecation {
  return {
    kind: "endpoint",
    id: `endpoint ${name}`,
    method: "GET",
    path: `/api/${name}/{id}`,
    pattern: `/api/${name}/:id`,
    since: new Date(Date.now() - DAY),
    sunset: new Date(Date.now() + 40 * DAY),
    note: `Use something else than ${name}`,
    ...more,
  };
}

export function limitNotice(name: string, more: Partial<AnnouncedLimitChange> = {}): AnnouncedLimitChange {
  return {
    kind: "limit",
    id: `limit ${name}`,
    title: `Requests: ${name}`,
    since: new Date(Date.now() - DAY),
    from: new Date(Date.now() + 40 * DAY),
    note: "Ask less",
    ...more,
  };
}

/** Mails a page of users, all by default. */
export function announceNotices(
  { db }: NoticeContext,
  notices: readonly AnnouncedChange[],
  page: Partial<NoticeRecipientPage> = {},
): ReturnType<typeof mailNoticesToPage> {
  return db.transact((tx) => mailNoticesToPage(tx, notices, { after: "", limit: 200, ...page }));
}

export interface QueuedAnnouncement extends Readonly<MailTemplateData["announcement"]> {
  readonly to: string;
  readonly lane: string;
}

/** Returns the queued mails, in the order in which they were written. */
export async function listQueuedMails({ db }: NoticeContext): Promise<QueuedAnnouncement[]> {
  const rows = await db.sql(
    "select split_part(lane, ':', 1) as lane, payload->'letter' as letter from jobs where kind = 'mail' order by seq",
  );
  return rows.map(({ lane, letter }) => ({ lane, to: letter.to.email, ...letter.about }));
}
