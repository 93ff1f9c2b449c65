/**
 * Serves the portal's static files with a content hash in the URL, so that browsers can cache them indefinitely. During
 * a rolling upgrade, a replica redirects requests for another release's file to its own version of that file.
 */
import { createHash } from "node:crypto";
import * as v from "valibot";
import { publicAccess } from "#lib/domains/auth/access.ts";
import { boundedText } from "#lib/base/schema.ts";
import { DAY, SECOND } from "#lib/base/time.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { portalScript, portalStyle } from "#lib/portal/assets.ts";
import { combineReplies, type Reply, seeOtherReply, textReply } from "#lib/http/reply.ts";

const HASH = 12; // hexadecimal digits

export const scriptPath: string = assetPath("portal.js", portalScript);
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

export function assetEndpoint({ summary, type, text: content, path }: PortalAsset) {
  const currentVersion = new URLSearchParams(path.slice(path.indexOf("?"))).get("v");
  return endpoint({
    summary,
    access: publicAccess,
    scope: "public",
    portal: true,
    query: v.object({ v: v.optional(boundedText(1, 100)) }),
    polled: true,
    reply: combineReplies(assetReply(type), seeOtherReply),
    handle: ({ query: { v: version } }) =>
      version === undefined || version === currentVersion
        ? { usual: { text: content, isImmutable: version === currentVersion } }
        : { other: path },
  });
}

interface AssetFile {
  readonly text: string;
  /** Whether the URL contains the current hash, so that caches may keep the file indefinitely. */
  readonly isImmutable: boolean;
}

function assetReply(type: string): Reply<AssetFile, AssetFile> {
  const plain = textReply(type), control = `public, max-age=${365 * DAY / SECOND}, immutable`;
  return {
    ...plain,
    send({ text, isImmutable }) {
      const answer = plain.send(text);
      return { ...answer, headers: { ...answer.headers, "cache-control": isImmutable ? control : "no-cache" } };
    },
    toResult: (file) => file,
  };
}
