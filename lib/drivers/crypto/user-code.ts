/**
 * Creates the codes that users read in a terminal and type into a page, such as `WDJB-MJHT`: eight of 20 consonants, which
 * form no words (RFC 8628, section 6.1). The 34 bits are enough for ten minutes, because tries are limited.
 */
const CONSONANTS = "BCDFGHJKLMNPQRSTVWXZ", LENGTH = 8;

export function createUserCode(): string {
  let letters = "";
  while (letters.length < LENGTH) {
    for (const byte of crypto.getRandomValues(new Uint8Array(LENGTH))) {
      // Skips bytes from 240, which would make some letters more likely than others.
      if (byte < 240 && letters.length < LENGTH) letters += CONSONANTS[byte % CONSONANTS.length];
    }
  }
  return `${letters.slice(0, LENGTH / 2)}-${letters.slice(LENGTH / 2)}`;
}

/** Returns a typed code as stored, in capitals and with the hyphen. Other text is returned without spaces and hyphens. */
export function normalizeUserCode(typed: string): string {
  const letters = typed.replace(/[\s-]/g, "").toUpperCase();
  return letters.length === LENGTH ? `${letters.slice(0, LENGTH / 2)}-${letters.slice(LENGTH / 2)}` : letters;
}
