/** Normalizes host names as browsers do (WHATWG URL): `müller.example` becomes `xn--mller-kva.example`. */

// Characters that would end the host part of a URL, or that a host name can never contain.
const FORBIDDEN_CHARACTERS = /[\s/?#@:\\[\]<>^|%*]/u;

/** Returns the host name in lower-case ASCII without a trailing dot; null if the text is not a host name. */
export function toAsciiHost(text: string): string | null {
  const name = text.replace(/\.$/, "");
  if (name === "" || FORBIDDEN_CHARACTERS.test(name) || !URL.canParse(`http://${name}`)) return null;
  return new URL(`http://${name}`).hostname;
}
