/**
 * Splits bytes into lines. A chunk may end in the middle of a line or of a UTF-8 character. Lines are cut off after
 * `maxLength` characters, so that a log without line breaks cannot fill the memory.
 */
export async function* splitLines(source: AsyncIterable<Uint8Array>, maxLength: number): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of source) {
    const pieces = decoder.decode(chunk, { stream: true }).split("\n");
    for (const piece of pieces.slice(0, -1)) {
      yield (rest + piece).slice(0, maxLength);
      rest = "";
    }
    if (rest.length < maxLength) rest = (rest + pieces.at(-1)!).slice(0, maxLength);
  }
  rest += decoder.decode();
  if (rest !== "") yield rest;
}
