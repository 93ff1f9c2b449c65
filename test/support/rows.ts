/** Reads and writes rows of a single table, for tests that prepare a state or check what was stored. The names of tables
 * and columns come from the schema, so a renamed column is a type error. */
import { type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from "kysely";
import type { Database } from "#lib/drivers/db/database.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";

type Table = keyof Schema;
type Column<T extends Table> = keyof Selectable<Schema[T]> & string;
/** Values by column: also expressions such as NOW, text that PostgreSQL can read, and invalid values. */
type Values<R> = { readonly [C in keyof R]: unknown };
/** Conditions by column, all of which hold. An array lists the possible values, and null selects rows without a value. */
export type RowFilter<T extends Table> = { readonly [C in Column<T>]?: unknown };
/** Rows, of which the test expects at least one: the type of the first row is not undefined. */
export type FoundRows<R> = R[] & { readonly 0: R };

export interface RowSelection<T extends Table, C extends Column<T>> {
  /** The columns to read. All by default. */
  readonly columns?: readonly C[];
  readonly orderBy?: Column<T>;
}

/** The time of the database's clock, which tests can shift. */
export const NOW = sql`wheelwright_now()`;

export async function selectRows<T extends Table, C extends Column<T> = Column<T>>(
  { rows }: Pick<Database, "rows">,
  table: T,
  filter: RowFilter<T> = {},
  { columns, orderBy }: RowSelection<T, C> = {},
): Promise<FoundRows<Pick<Selectable<Schema[T]>, C>>> {
  const list = columns ? sql.join(columns.map((column) => sql.ref(column))) : sql`*`;
  const order = orderBy ? sql` order by ${sql.ref(orderBy)}` : sql``;
  const found = await sql`select ${list} from ${sql.table(table)}${where(filter)}${order}`.execute(rows);
  return found.rows as FoundRows<Pick<Selectable<Schema[T]>, C>>;
}

export async function insertRow<T extends Table>(
  { rows }: Pick<Database, "rows">,
  table: T,
  values: Values<Insertable<Schema[T]>>,
): Promise<void> {
  const columns = Object.keys(values).map((column) => sql.ref(column));
  await sql`insert into ${sql.table(table)} (${sql.join(columns)}) values (${sql.join(Object.values(values))})`
    .execute(rows);
}

/** Updates all rows that meet the conditions: without conditions, the whole table. */
export async function updateRows<T extends Table>(
  { rows }: Pick<Database, "rows">,
  table: T,
  values: Partial<Values<Updateable<Schema[T]>>>,
  filter: RowFilter<T> = {},
): Promise<void> {
  const changes = Object.entries(values).map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
  await sql`update ${sql.table(table)} set ${sql.join(changes)}${where(filter)}`.execute(rows);
}

export async function deleteRows<T extends Table>(
  { rows }: Pick<Database, "rows">,
  table: T,
  filter: RowFilter<T> = {},
): Promise<void> {
  await sql`delete from ${sql.table(table)}${where(filter)}`.execute(rows);
}

function where(filter: object): RawBuilder<unknown> {
  const conditions = Object.entries(filter).map(([column, value]) => {
    if (value === null) return sql`${sql.ref(column)} is null`;
    return Array.isArray(value) ? sql`${sql.ref(column)} in (${sql.join(value)})` : sql`${sql.ref(column)} = ${value}`;
  });
  return conditions.length === 0 ? sql`` : sql` where ${sql.join(conditions, sql` and `)}`;
}
