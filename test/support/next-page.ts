/** Returns the next page's URL from a response's Link header. Returns null on the last page. */
export function nextPage(headers: Headers): string | null {
  return /^<([^>]+)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1] ?? null;
}
