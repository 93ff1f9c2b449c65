/** Implements the same API as a team would with Fastify, pg and zod. It has request and response schemas, a hook that
 * finds the caller, a pool, parameterised queries, and Fastify's logger. Users see only what they administer. */
import { createHash } from "node:crypto";
import Fastify from "fastify";
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from "fastify-type-provider-zod";
import pg from "pg";
import { z } from "zod";
import { type Caller, create, readModel } from "./create.ts";
import { AuditEvents, Limit, NewSpoke, SpokeView, Unread } from "./fastify-schemas.ts";
import { eventOf, operationOf, type Row, spokeOf } from "./shape.ts";
import { ACTIVITY, ADMINISTERS, CALLER, HUB_SPOKES_OF, SPOKE_OF, SPOKES_OF, UNREAD } from "./sql.ts";

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller;
  }
}

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: Number(process.env.POOL) });
const query = async (text: string, params: readonly unknown[], on: pg.Pool | pg.PoolClient = pool): Promise<Row[]> =>
  (await on.query(text, [...params])).rows;
const model = await readModel(query);

const app = Fastify({ logger: true }).withTypeProvider<ZodTypeProvider>();
app.setValidatorCompiler(validatorCompiler);
app.setSerializerCompiler(serializerCompiler);
app.decorateRequest("caller");
app.addHook("onRequest", async (request, reply) => {
  const [, token] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "") ?? [];
  const [caller] = token ? await query(CALLER, [createHash("sha256").update(token).digest()]) : [];
  if (!caller) return reply.code(401).send({ message: "Unauthorized" });
  request.caller = caller;
});

const Params = z.object({ id: z.string().max(100) });
const Missing = z.object({ message: z.string() });
const missing = { message: "Not found" };

const show = (row: Row) => spokeOf(row, row.operation ? jobOf(row.operation) : null, row.former_domains);

/** Converts times, which are text inside JSON. */
function jobOf(job: Row) {
  const time = (text: string | null) => text === null ? null : new Date(text);
  return operationOf({
    ...job,
    created_at: time(job.created_at),
    started_at: time(job.started_at),
    finished_at: time(job.finished_at),
  });
}

app.get(
  "/api/spokes/:id",
  { schema: { params: Params, response: { 200: SpokeView, 404: Missing } } },
  async ({ params, caller }, reply) => {
    const [row] = await query(SPOKE_OF, [params.id, caller.id]);
    return row ? show(row) : reply.code(404).send(missing);
  },
);
app.get(
  "/api/spokes/:id/activity",
  { schema: { params: Params, querystring: Limit, response: { 200: AuditEvents, 404: Missing } } },
  async ({ params, query: { limit }, caller }, reply) => {
    const [row] = await query(SPOKE_OF, [params.id, caller.id]);
    if (!row) return reply.code(404).send(missing);
    return (await query(ACTIVITY, [params.id, limit])).map(eventOf);
  },
);
app.get(
  "/api/my-spokes",
  { schema: { querystring: Limit, response: { 200: z.array(SpokeView) } } },
  async ({ query: { limit }, caller }) => (await query(SPOKES_OF, [caller.id, limit])).map(show),
);
app.get(
  "/api/federations/:id/spokes",
  { schema: { params: Params, querystring: Limit, response: { 200: z.array(SpokeView), 404: Missing } } },
  async ({ params, query: { limit }, caller }, reply) => {
    if ((await query(ADMINISTERS, [params.id, caller.id])).length === 0) return reply.code(404).send(missing);
    return (await query(HUB_SPOKES_OF, [params.id, caller.id, limit])).map(show);
  },
);
app.get("/api/notifications/unread-count", { schema: { response: { 200: Unread } } }, async ({ caller }) => {
  const [row] = await query(UNREAD, [caller.id]);
  return { count: Number(row.count) };
});
app.post(
  "/api/federations/:id/spokes",
  { schema: { params: Params, body: NewSpoke, response: { 201: SpokeView, 404: Missing, 409: Missing } } },
  async ({ params, body, caller }, reply) => {
    if ((await query(ADMINISTERS, [params.id, caller.id])).length === 0) return reply.code(404).send(missing);
    const client = await pool.connect();
    try {
      await client.query("begin");
      const made = await create((text, values) => query(text, values, client), model, caller, params.id, body);
      await client.query(made ? "commit" : "rollback");
      return made ? reply.code(201).send(made) : reply.code(409).send({ message: "Taken" });
    } catch (error) {
      await client.query("rollback");
      throw error;
    } finally {
      client.release();
    }
  },
);

console.log(`Listening on ${(await app.listen({ port: 0, host: "127.0.0.1" })).slice("http://".length)}`);
