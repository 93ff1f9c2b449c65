/** Rows made directly, for tests of what lies below the domains: a user, a hub, a spoke. */
import type { Database } from "#lib/drivers/db/database.ts";
import { newId } from "#lib/base/ids.ts";

export async function makeUser(db: Database, email = `${newId("usr")}@example.org`): Promise<string> {
  const id = newId("usr");
  await db.rows.insertInto("users").values({ id, email, display_name: email }).execute();
  return id;
}

export async function makeHub(db: Database, userId: string, slug = "hub"): Promise<string> {
  const id = newId("fed");
  await db.rows.insertInto("federations").values({
    id,
    slug,
    name: slug,
    state: "active",
    cluster: "default",
    namespace: id.replace("_", "-"),
    created_by: userId,
  }).execute();
  return id;
}

export async function makeSpoke(db: Database, userId: string, federationId: string, slug = "spoke"): Promise<string> {
  const id = newId("spk");
  await db.rows.insertInto("spokes").values({
    id,
    federation_id: federationId,
    slug,
    display_name: slug,
    domain: `${id.slice(4)}.example.org`,
    size: "small",
    admin_email: "admin@example.org",
    lms_version: "4.5.12",
    state: "provisioning",
    cluster: "default",
    namespace: id.replace("_", "-"),
    blueprint_revision: "test",
    blueprint_inputs: "{}",
    created_by: userId,
  }).execute();
  return id;
}
