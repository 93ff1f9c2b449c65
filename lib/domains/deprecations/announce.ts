/**
 * Tells those who have an active token what is announced, once: that they were told and their mail are one transaction.
 *
 * Each gets one mail with all that is new to him, and in it his own tokens and no others. A user who gets a token
 * later, while the time still runs, is told then.
 */
import { SYSTEM } from "#lib/audit/asker.ts";
import { record } from "#lib/changes/record.ts";
import type { Rows, Tx } from "#lib/drivers/db/database.ts";
import {
  findUntold,
  markTold,
  type NoticeReader,
  readTokenCalls,
  type Telling,
  type TokenCalls,
} from "#lib/domains/deprecations/store.ts";
import { bulkMailJob } from "#lib/jobs/mail.ts";
import type { Announced, Letter } from "#lib/drivers/mail/letter.ts";
import { effectiveDateOf, type Notice } from "#lib/base/notice.ts";

/** Notices that a letter describes; of more it says how many, and the changelog has them. */
const DESCRIBED = 10;

/** Those of the notices whose time has begun and is not over. */
export function current(notices: readonly Notice[], now: Date): readonly Notice[] {
  return notices.filter((notice) => notice.since <= now && now < effectiveDateOf(notice));
}

export interface Page {
  /** The id of the last one who was told. */
  readonly after: string;
  readonly most: number;
}

export interface Announcing {
  /** How many got a mail. */
  readonly told: number;
  /** After whom to go on; null when nobody is left. */
  readonly next: string | null;
}

/** Tells the next few people. */
export async function announceTo(
  tx: Tx,
  notices: readonly Notice[],
  page: Page,
): Promise<Announcing> {
  const ids = notices.map(({ id }) => id);
  const readers = await findUntold(tx, ids, page);
  const letters = readers.length === 0 ? [] : await write(tx, notices, readers, await markTold(tx, readers, ids));
  await record(tx, SYSTEM, { jobs: letters.map((letter) => bulkMailJob(letter)) });
  return { told: letters.length, next: readers.length < page.most ? null : readers.at(-1)!.id };
}

/** A letter for each who is told anything. */
async function write(
  rows: Rows,
  notices: readonly Notice[],
  readers: readonly NoticeReader[],
  tellings: readonly Telling[],
): Promise<Letter[]> {
  const news = new Map(readers.map(({ id }) => [id, [] as Notice[]]));
  const told = new Set(tellings.map(pair));
  for (const [userId, own] of news) {
    own.push(...notices.filter((notice) => told.has(pair({ noticeId: notice.id, userId }))));
  }
  const described = [...news].flatMap(([userId, own]) =>
    own.slice(0, DESCRIBED).map((notice) => ({ noticeId: notice.id, userId, endpoint: endpointOf(notice) }))
  );
  const calls = Map.groupBy(await readTokenCalls(rows, described), pair);
  return readers.flatMap(({ id: userId, email, displayName }): Letter[] => {
    const own = news.get(userId)!;
    if (own.length === 0) return [];
    const shown = own.slice(0, DESCRIBED);
    const about = {
      notices: shown.map((notice) => describe(notice, calls.get(pair({ noticeId: notice.id, userId })) ?? [])),
      more: own.length - shown.length,
    };
    return [{ template: "announcement", to: { email, name: displayName }, about }];
  });
}

function describe(notice: Notice, tokens: readonly TokenCalls[]): Announced {
  const [first] = tokens, listed = tokens.reduce((sum, { calls }) => sum + calls, 0);
  return {
    kind: notice.kind,
    what: notice.kind === "endpoint" ? `${notice.method} ${notice.path}` : notice.title,
    from: effectiveDateOf(notice).toISOString(),
    note: notice.note,
    tokens: tokens.map(({ name, prefix, calls }) => ({ name, prefix, calls })),
    others: { tokens: (first?.tokens ?? 0) - tokens.length, calls: (first?.total ?? 0) - listed },
  };
}

/** By what its calls are counted; null where all of them matter. */
function endpointOf(notice: Notice): string | null {
  return notice.kind === "endpoint" ? `${notice.method} ${notice.pattern}` : null;
}

function pair({ noticeId, userId }: Telling): string {
  return `${userId} ${noticeId}`;
}
