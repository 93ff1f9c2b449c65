/**
 * Defines the changelog's URL paths and the anchor of each notice. Anchors must never change, because headers, emails
 * and feeds contain them.
 */
import { buildAbsoluteUrl } from "#lib/base/config.ts";
import type { AnnouncedChange } from "#lib/base/notice.ts";

export const CHANGELOG_PATH = "/changelog";
export const CHANGELOG_FEED_PATH = "/changelog.atom";

const MIDNIGHT = "T00:00:00.000Z";

/**
 * Returns the anchor of a notice, for example `DELETE/api/spokes/:spokeId/2026-12-01` or `limit/requests-per-token`. An
 * anchor is both an HTML element ID and a URL fragment.
 */
export function getNoticeAnchor(notice: AnnouncedChange): string {
  if (notice.kind === "limit") return `limit/${encodeURIComponent(notice.id.replace(/^limit /, ""))}`;
  const since = notice.since.toISOString();
  const day = since.endsWith(MIDNIGHT) ? since.slice(0, -MIDNIGHT.length) : since;
  return `${notice.method}${notice.path.replace(/\{(\w+)\}/g, ":$1")}/${day}`;
}

export function buildNoticeUrl(publicUrl: URL, notice: AnnouncedChange): string {
  return `${buildAbsoluteUrl(publicUrl, CHANGELOG_PATH).href}#${getNoticeAnchor(notice)}`;
}
