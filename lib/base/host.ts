/** Reads host names as browsers do (WHATWG URL): international names become their A-labels, `müller.example` `xn--mller-kva.example`. */

// These would end the host in a URL, or are no part of a host's name.
const FORBIDDEN_CHARACTERS = /[\s/?#@:\\[\]<>^|%*]/u;

/** Returns the name in ASCII and lower case, without a trailing dot; null where the text is no host name. */
export function toAsciiHost(text: string): string | null {
  const name = text.replace(/\.$/, "");
  if (name === "" || FORBIDDEN_CHARACTERS.test(name) || !URL.canParse(`http://${name}`)) return null;
  return new URL(`http://${name}`).hostname;
}
