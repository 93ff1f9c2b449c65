/** Lists the endpoints in a manifest, for tests that cover all endpoints. */
import { type AnyEndpoint, HTTP_METHODS, type HttpMethod, type Manifest } from "#lib/http/endpoint.ts";

export interface ListedEndpoint {
  /** The endpoint's method and path, for example `GET /api/spokes/:spokeId`. */
  readonly name: string;
  readonly method: HttpMethod;
  readonly pattern: string;
  readonly endpoint: AnyEndpoint;
}

export function listEndpoints(manifest: Manifest): ListedEndpoint[] {
  return manifest.flatMap(([pattern, module]) =>
    HTTP_METHODS.flatMap((method): ListedEndpoint[] => {
      const endpoint = module[method];
      return endpoint ? [{ name: `${method} ${pattern}`, method, pattern, endpoint }] : [];
    })
  );
}

/** Whether the endpoint responds with an HTML page, even for errors. */
export function isPageEndpoint({ reply, errorPage: refusal }: AnyEndpoint): boolean {
  return refusal !== undefined || reply.content?.type === "text/html";
}

/** Whether the endpoint responds with an event stream. */
export function isStreamEndpoint({ reply }: AnyEndpoint): boolean {
  return reply.content?.type === "text/event-stream";
}
