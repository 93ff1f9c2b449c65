/** An answer on its way out, before it is a Response: what is added on the way is added to plain values. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;
}

/** By lower-case names. What one name says several times stands in one value, with commas between. */
type Headers = Record<string, string>;

export function append(headers: Headers, name: string, value: string): void {
  headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
}

export function toResponse({ status, headers, body }: Answer): Response {
  return new Response(body, { status, headers });
}
