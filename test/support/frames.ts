/** Reads frames one at a time from a source. The source pauses until the test requests the next frame. */

interface Source<F> {
  run(send: (frame: F) => Promise<void>): Promise<void>;
  cancel(): void;
}

/** Yields the source's frames. If the caller stops iterating, cancels the source, as a disconnected reader would. */
export async function* readFrames<F>({ run, cancel }: Source<F>): AsyncGenerator<F, undefined, undefined> {
  const sent: { readonly frame: F; readonly taken: () => void }[] = [];
  let wake = () => {}, over = false;
  const running = run((frame) =>
    new Promise((taken) => {
      sent.push({ frame, taken });
      wake();
    })
  );
  running.catch(() => {}).finally(() => {
    over = true;
    wake();
  });
  try {
    for (;;) {
      const first = sent.shift();
      if (first) {
        yield first.frame;
        first.taken();
      } else if (over) return void await running;
      else await new Promise<void>((resolve) => wake = resolve);
    }
  } finally {
    cancel();
  }
}
