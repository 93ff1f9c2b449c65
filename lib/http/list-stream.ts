/** Streams a JSON array whose parts are read one after another while the array is sent. */
import type { BodyStream } from "#lib/http/response.ts";

/** `first` is the first part as a JSON array. `format` formats each other part as a JSON array. */
export function streamJsonArray<Item>(
  first: string,
  rest: AsyncIterable<readonly Item[]>,
  format: (items: readonly Item[]) => string,
): BodyStream {
  const encoder = new TextEncoder();
  let isCancelled = false;
  return {
    async run(write) {
      await write(encoder.encode(first.slice(0, -1)));
      for await (const items of rest) {
        if (isCancelled) return;
        if (items.length > 0) await write(encoder.encode(`,${format(items).slice(1, -1)}`));
      }
      await write(encoder.encode("]"));
    },
    cancel() {
      isCancelled = true;
    },
  };
}
