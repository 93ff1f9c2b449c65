/** Implements a peer with only hono and the database driver: it finds the caller, reads rows and sends them as JSON. It
 * validates nothing and hides nothing from anybody. */
import { createHash } from "node:crypto";
import { serve } from "@hono/node-server";
import { type Context, Hono } from "hono";
import postgres from "postgres";
import { type Caller, create, readModel } from "./create.ts";
import { eventOf, type Row, spokeOf } from "./shape.ts";
import { ACTIVITY, CALLER, HUB_SPOKES, MY_SPOKES, SPOKE, UNREAD } from "./sql.ts";

const sql = postgres(process.env.DATABASE_URL!, { max: Number(process.env.POOL) });
const query = (text: string, params: readonly unknown[], on: Pick<postgres.Sql, "unsafe"> = sql): Promise<Row[]> =>
  on.unsafe(text, params as never[], { prepare: true });
const model = await readModel(query);

async function callerOf(context: Context): Promise<Caller> {
  const token = context.req.header("authorization")!.slice("Bearer ".length);
  const [caller] = await query(CALLER, [createHash("sha256").update(token).digest()]);
  return caller;
}

const limitOf = (context: Context) => Number(context.req.query("limit"));

const app = new Hono();
app.get("/api/spokes/:id", async (context) => {
  await callerOf(context);
  const [row] = await query(SPOKE, [context.req.param("id")]);
  return context.json(spokeOf(row));
});
app.get("/api/spokes/:id/activity", async (context) => {
  await callerOf(context);
  const rows = await query(ACTIVITY, [context.req.param("id"), limitOf(context)]);
  return context.json(rows.map(eventOf));
});
app.get("/api/my-spokes", async (context) => {
  const caller = await callerOf(context);
  const rows = await query(MY_SPOKES, [caller.id, limitOf(context)]);
  return context.json(rows.map((row) => spokeOf(row)));
});
app.get("/api/federations/:id/spokes", async (context) => {
  await callerOf(context);
  const rows = await query(HUB_SPOKES, [context.req.param("id"), limitOf(context)]);
  return context.json(rows.map((row) => spokeOf(row)));
});
app.get("/api/notifications/unread-count", async (context) => {
  const caller = await callerOf(context);
  const [row] = await query(UNREAD, [caller.id]);
  return context.json({ count: Number(row.count) });
});
app.post("/api/federations/:id/spokes", async (context) => {
  const caller = await callerOf(context), body = await context.req.json();
  const made = await sql.begin((tx) =>
    create((text, params) => query(text, params, tx), model, caller, context.req.param("id"), body)
  );
  return context.json(made, 201);
});

serve(
  { fetch: app.fetch, port: 0, hostname: "127.0.0.1" },
  ({ port }) => console.log(`Listening on 127.0.0.1:${port}`),
);
