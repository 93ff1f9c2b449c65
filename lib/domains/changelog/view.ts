/** Defines the changelog as shown in the API: announced deprecations and limits, and each release's changes. */
import * as v from "valibot";
import type { App } from "#lib/app.ts";
import { buildNoticeUrl, getNoticeAnchor } from "#lib/domains/changelog/anchors.ts";
import type { ReleaseNotes } from "#lib/domains/changelog/releases.ts";
import { type AnnouncedChange, getEffectiveDate } from "#lib/base/notice.ts";
import { Timestamp } from "#lib/base/schema.ts";

/** An announced deprecation or limit, with the state `announced` or `in_effect`. */
export interface ChangelogAnnouncement {
  readonly id: string;
  readonly kind: "deprecation" | "limit";
  readonly title: string;
  /** The HTTP method of the deprecated endpoint. Undefined if the announcement concerns a limit of the API. */
  readonly method?: string;
  readonly path?: string;
  readonly state: "announced" | "in_effect";
  readonly announcedAt: Date;
  readonly takesEffectAt: Date;
  readonly note: string;
  readonly url: string;
}

export interface Changelog {
  readonly api: string;
  readonly version: string;
  readonly notices: ChangelogAnnouncement[];
  readonly releases: { readonly version: string; readonly releasedAt: Date | null; readonly changes: string[] }[];
}

export const ChangelogView = v.object({
  api: v.string(),
  version: v.string(),
  notices: v.array(v.object({
    id: v.string(),
    kind: v.picklist(["deprecation", "limit"]),
    title: v.string(),
    method: v.optional(v.string()),
    path: v.optional(v.string()),
    state: v.picklist(["announced", "in_effect"]),
    announcedAt: Timestamp,
    takesEffectAt: Timestamp,
    note: v.string(),
    url: v.string(),
  })),
  releases: v.array(v.object({
    version: v.string(),
    releasedAt: v.nullable(Timestamp),
    changes: v.array(v.string()),
  })),
});

export async function showChangelog(app: App, releases: readonly ReleaseNotes[]): Promise<Changelog> {
  return buildChangelog(app, releases, await app.db.now());
}

/** Returns the changelog at the given time, newest first. Announcements that the code still contains are listed. */
export function buildChangelog(
  { notices, config, release }: Pick<App, "notices" | "config" | "release">,
  releases: readonly ReleaseNotes[],
  now: Date,
): Changelog {
  return {
    api: release.api,
    version: release.version,
    notices: notices.map((notice) => showNotice(notice, config.publicUrl, now)).reverse(),
    releases: releases.map(({ version, date, changes }) => ({
      version,
      releasedAt: date === null ? null : new Date(date),
      changes: [...changes],
    })),
  };
}

function showNotice(notice: AnnouncedChange, publicUrl: URL, now: Date): ChangelogAnnouncement {
  const at = getEffectiveDate(notice);
  return {
    id: getNoticeAnchor(notice),
    kind: notice.kind === "endpoint" ? "deprecation" : "limit",
    title: notice.kind === "endpoint" ? `${notice.method} ${notice.path}` : notice.title,
    ...(notice.kind === "endpoint" && { method: notice.method, path: notice.path }),
    state: at <= now ? "in_effect" : "announced",
    announcedAt: notice.since,
    takesEffectAt: at,
    note: notice.note,
    url: buildNoticeUrl(publicUrl, notice),
  };
}
