/** Checks a portal response: a page that matches its Content-Security-Policy, a redirect, the script, or a file. */
import { createHash } from "node:crypto";
import type { RecordedExchange } from "#test/support/conformance.ts";

/** Returns the first problem with a portal response; null if the response is correct. */
export function checkPageResponse({ method, path, status, headers, text }: RecordedExchange): string | null {
  const type = headers.get("content-type") ?? "";
  if (status === 303) {
    return headers.get("location")?.startsWith("/") ? null : "the redirect does not stay on this server";
  }
  if (status === 204 || status === 405 || status === 304 || method === "HEAD") return null;
  if (/^\/(?:portal\.(?:js|css)|passkeys\.js)/.test(path)) {
    return /javascript|css|json/.test(type) ? null : `unexpected content type: ${type}`;
  }
  if (status === 200 && headers.get("content-disposition")?.startsWith("attachment; ")) return null;
  if (type !== "text/html; charset=utf-8") return `not an HTML page: ${type}`;
  if (!["no-store", "private, no-cache"].includes(headers.get("cache-control")!)) return "the response can be cached";
  const html = text ?? "", policy = headers.get("content-security-policy") ?? "";
  const styles = [...html.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, style]) => style!);
  const blocked = styles.find((style) => !policy.includes(hashOf(style)));
  const sheet = /<link rel="stylesheet" href="\/[^/]/.test(html);
  if (sheet && !/style-src 'self'/.test(policy)) return "the policy blocks the page's style sheet";
  if (styles.length === 0 && !sheet || blocked !== undefined) return "the policy blocks the page's style";
  if (/unsafe|https?:|\*/.test(policy)) return `the policy is too permissive: ${policy}`;
  const [inline] = /<script(?![^>]*\ssrc="\/)[^>]*>|<[a-z][^>]*\s(?:style|on[a-z]+)="[^>]*>/i.exec(html) ?? [];
  if (inline) return `the policy blocks this element: ${inline}`;
  const [outside] =
    /<(?:script|link|img|iframe|object|source)\b[^>]*\s(?:src|href)="(?!\/[^/]|data:)[^>]*>/i.exec(html) ?? [];
  if (outside) return `the page loads from another server: ${outside}`;
  return /<script\b/.test(html) && !policy.includes("script-src 'self'") ? "the policy blocks the page's script" : null;
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
