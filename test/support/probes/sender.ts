/** Sends requests with hostile values to the whole server, with the credentials that each endpoint needs. */
import * as assert from "uvu/assert";
import * as v from "valibot";
import type { ClientResponse } from "#test/support/client.ts";
import { createTestFactor } from "#test/support/factors.ts";
import { createTestSession, createTestUser } from "#test/support/users.ts";
import { isStreamEndpoint, type ListedEndpoint } from "#test/support/probes/endpoints.ts";
import { listFields } from "#test/support/probes/fields.ts";
import { validValueOf } from "#test/support/probes/valid-values.ts";
import { retryUnavailable } from "#test/support/probes/retry-unavailable.ts";
import { pathOf, type Samples } from "#test/support/probes/samples.ts";
import { bodyOf, type FieldProbe, type ProbePart, queryOf, ruleTextOf } from "#test/support/probes/probe-fields.ts";
import type { Scene } from "#test/support/scene.ts";

export interface ProbeSender {
  /** Sends a request as an operator, or without credentials if the endpoint needs none. */
  send(at: ListedEndpoint, path: string, init?: RequestInit): Promise<ClientResponse>;
  /** Sends all values of the group in one request, to the same endpoint and in the same part of the request. */
  sendAll(group: readonly FieldProbe[]): Promise<ClientResponse>;
}

/** Endpoints with responses that do not contain the sent fields, but the hub request or the unchanged spoke. */
const ANSWERS_OTHERWISE: readonly string[] = [
  "POST /api/federation-requests/:requestId/approve",
  "POST /api/spokes/:spokeId/actions",
];
const JSON_TYPE = { "content-type": "application/json" };

export function openProbeSender(scene: Scene, samples: Samples): ProbeSender {
  let requestCount = 0; // for a separate client address per request, to avoid the login limit
  /** Creates another operator for a request that may end the operator's session, and the second factor in the path. */
  async function fresh(path: string): Promise<{ readonly path: string; readonly who: Record<string, string> }> {
    const person = await createTestUser(scene.db, `operator-${requestCount++}`, { operator: true });
    const who = { cookie: `wheelwright=${(await createTestSession(scene.db, person)).secret}` };
    const factorId = samples.factorId!.own;
    if (!path.includes(factorId)) return { path, who };
    return { path: path.replace(factorId, (await createTestFactor(scene.app, person)).id), who };
  }
  const sender: ProbeSender = {
    async send({ method, endpoint: { scope } }, path, init = {}) {
      const from = {
        "x-forwarded-for": `10.${requestCount >> 16 & 255}.${requestCount >> 8 & 255}.${requestCount++ & 255}`,
      };
      const open = ["flow", "public"].includes(scope);
      const own = open
        ? { path, who: {} }
        : scope === "session"
        ? await fresh(path)
        : { path, who: await scene.as("operator").credentials() };
      const headers = { ...JSON_TYPE, ...init.headers as Record<string, string>, ...from, ...own.who };
      return await retryUnavailable(() => scene.send(own.path, { method, ...init, headers }));
    },
    sendAll(group) {
      const { at, part } = group[0]!;
      const json = Object.fromEntries(group.map(({ field, hostile }) => [field.name, hostile.json]));
      const plain = Object.fromEntries(group.map(({ field, hostile }) => [field.name, hostile.value]));
      const query = { ...Object.fromEntries(validFieldsOf(at, "query")), ...(part === "query" && plain) };
      const body = { ...validJsonOf(at), ...(part === "body" && json) };
      // Sends HEAD if the endpoint would otherwise accept the request and keep a stream open.
      const method = isStreamEndpoint(at.endpoint) && group.every(({ taken }) => taken) ? "HEAD" : at.method;
      const path = pathOf(at.pattern, samples) + queryOf(query);
      return sender.send(at, path, { method, ...(at.endpoint.body && { body: bodyOf(body) }) });
    },
  };
  return sender;
}

/** Returns the names of all required fields, with valid values. */
export function validFieldsOf({ endpoint }: ListedEndpoint, part: ProbePart): [name: string, value: unknown][] {
  const required = listFields(endpoint[part]).filter((field) => field.required);
  return required.map((field) => [field.name, validValueOf(field)]);
}

export function validJsonOf(at: ListedEndpoint): Record<string, string> {
  return Object.fromEntries(validFieldsOf(at, "body").map(([name, value]) => [name, JSON.stringify(value)]));
}

export function describeProbe({ at, field, hostile }: FieldProbe, { status, body }: ClientResponse): string {
  const sent = `${field.name} = ${hostile.name} (${hostile.json.slice(0, 60)})`;
  return `${at.name}: ${sent} is ${status} ${JSON.stringify(body).slice(0, 500)}`;
}

/** Asserts that the response contains the field's value as sent, except that email addresses and host names are in
 * lower case and timestamps in UTC. */
export function assertStored(probe: FieldProbe, answer: ClientResponse): void {
  const { field: { name, schema }, hostile: { value } } = probe;
  assert.ok(answer.status < 400 && answer.status >= 200, describeProbe(probe, answer));
  const stored = answer.body?.[name];
  if (
    ANSWERS_OTHERWISE.includes(probe.at.name) || probe.part !== "body" || value === null || stored === undefined ||
    typeof stored === "object"
  ) return;
  const parsed = v.parse(schema, value);
  assert.equal(stored, parsed instanceof Date ? parsed.toISOString() : parsed, describeProbe(probe, answer));
  if (/^must be text of/.test(ruleTextOf(schema))) assert.is(stored, value, describeProbe(probe, answer));
}
