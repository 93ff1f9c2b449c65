/** Addresses of this service's own pages, as they are from outside. */

/** Where a path of ours is: PUBLIC_URL may have a path of its own, which a proxy takes off. */
export function pageAt(home: URL, path: string): URL {
  return new URL(home.pathname.replace(/\/$/, "") + path, home);
}
