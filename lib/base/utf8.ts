/** Decodes UTF-8 text, with or without a byte order mark. */

/** Decodes UTF-8. Throws Error for invalid bytes, because replacing them would corrupt names and passwords. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    const [first, second] = bytes, isUtf16 = first === 0xff && second === 0xfe || first === 0xfe && second === 0xff;
    throw new Error(`it is not valid UTF-8${isUtf16 ? " but UTF-16; save it as UTF-8" : ""}`, { cause });
  }
}
