/**
 * Where the changelog is, and where each announcement stands in it.
 *
 * An announcement's name is part of addresses that were sent out, in headers, mails and feeds: it is made of what the
 * announcement is about and of nothing that may be written anew, and two announcements never have the same.
 */
import { absoluteUrl } from "#lib/base/config.ts";
import type { Notice } from "#lib/base/notice.ts";

export const CHANGELOG_PATH = "/changelog";
export const FEED_PATH = "/changelog.atom";

const MIDNIGHT = "T00:00:00.000Z";

/** `DELETE/api/spokes/:spokeId/2026-12-01`, `limit/requests-per-token`: an element's id, and a URL's fragment as it is. */
export function anchorOf(notice: Notice): string {
  if (notice.kind === "limit") return `limit/${encodeURIComponent(notice.id.replace(/^limit /, ""))}`;
  const since = notice.since.toISOString();
  const day = since.endsWith(MIDNIGHT) ? since.slice(0, -MIDNIGHT.length) : since;
  return `${notice.method}${notice.path.replace(/\{(\w+)\}/g, ":$1")}/${day}`;
}

/** Where people read of it. */
export function noticeUrl(publicUrl: URL, notice: Notice): string {
  return `${absoluteUrl(publicUrl, CHANGELOG_PATH).href}#${anchorOf(notice)}`;
}
