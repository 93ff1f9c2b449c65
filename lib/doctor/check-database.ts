/** Turns what was read from the database into findings (results of checks). Contains only pure functions. */
import type { Config } from "#lib/base/config.ts";
import {
  type AppliedMigration,
  compareSchema,
  type Migration,
  type SchemaComparison,
  SchemaMismatch,
} from "#lib/drivers/db/compare-schema.ts";
import type { DatabaseProperties, SessionFeatures } from "#lib/doctor/database.ts";
import { formatCount } from "#lib/base/text.ts";
import { createFailure, createPass, createWarning, type Finding, type ReadResult } from "#lib/doctor/finding.ts";
import { checkClock } from "#lib/doctor/check-cluster.ts";
import { checkOperatorExists } from "#lib/doctor/check-access.ts";

/** The oldest major version of PostgreSQL that is supported. */
const MIN_MAJOR_VERSION = 14;

interface DatabaseRequirements {
  readonly migrations: readonly Migration[];
  /** The number of connections in each replica's pool. */
  readonly pool: number;
  /** The account that the service creates as its first operator. */
  readonly admin: Config["bootstrapAdmin"];
  /** Whether DATABASE_OWNER_URL is set. If so, the service can apply migrations as the owner of the schema. */
  readonly owner?: boolean;
}

export function checkDatabase(facts: ReadResult<DatabaseProperties>, requirements: DatabaseRequirements): Finding[] {
  const { migrations, pool, admin, owner = false } = requirements;
  if (!("value" in facts)) {
    const hint = "Check DATABASE_URL or the POSTGRES_ variables.";
    return [createFailure("connection", `cannot connect: ${facts.error}`, hint)];
  }
  const { version, versionNumber, encoding, readOnly, connections, aheadMs, session, applied, canMigrate, role } =
    facts.value;
  const major = Math.floor(versionNumber / 10_000);
  const findings = [
    major >= MIN_MAJOR_VERSION ? createPass("version", `PostgreSQL ${version}`) : createFailure(
      "version",
      `PostgreSQL ${version} is too old`,
      `Upgrade to ${MIN_MAJOR_VERSION} or newer.`,
    ),
  ];
  if (encoding !== "UTF8") {
    const hint = "Recreate the database with encoding UTF8.";
    findings.push(createFailure("encoding", `the encoding is ${encoding}, which cannot store all names`, hint));
  }
  if (readOnly) {
    const hint = "Set DATABASE_URL to the primary (target_session_attrs=read-write helps), or allow writes.";
    findings.push(
      createFailure(
        "writing",
        "the database is read-only: it is a standby, or default_transaction_read_only is on",
        hint,
      ),
    );
  }
  findings.push(
    checkConnections(connections, pool),
    checkSession(session),
    checkClock(aheadMs, "the database's clock"),
  );
  findings.push(checkMigrations(applied, migrations, canMigrate || owner), checkRole(role));
  findings.push(checkOperatorExists(facts.value.hasOperator, admin), ...checkImageTags(facts.value.movedTags ?? []));
  return findings;
}

/** Checks that the database allows enough connections. Each replica opens a pool and one control connection. */
function checkConnections(available: number, pool: number): Finding {
  const check = "connections", perReplica = pool + 1;
  const message = `${available} are available, and a replica opens up to ${perReplica}`;
  if (available >= 2 * perReplica) return createPass(check, message);
  const hint = "Raise max_connections or lower DATABASE_POOL. A rollout runs two replicas at the same time.";
  return createWarning(check, message, hint);
}

function checkSession({ locks, notifications }: SessionFeatures): Finding {
  if (locks && notifications) return createPass("sessions", "locks and notifications work");
  const broken = [...(locks ? [] : ["locks"]), ...(notifications ? [] : ["notifications"])].join(" and ");
  return createFailure(
    "sessions",
    `${broken} do not work, probably because of a transaction pooler`,
    "Connect directly to PostgreSQL, or set the pooler to session mode (PgBouncer: pool_mode = session).",
  );
}

export function checkMigrations(
  applied: readonly AppliedMigration[] | null,
  migrations: readonly Migration[],
  canMigrate: boolean,
): Finding {
  const check = "migrations";
  const comparison = tryCompareSchema(applied ?? [], migrations);
  if (comparison instanceof SchemaMismatch) {
    return createFailure(check, uncapitalize(comparison.problem), `${capitalize(comparison.remedy)}.`);
  }
  const { missing, newer } = comparison;
  if (newer.length > 0) {
    const hint = "This release works with the newer database. Do not downgrade to an older release.";
    return createWarning(check, `the database is newer than this program: it has ${newer.join(", ")}`, hint);
  }
  const pending = missing.length;
  if (pending === 0) return createPass(check, `all ${migrations.length} are applied`);
  if (!canMigrate) {
    const hint = "Set DATABASE_OWNER_URL to the database URL of the schema owner, and run wheelwright migrate.";
    return createFailure(
      check,
      `${formatCount(pending, "migration")} must be applied, but this user cannot create tables`,
      hint,
    );
  }
  if (applied === null || applied.length === 0) {
    return createPass(check, "the database is empty; serve creates its tables when it starts");
  }
  const hint = "serve applies them when it starts. To apply them now, run wheelwright migrate.";
  return createWarning(
    check,
    `${formatCount(pending, "migration")} of this release ${pending === 1 ? "is" : "are"} not applied`,
    hint,
  );
}

function tryCompareSchema(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
): SchemaComparison | SchemaMismatch {
  try {
    return compareSchema(applied, migrations);
  } catch (error) {
    if (error instanceof SchemaMismatch) return error;
    throw error;
  }
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const uncapitalize = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

/** Warns if spokes with the same image tag run different images, for example because an image was rebuilt. */
function checkImageTags(moved: readonly string[]): Finding[] {
  if (moved.length === 0) return [];
  const hint = "Compare the imageDigest of the spokes, and pin the image by digest in BLUEPRINT_DIR.";
  return [createWarning("images", `spokes run different images with the same tag: ${moved.join(", ")}`, hint)];
}

/** Checks the service's database role. A superuser or table owner could bypass the audit log's triggers. */
function checkRole(role: DatabaseProperties["role"]): Finding {
  const check = "role";
  if (role === "service") {
    return createPass(check, "a service role that reads and writes rows and owns no tables");
  }
  const message = role === "superuser" ? "a superuser of the whole server" : "the owner of the tables";
  const hint = "Run wheelwright migrate with DATABASE_OWNER_URL, and use a separate service role in DATABASE_URL.";
  return createWarning(check, `${message}, which can turn off the protection of the audit log`, hint);
}
