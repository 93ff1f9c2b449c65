/** The endpoints of a manifest one by one, for tests that walk them all. */
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

/** Whether it answers people, with a page, also where it refuses. */
export function isPage({ reply, errorPage: refusal }: AnyEndpoint): boolean {
  return refusal !== undefined || reply.content?.type === "text/html";
}

/** Whether its answer goes on until somebody ends it. */
export function isStream({ reply }: AnyEndpoint): boolean {
  return reply.content?.type === "text/event-stream";
}
