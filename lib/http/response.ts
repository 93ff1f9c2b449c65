/** Defines a response as plain values, so that middleware can change it cheaply. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string | Uint8Array<ArrayBuffer> | BodyStream | null;
}

/** Headers by lower-case name. Several values of one header are joined by commas. */
type Headers = Record<string, string>;

/** A body that is generated while it is sent. */
export interface BodyStream {
  /**
   * Writes the body. The promise of `write` resolves when there is space for more. If `run` rejects, the connection
   * must be closed abruptly. Then the client knows that the body is incomplete.
   */
  run(write: (bytes: Uint8Array) => void | Promise<void>): Promise<void>;
  /** Stops the body, even before it started. */
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

/** Converts the body to a stream. It starts when the stream is read. */
function toStream(flow: BodyStream): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>(undefined, undefined, {
    highWaterMark: 0,
  });
  const writer = writable.getWriter();
  writer.closed.catch(() => flow.cancel());
  flow.run((bytes) => writer.write(bytes)).then(() => writer.close(), (error) => writer.abort(error)).catch(() => {});
  return readable;
}
