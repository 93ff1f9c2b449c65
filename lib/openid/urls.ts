/** Checks the URLs of OpenID Connect providers: https, or plain http on the loopback interface for trials. */
export function isAllowedProviderUrl(url: URL, allowLoopback: boolean): boolean {
  if (url.username !== "" || url.password !== "") return false;
  return url.protocol === "https:" || allowLoopback && isLoopbackHttp(url);
}

export function isLoopbackHttp({ protocol, hostname }: URL): boolean {
  return protocol === "http:" && /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
