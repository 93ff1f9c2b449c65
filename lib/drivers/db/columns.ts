/** Defines column types: which values a select returns, and which values inserts and updates accept. */
import type { ColumnType, JSONColumnType } from "kysely";

/** A timestamp, read as a Date. It can be omitted on insert, because the column has a default value. */
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
