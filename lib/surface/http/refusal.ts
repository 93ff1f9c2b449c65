/** A refusal as a person reads it: a page in place of the JSON, with the same status and headers. */
import { type Page, policyOf, writePage } from "#lib/surface/http/page.ts";
import type { Problem } from "#lib/surface/http/problem.ts";

export async function inPage(refused: Response, show: (problem: Problem) => Page): Promise<Response> {
  const page = show(await refused.json());
  const headers = new Headers(refused.headers);
  headers.set("content-type", "text/html; charset=utf-8");
  headers.set("content-security-policy", policyOf(page));
  return new Response(writePage(page), { status: refused.status, headers });
}
