/** Defines the requests to measure, one for each row of the table. */
import type { ServerName } from "#test/bench/requests-scene.ts";
import type { HubCredentials } from "#test/bench/requests-fill.ts";

export interface RequestRow {
  /** The name to use with --only. */
  readonly name: string;
  readonly label: string;
  readonly status: number;
  /** Returns request number `n` for this contender. */
  request(place: HubCredentials, n: number, contender: ServerName): RequestFields;
  /** Returns the number of items in the response. */
  // deno-lint-ignore no-explicit-any
  count(body: any): number;
  /** The required number of items. */
  readonly items: number;
  /** A statement that removes what a round created, so that every round measures the same data. */
  readonly after?: string;
}

interface RequestFields {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

const get = (path: string): RequestFields => ({ method: "GET", path });
const spokeOf = ({ spokes }: HubCredentials, n: number) => spokes[n % spokes.length]!;
const listed = { status: 200, count: (body: unknown[]) => body.length, items: 50 };

export const REQUEST_ROWS: readonly RequestRow[] = [
  {
    name: "spoke",
    label: "GET one spoke by bearer token",
    status: 200,
    request: (place, n) => get(`/api/spokes/${spokeOf(place, n)}`),
    count: (body) => body.id && body.slug ? 1 : 0,
    items: 1,
  },
  { name: "my-spokes", label: "GET my-spokes, 50 of them", request: () => get("/api/my-spokes?limit=50"), ...listed },
  {
    name: "hub-spokes",
    label: "GET a hub's 50 spokes",
    request: ({ hub }) => get(`/api/federations/${hub}/spokes?limit=50`),
    ...listed,
  },
  {
    name: "unread",
    label: "GET the count of unread notifications",
    status: 200,
    request: () => get("/api/notifications/unread-count"),
    count: (body) => body.count,
    items: 10,
  },
  {
    name: "activity",
    label: "GET a spoke's activity, 25 entries",
    ...listed,
    request: (place, n) => get(`/api/spokes/${spokeOf(place, n)}/activity?limit=25`),
    items: 25,
  },
  {
    name: "create",
    label: "POST a spoke",
    status: 201,
    request: ({ hub }, n, contender) => ({
      method: "POST",
      path: `/api/federations/${hub}/spokes`,
      body: { slug: `${contender}-${n}`, size: "small" },
    }),
    count: (body) => body.operation?.kind === "provision" ? 1 : 0,
    items: 1,
    // No worker runs the jobs, so the queue would grow and each round would measure different data.
    after: `update jobs set state = 'cancelled', finished_at = wheelwright_now() where state = 'queued'`,
  },
];

/** Returns the bytes of a request. */
export function renderRequest({ method, path, body }: RequestFields, token: string): Buffer {
  const text = body === undefined ? "" : JSON.stringify(body);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    "host: localhost:3000",
    "user-agent: wheelwright-bench",
    "accept: application/json",
    `authorization: Bearer ${token}`,
    ...(text ? ["content-type: application/json", `content-length: ${Buffer.byteLength(text)}`] : []),
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${text}`);
}
