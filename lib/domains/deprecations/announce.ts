/**
 * Emails notices about deprecations and limits to users with an active API token. A user gets one email with all new
 * notices. Each notice is sent only once: the same transaction enqueues the email and records the delivery.
 */
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import {
  findUnnotifiedUsers,
  type NoticeDelivery,
  type NoticeRecipient,
  readTokenCalls,
  recordNoticeDeliveries,
  type TokenCallCount,
} from "#lib/domains/deprecations/store.ts";
import { createBulkMailJob } from "#lib/jobs/mail.ts";
import type { AnnouncedNotice, QueuedMail } from "#lib/drivers/mail/letter.ts";
import { type AnnouncedChange, getEffectiveDate } from "#lib/base/notice.ts";

/** The maximum number of notices described in one email. For further notices, the email gives only their number. */
const MAX_DESCRIBED = 10;

/** Returns the announced changes that have not taken effect yet. */
export function selectPendingNotices(notices: readonly AnnouncedChange[], now: Date): readonly AnnouncedChange[] {
  return notices.filter((notice) => notice.since <= now && now < getEffectiveDate(notice));
}

export interface NoticeRecipientPage {
  /** The ID of the last user on the previous page. */
  readonly after: string;
  readonly limit: number;
}

export interface NoticePageResult {
  readonly mailed: number;
  /** The ID to pass as `after` for the next page. Null after the last page. */
  readonly next: string | null;
}

/** Emails new deprecation notices to one page (batch) of users. */
export async function mailNoticesToPage(
  tx: Tx,
  notices: readonly AnnouncedChange[],
  page: NoticeRecipientPage,
): Promise<NoticePageResult> {
  const ids = notices.map(({ id }) => id);
  const readers = await findUnnotifiedUsers(tx, ids, page);
  const letters = readers.length === 0
    ? []
    : await composeLetters(tx, notices, readers, await recordNoticeDeliveries(tx, readers, ids));
  await recordChange(tx, SYSTEM_REQUESTER, { jobs: letters.map((letter) => createBulkMailJob(letter)) });
  return { mailed: letters.length, next: readers.length < page.limit ? null : readers.at(-1)!.id };
}

/** Composes one email per user, with all notices that the user has not received yet. */
async function composeLetters(
  rows: RowQueries,
  notices: readonly AnnouncedChange[],
  readers: readonly NoticeRecipient[],
  deliveries: readonly NoticeDelivery[],
): Promise<QueuedMail[]> {
  const noticesByUser = new Map(readers.map(({ id }) => [id, [] as AnnouncedChange[]]));
  const delivered = new Set(deliveries.map(deliveryKey));
  for (const [userId, own] of noticesByUser) {
    own.push(...notices.filter((notice) => delivered.has(deliveryKey({ noticeId: notice.id, userId }))));
  }
  const described = [...noticesByUser].flatMap(([userId, own]) =>
    own.slice(0, MAX_DESCRIBED).map((notice) => ({ noticeId: notice.id, userId, endpoint: endpointOf(notice) }))
  );
  const calls = Map.groupBy(await readTokenCalls(rows, described), deliveryKey);
  return readers.flatMap(({ id: userId, email, displayName }): QueuedMail[] => {
    const own = noticesByUser.get(userId)!;
    if (own.length === 0) return [];
    const described = own.slice(0, MAX_DESCRIBED);
    const about = {
      notices: described.map((notice) =>
        describe(notice, calls.get(deliveryKey({ noticeId: notice.id, userId })) ?? [])
      ),
      more: own.length - described.length,
    };
    return [{ template: "announcement", to: { email, name: displayName }, about }];
  });
}

function describe(notice: AnnouncedChange, tokens: readonly TokenCallCount[]): AnnouncedNotice {
  const [first] = tokens, listed = tokens.reduce((sum, { calls }) => sum + calls, 0);
  return {
    kind: notice.kind,
    what: notice.kind === "endpoint" ? `${notice.method} ${notice.path}` : notice.title,
    from: getEffectiveDate(notice).toISOString(),
    note: notice.note,
    tokens: tokens.map(({ name, prefix, calls }) => ({ name, prefix, calls })),
    others: { tokens: (first?.tokens ?? 0) - tokens.length, calls: (first?.total ?? 0) - listed },
  };
}

/** Returns the endpoint for which the email shows the number of calls. Null if it shows calls to all endpoints. */
function endpointOf(notice: AnnouncedChange): string | null {
  return notice.kind === "endpoint" ? `${notice.method} ${notice.pattern}` : null;
}

function deliveryKey({ noticeId, userId }: NoticeDelivery): string {
  return `${userId} ${noticeId}`;
}
