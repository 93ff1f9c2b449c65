/** Defines an HTTP response as plain values, so that middleware can change it cheaply. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string | Uint8Array<ArrayBuffer> | BodyStream | null;
}

/** Headers by lower-case name. If a header has several values, they are joined by commas. */
type Headers = Record<string, string>;

/** A response body that is generated while it is being sent. */
export interface BodyStream {
  /**
   * Writes the body. `write` returns a promise that resolves when the client can receive more. If `run` rejects, the
   * connection must be closed abruptly, so that the client can tell that the body is incomplete.
   */
  run(write: (bytes: Uint8Array) => void | Promise<void>): Promise<void>;
  /** Stops generating the body, even before the first byte. */
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

/** Converts the body to a stream. The body is generated when the stream is first read. */
function toStream(flow: BodyStream): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>(undefined, undefined, {
    highWaterMark: 0,
  });
  const writer = writable.getWriter();
  writer.closed.catch(() => flow.cancel());
  flow.run((bytes) => writer.write(bytes)).then(() => writer.close(), (error) => writer.abort(error)).catch(() => {});
  return readable;
}
