/**
 * Tests hostile values in every field of every endpoint: each is refused clearly, or accepted and stored unchanged.
 *
 * Values are first checked against the field's schema, which is quick. Some refused values of each kind, and all
 * accepted ones, are then sent through the server to PostgreSQL. test/routes/unusual-text.test.ts tests that accepted
 * text reaches the cluster unchanged.
 */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { Fault } from "#lib/base/errors.ts";
import { parseInput } from "#lib/http/input.ts";
import type { LoginThrottle } from "#lib/base/limits/login-attempts.ts";
import { manifest } from "#src/manifest.ts";
import { isPageEndpoint, type ListedEndpoint, listEndpoints } from "#test/support/probes/endpoints.ts";
import { listFields } from "#test/support/probes/fields.ts";
import { MALFORMED_REQUESTS } from "#test/support/probes/malformed-requests.ts";
import { pathOf, sampleParams, type Samples } from "#test/support/probes/samples.ts";
import { textOf } from "#test/support/html-form.ts";
import {
  assertStored,
  describeProbe,
  openProbeSender,
  type ProbeSender,
  validFieldsOf,
  validJsonOf,
} from "#test/support/probes/sender.ts";
import { HOSTILE_TEXTS } from "#test/support/probes/hostile-values.ts";
import {
  acceptedValuesOf,
  bodyOf,
  type FieldProbe,
  findUnclearMessage,
  inParallel,
  listProbes,
  type ProbePart,
} from "#test/support/probes/probe-fields.ts";
import { openScene, type Scene } from "#test/support/scene.ts";

interface Context {
  scene: Scene;
  samples: Samples;
  sender: ProbeSender;
}

const test = suite<Context>("a hostile value");
const every = listEndpoints(manifest);
const all = every.filter(({ endpoint }) => !isPageEndpoint(endpoint)); // pages come last
const parts: readonly ProbePart[] = ["query", "body"];
const probes = all.flatMap((at) => parts.flatMap((part) => listProbes(at, part)));
const groups = (
  list: readonly FieldProbe[],
  key: (probe: FieldProbe) => string,
) => [...Map.groupBy(list, key).values()];

test.before(async (context) => {
  context.scene = await openScene({ env: { TRUSTED_PROXIES: "127.0.0.0/8", SIGNUP: "on" } });
  // Replaces scrypt, which is slow and irrelevant here.
  const quick = { hash: () => Promise.resolve("$scrypt$"), verify: () => Promise.resolve("wrong" as const) };
  const attempts: LoginThrottle = { run: (_, judge) => judge() }; // all use the same few paths
  Object.assign(context.scene.app, { passwords: quick, loginAttempts: attempts });
  context.samples = await sampleParams(context.scene);
  context.sender = openProbeSender(context.scene, context.samples);
});
test.after(({ scene }) => scene.close());

test("is tested on every field", () => {
  const probedFields = new Set(probes.map(({ at, part, field }) => `${at.name} ${part} ${field.name}`));
  const declared = all.flatMap((at) =>
    parts.flatMap((part) => listFields(at.endpoint[part]).map(({ name }) => `${at.name} ${part} ${name}`))
  );
  assert.equal([...probedFields].sort(), declared.sort());
});

test("is accepted by no field if it cannot be stored or sent on", () => {
  for (const { at, field, hostile, taken } of probes) {
    const takers = hostile.for === "passwords" ? /password|^current$/i.test(field.name) : hostile.for === "anybody";
    assert.ok(!taken || takers, `${at.name}: ${field.name} takes ${hostile.name}`);
  }
});

test("is accepted or refused as the field declares", () => {
  for (const { name, endpoint } of all) {
    for (const { name: field, schema } of [...listFields(endpoint.query), ...listFields(endpoint.body)]) {
      const { good, bad } = acceptedValuesOf(schema);
      for (const value of good) assert.ok(v.is(schema, value), `${name}: ${field} takes ${value}`);
      for (const value of bad) assert.not.ok(v.is(schema, value), `${name}: ${field} refuses ${value}`);
    }
  }
});

test("is refused with the name of its field, and without internal details", () => {
  for (const { at, part, field, hostile } of probes.filter(({ taken }) => !taken)) {
    const input = { ...Object.fromEntries(validFieldsOf(at, part)), [field.name]: hostile.value };
    const fault = refusal(() => parseInput(at.endpoint[part], input));
    assert.is(fault?.kind, "invalid", `${at.name}: ${field.name} takes ${hostile.name} after all`);
    const explanation = fault!.message;
    assert.ok(explanation.split("; ").some((one) => one.startsWith(field.name)), `${at.name}: ${explanation}`);
    assert.is(findUnclearMessage(400, explanation), null, explanation);
  }
});

test("addresses no object in a path", async ({ samples, sender }) => {
  const broken = ["%ff%fe", "%ed%a0%80", "%", "%2", "%00", "%zz"];
  const words = [...broken, ...HOSTILE_TEXTS.map(({ value }) => encodeURIComponent(value as string))].filter(Boolean);
  const requests = every.flatMap((at) =>
    [...at.pattern.matchAll(/:(\w+)/g)].flatMap(([whole]) =>
      // All endpoints parse a path alike; only the loader of the object differs.
      words.filter((_, i) => at.method === "GET" || i % 6 === 0)
        .map((word) => ({ at, word, path: pathOf(at.pattern.replace(whole, word), samples) }))
    )
  );
  await inParallel(requests, async ({ at, path, word }) => {
    const answer = await sender.send(at, path, sentTo(at)), { status, body } = answer;
    const message = isPageEndpoint(at.endpoint) ? textOf(answer) : body.message;
    const explanation = `${at.name} with ${word.slice(0, 80)}: ${status} ${message}`;
    assert.is(findUnclearMessage(status, message), null, explanation);
    assert.ok([400, 404].includes(status), explanation);
  });
});

test("is refused by the server too, for every kind", async ({ sender }) => {
  const refused = groups(
    probes.filter(({ taken }) => !taken),
    ({ at, part, field }) => `${at.name} ${part} ${field.name}`,
  );
  const some = refused.flatMap((list) => [0, 0.5, 0.99].map((i) => list[Math.floor(i * list.length)]!));
  await inParallel(some, async (probe) => {
    const answer = await sender.sendAll([probe]);
    assert.is(answer.status, 400, describeProbe(probe, answer));
    assert.ok(answer.body.message.includes(probe.field.name), describeProbe(probe, answer));
  });
});

test("is stored unchanged, or refused for its meaning, if it is accepted", async ({ sender }) => {
  const taken = groups(
    probes.filter((probe) => probe.taken),
    ({ at, part, hostile }) => `${at.name} ${part} ${hostile.json}`,
  );
  await inParallel(taken, async (group) => {
    for (let rest: readonly FieldProbe[] = group; rest.length > 0;) {
      const answer = await sender.sendAll(rest);
      if (answer.status < 400) return rest.forEach((probe) => assertStored(probe, answer));
      assert.is(findUnclearMessage(answer.status, answer.body.message), null, describeProbe(rest[0]!, answer));
      // The named field hides the others. If none is named, each is tried alone.
      const named = rest.filter(({ field }) => answer.body.message.startsWith(field.name));
      if (named.length === 0 && rest.length > 1) {
        return void await Promise.all(rest.map((probe) => alone(sender, probe)));
      }
      rest = rest.filter((probe) => named.length > 0 && !named.includes(probe));
    }
  });
});

test("is refused clearly as a body or header", async ({ samples, sender }) => {
  const requests = all.filter(({ endpoint }) => endpoint.body).flatMap((at) =>
    MALFORMED_REQUESTS.map((frame) => ({ at, frame }))
  );
  await inParallel(requests, async ({ at, frame }) => {
    if (frame.idempotent && !at.endpoint.idempotent) return;
    const answer = await sender.send(at, pathOf(at.pattern, samples), frame.make(bodyOf(validJsonOf(at))));
    const explanation = `${at.name}, ${frame.name}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`;
    if (frame.status) assert.is(answer.status, frame.status, explanation);
    if (answer.status >= 400) assert.is(findUnclearMessage(answer.status, answer.body.message), null, explanation);
  });
});

test("is refused clearly in a query with repeated keys or invalid UTF-8", async ({ samples, sender }) => {
  const requests = every.flatMap((at) =>
    [
      ...listFields(at.endpoint.query).map(({ name }) => `?${name}=1&${name}=1`),
      "?x=%ff",
      "?x=%ed%a0%80",
      "?%zz=1",
      "?a=1&a=1",
    ]
      .map((query) => ({ at, query }))
  );
  await inParallel(requests, async ({ at, query }) => {
    const { status, body } = await sender.send(at, pathOf(at.pattern, samples) + query);
    assert.is(status, 400, `${at.name}${query}`);
    const explanation = /^\?(\w+)=1&\1=1$/.test(query) ? /each query parameter only once/ : /query must be/;
    assert.match(body.message ?? body, explanation, `${at.name}${query}`);
  });
});

test("is escaped in links and forms of pages", async ({ samples, sender }) => {
  const requests = every.filter(({ endpoint }) => isPageEndpoint(endpoint)).flatMap((at) =>
    HOSTILE_TEXTS.map((word) => ({ at, word }))
  );
  await inParallel(requests, async ({ at, word: { value, name } }) => {
    const names = (part: ProbePart) =>
      at.endpoint[part]?.type === "record" ? ["action", `spoke:${value}`] : listFields(at.endpoint[part]).map(nameOf);
    const fields = (part: ProbePart) => names(part).map((name) => [name, String(value)]);
    const path = `${pathOf(at.pattern, samples)}?${new URLSearchParams(fields("query"))}`;
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const form = at.endpoint.form && { headers, body: new URLSearchParams(fields("body")).toString() };
    const { status, body } = await sender.send(at, path, form || {});
    assert.ok(status < 500, `${at.name} with ${name}: ${status}`);
    assert.not.match(String(body), /<script>alert/, `${at.name} with ${name}`);
  });
});

test.run();

function refusal(work: () => unknown): Fault | null {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

function sentTo(at: ListedEndpoint): RequestInit | undefined {
  if (at.endpoint.form) return { headers: { "content-type": "application/x-www-form-urlencoded" }, body: "" };
  return at.endpoint.body && { body: bodyOf(validJsonOf(at)) };
}

function nameOf({ name }: { readonly name: string }): string {
  return name;
}

async function alone(sender: ProbeSender, probe: FieldProbe): Promise<void> {
  const answer = await sender.sendAll([probe]);
  if (answer.status < 400) assertStored(probe, answer);
  else assert.is(findUnclearMessage(answer.status, answer.body.message), null, describeProbe(probe, answer));
}
