/** Collects announced changes and builds the headers Deprecation (RFC 9745), Sunset (RFC 8594) and Link. */
import { buildNoticeUrl } from "#lib/domains/changelog/anchors.ts";
import type { AnnouncedLimit } from "#lib/domains/deprecations/limits.ts";
import { formatDocumentedPath, HTTP_METHODS, type Manifest } from "#lib/http/endpoint.ts";
import {
  type AnnouncedChange,
  type AnnouncedDeprecation,
  type AnnouncedLimitChange,
  MIN_NOTICE_PERIOD,
  parseAnnouncementDates,
} from "#lib/base/notice.ts";
import { DAY, SECOND } from "#lib/base/time.ts";

/** Response headers as name-value pairs. A name may occur more than once. */
export type HeaderLines = readonly (readonly [name: string, value: string])[];

/** Returns the response headers for a deprecated endpoint. The Deprecation header may contain a future date. */
export function buildDeprecationHeaders(notice: AnnouncedDeprecation, publicUrl: URL): HeaderLines {
  const address = buildNoticeUrl(publicUrl, notice);
  return [
    ["deprecation", `@${Math.floor(notice.since.getTime() / SECOND)}`],
    ["sunset", notice.sunset.toUTCString()],
    ["link", `<${address}>; rel="deprecation"; type="text/html"`],
    ["link", `<${address}>; rel="sunset"; type="text/html"`],
  ];
}

/** Returns all announcements, oldest first. Throws Error if one gives too little notice or two have the same ID. */
export function collectAnnouncedChanges(
  manifest: Manifest,
  limits: readonly AnnouncedLimit[],
): readonly AnnouncedChange[] {
  const endpoints = manifest.flatMap(([pattern, module]) =>
    HTTP_METHODS.flatMap((method): AnnouncedDeprecation[] => {
      const deprecated = module[method]?.deprecated;
      if (!deprecated) return [];
      const path = formatDocumentedPath(pattern);
      const { since, effect: sunset } = parseAnnouncementDates(
        `${method} ${path}`,
        deprecated.since,
        deprecated.sunset,
      );
      const id = endpointId(method, path, deprecated.since);
      return [{ kind: "endpoint", id, method, path, pattern, since, sunset, note: deprecated.note }];
    })
  );
  const others = limits.map((limit): AnnouncedLimitChange => {
    const { since, effect: from } = parseAnnouncementDates(`The limit ${limit.name}`, limit.since, limit.from);
    return { kind: "limit", id: limitId(limit), title: limit.title, since, from, note: limit.note };
  });
  const notices = [...endpoints, ...others].sort((a, b) => a.since.getTime() - b.since.getTime());
  const duplicate = notices.find(({ id }, i) => notices.findIndex((other) => other.id === id) !== i);
  if (duplicate) throw new Error(`Two announcements have the same ID: ${duplicate.id}`);
  return notices;
}

/** Postpones changes so that each takes effect at least 30 days after this deployment first announced it. */
export function postponeAnnouncedChanges(
  manifest: Manifest,
  limits: readonly AnnouncedLimit[],
  first: ReadonlyMap<string, Date>,
): { readonly manifest: Manifest; readonly limits: readonly AnnouncedLimit[] } {
  const earliest = new Map(
    collectAnnouncedChanges(manifest, limits).map((notice) => [notice.id, earliestOf(notice, first)]),
  );
  const routes = manifest.map(([pattern, module]) => {
    const later = HTTP_METHODS.flatMap((method) => {
      const endpoint = module[method], { deprecated } = endpoint ?? {};
      if (!endpoint || !deprecated) return [];
      const sunset = laterOf(
        deprecated.sunset,
        earliest.get(endpointId(method, formatDocumentedPath(pattern), deprecated.since)),
      );
      return [[method, { ...endpoint, deprecated: { ...deprecated, sunset } }] as const];
    });
    return later.length === 0
      ? [pattern, module] as const
      : [pattern, { ...module, ...Object.fromEntries(later) }] as const;
  });
  return {
    manifest: routes,
    limits: limits.map((limit) => ({ ...limit, from: laterOf(limit.from, earliest.get(limitId(limit))) })),
  };
}

/** Returns the first midnight (UTC) that is at least 30 days after this deployment first announced the change. */
function earliestOf({ id }: AnnouncedChange, first: ReadonlyMap<string, Date>): Date | undefined {
  const at = first.get(id);
  return at && new Date(Math.ceil((at.getTime() + MIN_NOTICE_PERIOD) / DAY) * DAY);
}

function laterOf(declared: string, earliest: Date | undefined): string {
  return earliest && earliest.getTime() > Date.parse(declared) ? earliest.toISOString().slice(0, 10) : declared;
}

function endpointId(method: string, path: string, since: string): string {
  return `endpoint ${method} ${path} ${new Date(since).toISOString()}`;
}

function limitId({ name }: AnnouncedLimit): string {
  return `limit ${name}`;
}
