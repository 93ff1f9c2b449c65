/** Defines column types: the values that are read, and those that inserts and updates accept. */
import type { ColumnType, JSONColumnType } from "kysely";

/** A timestamp, read as a Date. Optional on insert, because the column has a default. */
export type StampColumn = ColumnType<Date, Date | undefined, Date>;
export type MaybeStampColumn = ColumnType<Date | null, Date | null | undefined, Date | null>;
/** A bigint. The driver reads it as text, and accepts a number or text. */
export type BigColumn = ColumnType<string, number | string | undefined, number | string>;
export type MaybeBigColumn = ColumnType<string | null, number | string | null | undefined, number | string | null>;
// deno-lint-ignore no-explicit-any
export type JsonColumn = JSONColumnType<any>;
// deno-lint-ignore no-explicit-any
export type MaybeJsonColumn = JSONColumnType<any, string | null | undefined, string | null>;
// deno-lint-ignore no-explicit-any
export type DefaultJsonColumn = JSONColumnType<any, string | undefined, string>;
