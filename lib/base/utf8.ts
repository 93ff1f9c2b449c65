/** Decodes what people and editors write into files. A byte order mark, as Windows writes it, is no part of the text. */

/** Throws an Error if the bytes are not UTF-8: a wrong letter in a name or a password must not go on unseen. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    const [first, second] = bytes, isUtf16 = first === 0xff && second === 0xfe || first === 0xfe && second === 0xff;
    throw new Error(`it is not text in UTF-8${isUtf16 ? ", but in UTF-16; save it as UTF-8" : ""}`, { cause });
  }
}
