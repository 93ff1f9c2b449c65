/** Inserts a user, a hub and a spoke directly into the database, for tests of code below the domain layer. */
import type { Database } from "#lib/drivers/db/database.ts";
import { createId } from "#lib/base/ids.ts";
import { insertRow, updateRows } from "#test/support/rows.ts";

export async function insertUser(db: Database, email = `${createId("usr")}@example.org`): Promise<string> {
  const id = createId("usr");
  await db.rows.insertInto("users").values({ id, email, displayName: email }).execute();
  return id;
}

export async function insertHub(db: Database, userId: string, slug = "hub"): Promise<string> {
  const id = createId("fed");
  await db.rows.insertInto("federations").values({
    id,
    slug,
    name: slug,
    state: "active",
    cluster: "default",
    namespace: id.replace("_", "-"),
    createdBy: userId,
  }).execute();
  return id;
}

export async function insertSpoke(db: Database, userId: string, federationId: string, slug = "spoke"): Promise<string> {
  const id = createId("spk");
  await db.rows.insertInto("spokes").values({
    id,
    federationId,
    slug,
    displayName: slug,
    domain: `${id.slice(4)}.example.org`,
    size: "small",
    adminEmail: "admin@example.org",
    lmsVersion: "4.5.12",
    state: "provisioning",
    cluster: "default",
    namespace: id.replace("_", "-"),
    blueprintRevision: "test",
    blueprintInputs: "{}",
    createdBy: userId,
  }).execute();
  return id;
}

/** Inserts a rollout that restarts one spoke, without a job. Returns its ID. */
export async function insertRollout(
  db: Pick<Database, "rows">,
  requestedBy: string,
  hub: string,
  spokeId: string,
): Promise<string> {
  const rolloutId = createId("rol");
  await insertRow(db, "rollouts", {
    id: rolloutId,
    action: "restart",
    parameters: "{}",
    canarySpokes: 1,
    canaryMinutes: 10,
    batch: "10%",
    maxUnavailable: 5,
    maxFailures: 1,
    federationIds: [hub],
    requestedBy,
  });
  await insertRow(db, "rollout_spokes", { rolloutId, spokeId, position: 0, wave: 0, state: "waiting" });
  return rolloutId;
}

/** The IDs of the courses that `insertCourses` inserts. */
export const BIOLOGY = `crs_${"1".repeat(26)}`, PHYSICS = `crs_${"2".repeat(26)}`;

/** Gives the hub two courses: Biology with three versions, of which the newest needs an add-on, and Physics with one. */
export async function insertCourses(db: Pick<Database, "rows">, hubId: string, spokeId: string): Promise<void> {
  const version = (title: string, number: number, plugins: readonly string[] = []) => ({
    ...{ version: number, title, shortname: title.slice(0, 3).toUpperCase(), sha256: "a".repeat(64), plugins },
    ...{ bytes: 21_000_000 + number, branch: "4.5", moodle: 2024100712, spokeId, operationId: createId("op") },
    ...{ publishedAt: `2026-11-2${number}T10:00:00.000Z`, publishedBy: "head@school.example" },
  });
  const biology = [version("Biology", 1), version("Biology", 2), version("Biology", 3, ["mod_attendance"])];
  const courses = [
    { id: PHYSICS, title: "Physics", versions: [version("Physics", 1)] },
    { id: BIOLOGY, title: "Biology", versions: biology },
  ];
  await updateRows(db, "federations", { courses: JSON.stringify(courses), mode: "content" }, { id: hubId });
}
