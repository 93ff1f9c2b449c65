/** The address of the page that follows, from the Link header of an answer; null on the last page. */
export function nextPage(headers: Headers): string | null {
  return /^<([^>]+)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1] ?? null;
}
