/** An answer on its way out, before it is a Response: what is added on the way is added to plain values. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string | Uint8Array<ArrayBuffer> | BodyStream | null;
}

/** By lower-case names. What one name says several times stands in one value, with commas between. */
type Headers = Record<string, string>;

/** A body that is made while it is sent. */
export interface BodyStream {
  /**
   * Writes all of it; what `write` returns settles as soon as there is room for more. When it rejects, the connection must be
   * cut: what was sent cannot be taken back, and an end that looks regular would hide that something is missing.
   */
  run(write: (bytes: Uint8Array) => void | Promise<void>): Promise<void>;
  /** Ends it, also before it began. */
  cancel(): void;
}

export function isBodyStream(body: HttpResponse["body"]): body is BodyStream {
  return body !== null && typeof body === "object" && "run" in body;
}

export function appendHeader(headers: Headers, name: string, value: string): void {
  headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
}

export function toResponse({ status, headers, body }: HttpResponse): Response {
  return new Response(isBodyStream(body) ? toStream(body) : body, { status, headers });
}

/** The reader pulls: nothing is made before somebody reads. */
function toStream(flow: BodyStream): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>(undefined, undefined, {
    highWaterMark: 0,
  });
  const writer = writable.getWriter();
  writer.closed.catch(() => flow.cancel());
  flow.run((bytes) => writer.write(bytes)).then(() => writer.close(), (error) => writer.abort(error)).catch(() => {});
  return readable;
}
