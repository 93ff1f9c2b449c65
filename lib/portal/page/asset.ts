/**
 * Serves the portal's static files with a content hash in the URL, so that browsers can cache them indefinitely. During
 * a rolling upgrade, a replica refuses requests for another release's file, so that no cache stores its own version of
 * the file under the other release's URL.
 */
import { createHash } from "node:crypto";
import * as v from "valibot";
import { publicAccess } from "#lib/domains/auth/access.ts";
import { boundedText } from "#lib/base/schema.ts";
import { DAY, SECOND } from "#lib/base/time.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { passkeyScript, portalScript, portalStyle } from "#lib/portal/assets.ts";
import { createRouteNotFoundFault } from "#lib/http/fallback-routes.ts";
import { type Reply, textReply } from "#lib/http/reply.ts";
import type { HttpResponse } from "#lib/http/response.ts";
import { cacheResponse, createGzipSelector, revalidate } from "#lib/http/revalidate.ts";

const HASH = 12; // hexadecimal digits

export const scriptPath: string = assetPath("portal.js", portalScript);
export const passkeyScriptPath: string = assetPath("passkeys.js", passkeyScript);
export const stylePath: string = assetPath("portal.css", portalStyle);

interface PortalAsset {
  readonly summary: string;
  readonly type: string;
  readonly text: string;
  /** The path of the file with a hash of its content. */
  readonly path: string;
}

/** Returns a path that contains a hash of the content: `/portal.js?v=1f2e3d4c5b6a`. */
function assetPath(name: string, text: string): string {
  return `/${name}?v=${createHash("sha256").update(text).digest("hex").slice(0, HASH)}`;
}

export function assetEndpoint({ summary, type, text, path }: PortalAsset) {
  const currentVersion = new URLSearchParams(path.slice(path.indexOf("?"))).get("v");
  const headers = { "content-type": type, "cache-control": "no-cache" };
  const selectVariant = createGzipSelector(cacheResponse({ status: 200, headers, body: text }, undefined));
  return endpoint({
    summary,
    access: publicAccess,
    scope: "public",
    portal: true,
    query: v.object({ v: v.optional(boundedText(1, 100)) }),
    polled: true,
    reply: assetReply(type),
    faults: ["no_route"],
    handle({ request, query: { v: version } }) {
      if (version !== undefined && version !== currentVersion) throw createRouteNotFoundFault();
      const { headers, ...variant } = selectVariant(request);
      return revalidate(
        { ...variant, headers: version === undefined ? headers : { ...headers, "cache-control": FOREVER } },
        request,
      );
    },
  });
}

const FOREVER = `public, max-age=${365 * DAY / SECOND}, immutable`;

/** A reply with a prepared response: the plain or the compressed file, or 304. */
function assetReply(type: string): Reply<HttpResponse, HttpResponse> {
  return { ...textReply(type), send: (response) => response, toResult: (response) => response };
}
