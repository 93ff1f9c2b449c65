/** Writes the surface of the API as sorted lines, one for each property that clients can depend on.
 *
 *     POST /api/spokes by "federation: change" with provisioning cli session
 *     POST /api/spokes header .Idempotency-Key string?
 *     POST /api/spokes body application/json NewSpoke
 *     POST /api/spokes 202 application/json Spoke
 *     POST /api/spokes every header .X-Request-Id string      every response has it
 *     POST /api/spokes refuses 400 401 409                    the shapes in the lines `refusal 400` and so on
 *     POST /api/spokes fault slug_taken                       its own code; `code slug_taken 409` has the status
 *
 * The surface is generated from the OpenAPI document. Examples and descriptions promise nothing, except for the phrase
 * "must be". */
import { credentialsOf } from "#test/contract/credentials.ts";
import {
  type Answer,
  type Header,
  type NamedValues,
  type OpenApiDocument,
  type Operation,
} from "#test/contract/openapi-document.ts";
import { operationsOf } from "#test/contract/openapi-document.ts";
import { renderSchemaLines } from "#test/contract/schema-lines.ts";

export function renderSurface(document: OpenApiDocument): string {
  const { servers = [{ url: "/" }], components: { schemas = {}, examples = {}, securitySchemes = {} } = {} } = document;
  const operations = operationsOf(document).map(([name, one]) => describe(name, one, document));
  const shared = sharedRefusals(operations.map(({ answers }) => answers));
  return [
    ...servers.map(({ url }) => `server ${url}`),
    ...Object.entries(securitySchemes).map(([name, { description: _, ...scheme }]) =>
      `credential ${name} ${Object.entries(scheme).map(([key, value]) => `${key}=${value}`).sort().join(" ")}`
    ),
    ...Object.values(examples).flatMap(({ value: { code, statusCode } }) => code ? [`code ${code} ${statusCode}`] : []),
    ...[...shared].flatMap(([status, lines]) => lines.map((line) => `refusal ${status} ${line}`)),
    ...operations.flatMap(({ name, lines, answers }) =>
      [...lines, ...answerLines(answers, shared)].map((line) => `${name} ${line}`)
    ),
    ...Object.entries(schemas).flatMap(([name, schema]) => renderSchemaLines(schema, { of: name })),
  ].sort().map((line) => `${line}\n`).join("");
}

function describe(name: string, operation: Operation, document: OpenApiDocument) {
  try {
    const lines = [...callerLines(operation), ...requestLines(operation)];
    return { name, lines, answers: answersOf(operation, document) };
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}

function callerLines(operation: Operation): readonly string[] {
  const { "x-access": access = "anyone", "x-aliases": aliases = [], "x-faults": faults = [], deprecated } = operation;
  const { since, sunset } = operation["x-deprecation"] ?? {};
  return [
    `by ${JSON.stringify(access)} with ${credentialsOf(operation).join(" ")}`,
    ...aliases.map((path) => `alias ${path}`),
    ...faults.map((code) => `fault ${code}`),
    ...(deprecated ? [`deprecated since ${since} until ${sunset}`] : []),
  ];
}

function requestLines({ parameters = [], requestBody }: Operation): readonly string[] {
  return [
    ...parameters.flatMap(({ in: place, name, required, description, schema, example: _, ...others }) => {
      const [other] = Object.keys(others);
      if (other) throw new Error(`The surface has no words for ${other} of ${place} ${name}`);
      // The parameter's description is next to its schema, so it is added to the schema.
      const described = description === undefined || !schema ? schema : { ...schema, description };
      return renderSchemaLines(described, { of: place, path: `.${name}`, optional: !required });
    }),
    ...Object.entries(requestBody?.content ?? {}).flatMap(([type, { schema = {} }]) =>
      renderSchemaLines(schema, { of: `body ${type}`, optional: !requestBody?.required })
    ),
  ];
}

/** The lines of each response by status. */
type Answers = ReadonlyMap<string, readonly string[]>;

function answersOf({ responses = {} }: Operation, { components }: OpenApiDocument): Answers {
  return new Map(
    Object.entries(responses).map(([status, answer]) => [status, [
      ...(answer.content ? [] : ["nothing"]),
      ...Object.entries(answer.content ?? {}).flatMap(([type, { schema = {} }]) =>
        renderSchemaLines(schema, { of: type })
      ),
      ...headerLines(answer, components?.headers),
    ]]),
  );
}

function headerLines({ headers = {} }: Answer, components: NamedValues<Header> = {}): readonly string[] {
  return Object.entries(headers).flatMap(([name, { $ref, ...own }]) => {
    const { required, schema = {} } = $ref === undefined ? own : components[$ref.slice($ref.lastIndexOf("/") + 1)]!;
    return renderSchemaLines(schema, { of: "header", path: `.${name}`, optional: !required });
  });
}

/** Writes common parts of all responses once. An error with the usual shape is written as its status only. */
function answerLines(answers: Answers, shared: Answers): readonly string[] {
  const every = everyOf(answers), refused: string[] = [];
  const own = [...answers].flatMap(([status, lines]) => {
    const rest = lines.filter((line) => !every.includes(line));
    if (shared.get(status)?.join("\n") !== rest.join("\n")) return rest.map((line) => `${status} ${line}`);
    refused.push(status);
    return [];
  });
  return [
    ...own,
    ...every.map((line) => `every ${line}`),
    ...(refused.length > 0 ? [`refuses ${refused.join(" ")}`] : []),
  ];
}

function everyOf(answers: Answers): readonly string[] {
  const [first = [], ...others] = answers.values();
  return first.filter((line) => line.startsWith("header ") && others.every((lines) => lines.includes(line)));
}

/** Returns the most common shape of each error status. */
function sharedRefusals(all: readonly Answers[]): Answers {
  const refusals = all.flatMap((answers) => {
    const every = everyOf(answers);
    return [...answers].filter(([status]) => /^[45]/.test(status))
      .map(([status, lines]) => [status, lines.filter((line) => !every.includes(line))] as const);
  });
  return new Map([...Map.groupBy(refusals, ([status]) => status)].map(([status, of]) => {
    const alike = [...Map.groupBy(of, ([, lines]) => lines.join("\n")).values()];
    return [status, alike.reduce((most, other) => other.length > most.length ? other : most)[0]![1]];
  }));
}
