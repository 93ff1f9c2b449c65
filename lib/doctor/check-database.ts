/** Turns facts about a database into findings. Pure. */
import type { Config } from "#lib/base/config.ts";
import {
  type AppliedMigration,
  compareSchema,
  type Migration,
  type SchemaComparison,
  SchemaMismatch,
} from "#lib/drivers/db/compare-schema.ts";
import type { DatabaseFacts, DatabaseSession } from "#lib/doctor/database.ts";
import { countOf, failing, type Finding, passing, type ReadResult, warning } from "#lib/doctor/finding.ts";
import { checkClock } from "#lib/doctor/check-cluster.ts";
import { checkOperators } from "#lib/doctor/check-access.ts";

/** The oldest PostgreSQL major version that is still maintained. The tests run on 18. */
const LEAST = 14;

interface Wants {
  readonly migrations: readonly Migration[];
  /** The number of connections in a replica's pool. */
  readonly pool: number;
  /** The account that `serve` creates as the first operator. */
  readonly admin: Config["bootstrapAdmin"];
  /** Whether the schema owner's address is set. If it is, `serve` uses it to migrate. */
  readonly owner?: boolean;
}

export function checkDatabase(facts: ReadResult<DatabaseFacts>, wants: Wants): Finding[] {
  const { migrations, pool, admin, owner = false } = wants;
  if (!("seen" in facts)) {
    const hint = "See DATABASE_URL, or the POSTGRES_ variables.";
    return [failing("connection", `it cannot be reached: ${facts.unseen}`, hint)];
  }
  const { version, number, encoding, readOnly, connections, aheadMs, session, applied, mayMigrate, role } = facts.seen;
  const major = Math.floor(number / 10_000);
  const findings = [
    major >= LEAST
      ? passing("version", `PostgreSQL ${version}`)
      : failing("version", `PostgreSQL ${version} is too old`, `Upgrade it to ${LEAST} or newer.`),
  ];
  if (encoding !== "UTF8") {
    const hint = "Make the database anew with encoding UTF8.";
    findings.push(failing("encoding", `the database's encoding is ${encoding}, which cannot hold every name`, hint));
  }
  if (readOnly) {
    const hint = "Name the primary in DATABASE_URL (target_session_attrs=read-write helps), or take the setting back.";
    findings.push(failing("writing", "it only reads: a standby, or default_transaction_read_only is on", hint));
  }
  findings.push(
    checkConnections(connections, pool),
    checkSession(session),
    checkClock(aheadMs, "the database's clock"),
  );
  findings.push(checkMigrations(applied, migrations, mayMigrate || owner), checkRole(role));
  findings.push(checkOperators(facts.seen.operators, admin), ...checkImageTags(facts.seen.movedTags ?? []));
  return findings;
}

/** Checks the number of connections. Each replica needs one more than its pool: the control connection. */
function checkConnections(granted: number, pool: number): Finding {
  const check = "connections", each = pool + 1;
  const message = `it grants ${granted}, and a replica opens up to ${each}`;
  if (granted >= 2 * each) return passing(check, message);
  const hint = "Raise max_connections, or lower DATABASE_POOL; a roll-out runs two replicas at once.";
  return warning(check, message, hint);
}

function checkSession({ locks, notifications }: DatabaseSession): Finding {
  if (locks && notifications) return passing("sessions", "locks and notifications hold");
  const lost = [...(locks ? [] : ["locks"]), ...(notifications ? [] : ["notifications"])].join(" and ");
  return failing(
    "sessions",
    `${lost} do not hold: there seems to be a transaction pooler in between`,
    "Connect to PostgreSQL itself, or set the pooler to session mode (PgBouncer: pool_mode = session).",
  );
}

export function checkMigrations(
  applied: readonly AppliedMigration[] | null,
  migrations: readonly Migration[],
  mayMigrate: boolean,
): Finding {
  const check = "migrations";
  const fitting = fitOrNot(applied ?? [], migrations);
  if (fitting instanceof SchemaMismatch) return failing(check, lower(fitting.problem), `${upper(fitting.remedy)}.`);
  const { missing, newer } = fitting;
  if (newer.length > 0) {
    const hint = "This release works on it all the same; go back no further than to this one.";
    return warning(check, `the database is newer than this program: it has ${newer.join(", ")}`, hint);
  }
  const pending = missing.length;
  if (pending === 0) return passing(check, `all ${migrations.length} are applied`);
  if (!mayMigrate) {
    const hint = "Run wheelwright migrate with DATABASE_OWNER_URL, the address of the schema's owner.";
    return failing(check, `${pending} are to be applied, but this user may not make tables`, hint);
  }
  if (applied === null || applied.length === 0) {
    return passing(check, "the database is empty; serve makes its tables when it starts");
  }
  const hint = "serve applies them when it starts, wheelwright migrate at once.";
  return warning(
    check,
    `${countOf(pending, "migration")} of this release ${pending === 1 ? "is" : "are"} to be applied`,
    hint,
  );
}

function fitOrNot(
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

const upper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const lower = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

/** Reports image tags for which spokes run different images. This happens if an image is rebuilt under the same tag. */
function checkImageTags(moved: readonly string[]): Finding[] {
  if (moved.length === 0) return [];
  const hint = "Compare imageDigest of the spokes, and name the image by digest in BLUEPRINT_DIR.";
  return [warning("images", `the tag was moved, and spokes run different images of it: ${moved.join(", ")}`, hint)];
}

/** Checks the role of the service. An attacker who takes over the service has all rights of its role. */
function checkRole(role: DatabaseFacts["role"]): Finding {
  const check = "role";
  if (role === "service") return passing(check, "the service's own: it reads and writes rows, and owns nothing");
  const message = role === "superuser" ? "a superuser of the whole server" : "the owner of the tables";
  const hint =
    "Run wheelwright migrate with DATABASE_OWNER_URL, and give the service a role of its own in DATABASE_URL.";
  return warning(check, `${message}, which can switch off what guards the audit log`, hint);
}
