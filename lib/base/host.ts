/** Normalizes host names like browsers (WHATWG URL): `müller.example` becomes `xn--mller-kva.example`. */

// Characters that end the host in a URL, or that are never part of a host name.
const FORBIDDEN_CHARACTERS = /[\s/?#@:\\[\]<>^|%*]/u;

/** Returns the name in ASCII and lower case, without a trailing dot; null if the text is not a host name. */
export function toAsciiHost(text: string): string | null {
  const name = text.replace(/\.$/, "");
  if (name === "" || FORBIDDEN_CHARACTERS.test(name) || !URL.canParse(`http://${name}`)) return null;
  return new URL(`http://${name}`).hostname;
}
