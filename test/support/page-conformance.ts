/** Checks a response of the portal: it must be a page that its own policy allows, a redirect, the script, or a file. */
import { createHash } from "node:crypto";
import type { Exchange } from "#test/support/conformance.ts";

/** Returns what is wrong with the response, or null. */
export function checkPageResponse({ method, path, status, headers, text }: Exchange): string | null {
  const type = headers.get("content-type") ?? "";
  if (status === 303) return headers.get("location")?.startsWith("/") ? null : "it leads to no path of ours";
  if (status === 204 || status === 405 || status === 304 || method === "HEAD") return null;
  if (/^\/portal\.(?:js|css)/.test(path)) return /javascript|css|json/.test(type) ? null : `its type is ${type}`;
  if (status === 200 && headers.get("content-disposition")?.startsWith("attachment; ")) return null;
  if (type !== "text/html; charset=utf-8") return `it is no page, but ${type}`;
  if (!["no-store", "private, no-cache"].includes(headers.get("cache-control")!)) return "caches may keep it";
  const html = text ?? "", policy = headers.get("content-security-policy") ?? "";
  const styles = [...html.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, style]) => style!);
  const blocked = styles.find((style) => !policy.includes(hashOf(style)));
  const sheet = /<link rel="stylesheet" href="\/[^/]/.test(html);
  if (sheet && !/style-src 'self'/.test(policy)) return "the policy does not let its style sheet work";
  if (styles.length === 0 && !sheet || blocked !== undefined) return "the policy does not let its style work";
  if (/unsafe|https?:|\*/.test(policy)) return `the policy lets too much in: ${policy}`;
  const [inline] = /<script(?![^>]*\ssrc="\/)[^>]*>|<[a-z][^>]*\s(?:style|on[a-z]+)="[^>]*>/i.exec(html) ?? [];
  if (inline) return `the policy does not let this work: ${inline}`;
  const [outside] =
    /<(?:script|link|img|iframe|object|source)\b[^>]*\s(?:src|href)="(?!\/[^/]|data:)[^>]*>/i.exec(html) ?? [];
  if (outside) return `it asks somebody else: ${outside}`;
  return /<script\b/.test(html) && !policy.includes("script-src 'self'")
    ? "the policy does not let its script work"
    : null;
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
