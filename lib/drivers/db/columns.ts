/** Defines column types: the values that a select returns, and the values that inserts and updates accept. */
import type { ColumnType, JSONColumnType } from "kysely";

/** A timestamp, read as a Date. Inserts may omit the value, because the column has a default. */
export type TimestampColumn = ColumnType<Date, Date | undefined, Date>;
export type NullableTimestampColumn = ColumnType<Date | null, Date | null | undefined, Date | null>;
/** A bigint column. The driver returns its values as text, and accepts both numbers and text. */
export type BigintColumn = ColumnType<string, number | string | undefined, number | string>;
export type NullableBigintColumn = ColumnType<
  string | null,
  number | string | null | undefined,
  number | string | null
>;
// deno-lint-ignore no-explicit-any
export type JsonColumn = JSONColumnType<any>;
// deno-lint-ignore no-explicit-any
export type NullableJsonColumn = JSONColumnType<any, string | null | undefined, string | null>;
// deno-lint-ignore no-explicit-any
export type JsonColumnWithDefault = JSONColumnType<any, string | undefined, string>;
