/**
 * What a migration may not do, statement by statement: hold up those who work, or break the release before, which goes on
 * serving beside it. Pure; the statements are as the server's own parser reads them.
 *
 * What is known to be harmless is let through, and all else is refused: a statement that nobody thought of is not guessed at.
 */
import type { AlterTableCmd, ColumnDef, Constraint, Node, RangeVar } from "libpg-query";

/** By name, as a migration accepts them. */
export const RULES = {
  contract: "takes away, renames or narrows what the release before uses",
  "not-null": "adds a column that must be filled, and the release before does not fill it: give it a default",
  rewrite: "writes the whole table anew, and nobody reads or writes it meanwhile",
  scan:
    "reads the whole table, and nobody writes it meanwhile: add the constraint not valid, validate it in a later file",
  index: "makes an index while nobody may write: a file of its own, -- concurrently",
  rows:
    "changes rows in one transaction, and who changes one of them waits for its end: let a job do it, some at a time",
  lock: "takes a lock by itself",
  session: "changes the session or the transaction, which are the migrator's",
  opaque: "does what cannot be read from it",
} as const;
export type Rule = keyof typeof RULES;

export interface Refusal {
  readonly rule: Rule;
  /** What it is about, as "jobs.state". */
  readonly what: string;
}

/** `young` has the tables that no release knows yet: they are empty wherever this runs, and nobody uses them. */
export function refuse(statement: Node, young: ReadonlySet<string>): Refusal[] {
  return [...judge(statement, young), ...changesRows(statement, young)];
}

/** The table that it makes, if it makes one for sure. */
export function madeBy(statement: Node): string | null {
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
  ...["InsertStmt", "UpdateStmt", "DeleteStmt", "MergeStmt"], // judged by the tables that they change
];
const OF_SESSION = ["TransactionStmt", "VariableSetStmt", "DiscardStmt"];

function judge(statement: Node, young: ReadonlySet<string>): Refusal[] {
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

function alter(table: string, { subtype, name, def, missing_ok: _ }: AlterTableCmd): Refusal[] {
  const what = name ? `${table}.${name}` : table;
  switch (subtype) {
    case "AT_AddColumn":
      return "ColumnDef" in def! ? addColumn(table, def.ColumnDef) : [];
    case "AT_AddConstraint":
      return "Constraint" in def! ? constrain(`${table} ${def.Constraint.conname ?? ""}`, def.Constraint) : [];
    case "AT_ColumnDefault": // without one, what the release before inserts has none
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
    case "AT_DropConstraint": // "on conflict" names it
    case "AT_DropNotNull": // who reads a null for the first time is not made for it
      return [{ rule: "contract", what }];
    default:
      return [{ rule: "opaque", what: `${what} ${subtype}` }];
  }
}

/** A default that is the same for all rows is noted once; one that is not is written into each. */
function addColumn(table: string, { colname, constraints = [], typeName }: ColumnDef): Refusal[] {
  const what = `${table}.${colname}`, found: Refusal[] = [];
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

function constrain(what: string, { contype, skip_validation: unchecked, indexname }: Constraint): Refusal[] {
  if (contype === "CONSTR_CHECK" || contype === "CONSTR_FOREIGN") return unchecked ? [] : [{ rule: "scan", what }];
  return indexname ? [] : [{ rule: "index", what }];
}

/** PostgreSQL takes now() once a statement; of other functions it cannot be told here. */
function isConstant(node: Node): boolean {
  if ("TypeCast" in node) return isConstant(node.TypeCast.arg!);
  if ("FuncCall" in node) return namesIn(node.FuncCall.funcname!).join() === "now";
  if ("A_ArrayExpr" in node) return (node.A_ArrayExpr.elements ?? []).every(isConstant);
  return "A_Const" in node || "SQLValueFunction" in node;
}

const CHANGES = ["UpdateStmt", "DeleteStmt", "MergeStmt"];

/** Wherever in the statement they stand. */
function changesRows(node: unknown, young: ReadonlySet<string>): Refusal[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([kind, inner]) => {
    const changes = CHANGES.includes(kind) || inner?.onConflictClause?.action === "ONCONFLICT_UPDATE";
    const table = changes ? inner.relation.relname as string : null;
    const own: Refusal[] = table && !young.has(table) ? [{ rule: "rows", what: table }] : [];
    return [...own, ...changesRows(inner, young)];
  });
}

/** The names that a list of the parser's holds; of a trigger's, that of its table and its own. */
function namesIn(nodes: readonly Node[]): string[] {
  return nodes.map((node) => {
    if ("String" in node) return node.String.sval ?? "";
    if ("List" in node) return namesIn(node.List.items ?? []).join(".");
    return "ObjectWithArgs" in node ? namesIn(node.ObjectWithArgs.objname ?? []).join(".") : "?";
  });
}
