/**
 * Defines a client for Wheelwright's API that runs in Node.js, Deno and browsers. The client has a function for each
 * endpoint, named as in the API reference.
 *
 *     const wheelwright = connect({ url: "https://wheelwright.example", token });
 *     const spoke = await wheelwright.createFederationSpoke({ federationId: "north" }, { slug: "ash" });
 *     await wheelwright.waitFor(spoke.operation!);
 *
 * The client has no dependencies. Its results include fields that a newer server adds.
 */
import {
  buildRequest,
  callEndpoint,
  type CallOptions,
  type CallParams,
  type EndpointDescription,
  type IdempotentCallOptions,
} from "./call.ts";
import { type ApiConnection, type ConnectOptions, createConnection } from "./connection.ts";
import { CLIENT_VERSION, ENDPOINTS, type WheelwrightApi } from "./endpoints.ts";
import { type FollowOptions, followStream } from "./follow.ts";
import { createPagedList } from "./pages.ts";
import type { OperationDetail } from "./schemas.ts";
import { waitForOperation, type WaitOptions } from "./wait.ts";

export type { CallOptions, IdempotentCallOptions } from "./call.ts";
export type { ConnectOptions, RetryNotice } from "./connection.ts";
export { CLIENT_VERSION, type WheelwrightApi } from "./endpoints.ts";
export { WheelwrightError } from "./error.ts";
export type { FollowOptions, StreamDisconnect } from "./follow.ts";
export type { PagedList } from "./pages.ts";
export type * from "./schemas.ts";
export type { WaitOptions } from "./wait.ts";

export interface Wheelwright extends WheelwrightApi {
  /** The server's URL, without a trailing slash. */
  readonly url: string;
  /**
   * Waits until the operation succeeds. Rejects with WheelwrightError `operation_failed`, `operation_cancelled` or
   * `timed_out`, whose property `operation` is the last known state.
   */
  waitFor(operation: string | { readonly id: string }, options?: WaitOptions): Promise<OperationDetail>;
  /** Calls an endpoint that has no function in this client. Retries a POST request only with an `idempotencyKey`. */
  request(request: CustomRequest, options?: IdempotentCallOptions): Promise<unknown>;
}

export interface CustomRequest {
  readonly method: string;
  /** The request's path, with a leading slash. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | Date | null | undefined>> | undefined;
  readonly body?: unknown;
}

/** Creates a client without sending a request. Throws WheelwrightError `invalid_call` for a bad URL or token. */
export function connect(options: ConnectOptions): Wheelwright {
  const headers = { "user-agent": `wheelwright-client/${CLIENT_VERSION}`, ...options.headers };
  const connection = createConnection({ ...options, headers });
  const functions = Object.entries(ENDPOINTS).map(([name, call]) => [name, createFunction(connection, call)]);
  return {
    ...Object.fromEntries(functions) as WheelwrightApi,
    url: connection.url,
    waitFor: (operation, options) =>
      waitForOperation(
        connection,
        ENDPOINTS.getOperation,
        typeof operation === "string" ? operation : operation.id,
        options,
      ),
    async request({ method, path, query, body }, { idempotencyKey, ...bounds } = {}) {
      const call = { method, path, body: body !== undefined, keyed: idempotencyKey !== undefined };
      return (await callEndpoint(connection, buildRequest(call, { params: query, body }, idempotencyKey), bounds)).body;
    },
  };
}

/** Creates a function that calls an endpoint. Its arguments are the endpoint's parameters, its body, and options. */
function createFunction(connection: ApiConnection, call: EndpointDescription): (...args: unknown[]) => unknown {
  const bodyAt = call.params ? 1 : 0, optionsAt = bodyAt + (call.body ? 1 : 0);
  return (...args) => {
    const params = (call.params ? args[0] ?? {} : {}) as CallParams, body = call.body ? args[bodyAt] : undefined;
    const options = (args[optionsAt] ?? {}) as CallOptions & IdempotentCallOptions & FollowOptions;
    const send = async (params: CallParams) =>
      await callEndpoint(connection, buildRequest(call, { params, body }, options.idempotencyKey), options);
    if (call.stream) return followStream(connection, call, params, options);
    return call.pages ? createPagedList(send, params) : send(params).then((answer) => answer.body);
  };
}
