/** Defines what a migration must not do, statement by statement: block running requests, or break the previous release,
 * which still runs. The rules are pure and work on the output of PostgreSQL's own parser.
 *
 * Only statements that are known to be harmless pass. Any other statement is rejected. */
import type { AlterTableCmd, ColumnDef, Constraint, Node, RangeVar } from "libpg-query";

/** The rules by name. Migrations use these names to override them. */
export const MIGRATION_RULES = {
  contract: "removes, renames or narrows a part that the previous release uses",
  "not-null": "adds a required column that the previous release does not fill: add a default",
  rewrite: "rewrites the whole table, which blocks reads and writes",
  scan: "scans the whole table, which blocks writes: add the constraint NOT VALID and validate it in a later file",
  index: "creates an index, which blocks writes: use a separate file with -- concurrently",
  rows: "changes rows in one transaction, which blocks other writers: change them in batches in a job",
  lock: "takes an explicit lock",
  session: "changes the session or transaction, which the migrator manages",
  opaque: "has effects that cannot be derived from the statement",
} as const;
export type MigrationRule = keyof typeof MIGRATION_RULES;

export interface RuleViolation {
  readonly rule: MigrationRule;
  /** The object of the statement, such as "jobs.state". */
  readonly what: string;
}

/** Returns the refusals of a statement. `young` has the tables that no release has yet: they are empty and unused. */
export function checkStatement(statement: Node, young: ReadonlySet<string>): RuleViolation[] {
  return [...checkRules(statement, young), ...changesRows(statement, young)];
}

/** Returns the table that the statement creates, if it certainly creates one. */
export function createdTableOf(statement: Node): string | null {
  if (!("CreateStmt" in statement) || statement.CreateStmt.if_not_exists) return null;
  return statement.CreateStmt.relation?.relname ?? null;
}

const HARMLESS = [
  ...[
    "CreateStmt",
    "CreateSeqStmt",
    "CreateFunctionStmt",
    "CreateTrigStmt",
    "ViewStmt",
    "CreateEnumStmt",
    "CommentStmt",
  ],
  ...["InsertStmt", "UpdateStmt", "DeleteStmt", "MergeStmt"], // checked by the tables that they change
];
const OF_SESSION = ["TransactionStmt", "VariableSetStmt", "DiscardStmt"];

function checkRules(statement: Node, young: ReadonlySet<string>): RuleViolation[] {
  const [kind = ""] = Object.keys(statement);
  if (HARMLESS.includes(kind)) return [];
  if (OF_SESSION.includes(kind)) return [{ rule: "session", what: kind }];
  if ("AlterTableStmt" in statement && statement.AlterTableStmt.objtype === "OBJECT_TABLE") {
    const { cmds = [] } = statement.AlterTableStmt, table = tableOf(statement.AlterTableStmt);
    if (young.has(table)) return [];
    return cmds.flatMap((each) => alter(table, (each as { AlterTableCmd: AlterTableCmd }).AlterTableCmd));
  }
  if ("IndexStmt" in statement) {
    const { concurrent, idxname } = statement.IndexStmt, table = tableOf(statement.IndexStmt);
    return young.has(table) || concurrent ? [] : [{ rule: "index", what: `${table} ${idxname}` }];
  }
  if ("RenameStmt" in statement) {
    const { subname, renameType } = statement.RenameStmt, table = tableOf(statement.RenameStmt);
    const what = [table || renameType, subname].filter(Boolean).join(".");
    return young.has(table) ? [] : [{ rule: "contract", what }];
  }
  if ("DropStmt" in statement) {
    const dropped = namesIn(statement.DropStmt.objects ?? []);
    return dropped.filter((name) => !young.has(name)).map((what) => ({ rule: "contract", what }));
  }
  if ("TruncateStmt" in statement || "LockStmt" in statement) {
    const { relations = [] } = "LockStmt" in statement ? statement.LockStmt : statement.TruncateStmt;
    const tables = relations.map((each) => "RangeVar" in each ? each.RangeVar.relname! : "?");
    return tables.filter((name) => !young.has(name)).map((what) => ({ rule: "lock", what }));
  }
  return [{ rule: "opaque", what: kind }];
}

function tableOf({ relation }: { readonly relation?: RangeVar }): string {
  return relation?.relname ?? "";
}

function alter(table: string, { subtype, name, def, missing_ok: _ }: AlterTableCmd): RuleViolation[] {
  const what = name ? `${table}.${name}` : table;
  switch (subtype) {
    case "AT_AddColumn":
      return "ColumnDef" in def! ? addColumn(table, def.ColumnDef) : [];
    case "AT_AddConstraint":
      return "Constraint" in def! ? constrain(`${table} ${def.Constraint.conname ?? ""}`, def.Constraint) : [];
    case "AT_ColumnDefault": // without a default, the previous release's inserts would leave the column empty
      return def ? [] : [{ rule: "contract", what }];
    case "AT_SetStatistics":
    case "AT_SetRelOptions":
    case "AT_ValidateConstraint":
      return [];
    case "AT_AlterColumnType":
      return [{ rule: "rewrite", what }, { rule: "contract", what }];
    case "AT_SetNotNull":
      return [{ rule: "scan", what }, { rule: "contract", what }];
    case "AT_DropColumn":
    case "AT_DropConstraint": // "on conflict" may name it
    case "AT_DropNotNull": // programs may not expect a null in this column
      return [{ rule: "contract", what }];
    default:
      return [{ rule: "opaque", what: `${what} ${subtype}` }];
  }
}

/** Checks a new column. A constant default is stored once; any other default is written into every row. */
function addColumn(table: string, { colname, constraints = [], typeName }: ColumnDef): RuleViolation[] {
  const what = `${table}.${colname}`, found: RuleViolation[] = [];
  const all = constraints.map((each) => (each as { Constraint: Constraint }).Constraint);
  const has = (type: string) => all.find(({ contype }) => contype === type);
  const type = namesIn(typeName?.names ?? []).at(-1) ?? "", given = has("CONSTR_DEFAULT")?.raw_expr;
  if (/^(?:small|big)?serial/.test(type) || has("CONSTR_IDENTITY")) found.push({ rule: "rewrite", what });
  if (given && !isConstant(given)) found.push({ rule: "rewrite", what });
  if (has("CONSTR_NOTNULL") && !given) found.push({ rule: "not-null", what });
  if (has("CONSTR_GENERATED")?.generated_kind === "s") found.push({ rule: "rewrite", what });
  for (const one of all) if (!NO_RULES.has(one.contype!)) found.push(...constrain(what, one));
  return found;
}

const NO_RULES = new Set(["CONSTR_DEFAULT", "CONSTR_NOTNULL", "CONSTR_NULL", "CONSTR_GENERATED", "CONSTR_IDENTITY"]);

function constrain(what: string, { contype, skip_validation: unchecked, indexname }: Constraint): RuleViolation[] {
  if (contype === "CONSTR_CHECK" || contype === "CONSTR_FOREIGN") return unchecked ? [] : [{ rule: "scan", what }];
  return indexname ? [] : [{ rule: "index", what }];
}

/** Whether an expression is constant within a statement. now() is; other functions are unknown here. */
function isConstant(node: Node): boolean {
  if ("TypeCast" in node) return isConstant(node.TypeCast.arg!);
  if ("FuncCall" in node) return namesIn(node.FuncCall.funcname!).join() === "now";
  if ("A_ArrayExpr" in node) return (node.A_ArrayExpr.elements ?? []).every(isConstant);
  return "A_Const" in node || "SQLValueFunction" in node;
}

const CHANGES = ["UpdateStmt", "DeleteStmt", "MergeStmt"];

/** Finds changes of rows anywhere in the statement. */
function changesRows(node: unknown, young: ReadonlySet<string>): RuleViolation[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([kind, inner]) => {
    const changes = CHANGES.includes(kind) || inner?.onConflictClause?.action === "ONCONFLICT_UPDATE";
    const table = changes ? inner.relation.relname as string : null;
    const own: RuleViolation[] = table && !young.has(table) ? [{ rule: "rows", what: table }] : [];
    return [...own, ...changesRows(inner, young)];
  });
}

/** Returns the names in a list from the parser. A trigger has its table's name and its own. */
function namesIn(nodes: readonly Node[]): string[] {
  return nodes.map((node) => {
    if ("String" in node) return node.String.sval ?? "";
    if ("List" in node) return namesIn(node.List.items ?? []).join(".");
    return "ObjectWithArgs" in node ? namesIn(node.ObjectWithArgs.objname ?? []).join(".") : "?";
  });
}
