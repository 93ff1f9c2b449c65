/**
 * Converts rows from arrays to objects. A generated function creates each object with all its fields, because an object
 * that gets more than about 20 fields one by one is slow to create, read and copy.
 */
export type Row = Record<string, unknown>;
type CreateRow = (values: readonly unknown[]) => Row;
type Columns = readonly { readonly name: string }[];

/** The name of a column that is not a field of a row: the number of the read to which the row belongs. */
export const READ_NUMBER = "readNumber";

const byColumns = new WeakMap<Columns, CreateRow>(), byNames = new Map<string, CreateRow>();

/** Returns the values of the column READ_NUMBER, or undefined if the first column is another one. */
export function readReadNumbers(columns: Columns, rows: readonly (readonly unknown[])[]): number[] | undefined {
  return columns[0]?.name === READ_NUMBER ? rows.map(([number]) => number as number) : undefined;
}

/** Returns an object for each row. Of several columns with the same name, the last one counts. */
export function toRowObjects(columns: Columns, rows: readonly (readonly unknown[])[]): Row[] {
  let create = byColumns.get(columns);
  if (!create) byColumns.set(columns, create = findRowConstructor(columns.map(({ name }) => name)));
  return rows.map(create);
}

/** Returns the same function for the same names, so that equal queries on different connections share it. */
function findRowConstructor(names: readonly string[]): CreateRow {
  const key = JSON.stringify(names);
  let create = byNames.get(key);
  if (!create) {
    const fields = names.flatMap((name, i) => name === READ_NUMBER ? [] : [`${JSON.stringify(name)}: values[${i}]`]);
    create = new Function("values", `return { ${fields.join(", ")} };`) as CreateRow;
    byNames.set(key, create);
  }
  return create;
}
