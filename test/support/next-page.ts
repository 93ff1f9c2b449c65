/** Returns the URL of the next page from a response's Link header; null on the last page. */
export function nextPage(headers: Headers): string | null {
  return /^<([^>]+)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1] ?? null;
}
