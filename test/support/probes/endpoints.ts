/** Lists the endpoints of a manifest, for tests that cover all of them. */
import { type AnyEndpoint, type Manifest, type Method, METHODS } from "#lib/http/endpoint.ts";

export interface EndpointAt {
  /** For example `GET /api/spokes/:spokeId`. */
  readonly name: string;
  readonly method: Method;
  readonly pattern: string;
  readonly endpoint: AnyEndpoint;
}

export function endpointsOf(manifest: Manifest): EndpointAt[] {
  return manifest.flatMap(([pattern, module]) =>
    METHODS.flatMap((method): EndpointAt[] => {
      const endpoint = module[method];
      return endpoint ? [{ name: `${method} ${pattern}`, method, pattern, endpoint }] : [];
    })
  );
}

/** Whether the endpoint answers with an HTML page, for errors too. */
export function isPage({ reply, errorPage: refusal }: AnyEndpoint): boolean {
  return refusal !== undefined || reply.content?.type === "text/html";
}

/** Whether the endpoint answers with an event stream. */
export function isStream({ reply }: AnyEndpoint): boolean {
  return reply.content?.type === "text/event-stream";
}
