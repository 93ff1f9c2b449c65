/**
 * The settings that the program relies on, set for each session. A role or a database may carry any setting as its default,
 * and none may change how values are read and written, which tables are found, or what a commit means.
 *
 * They are set by a statement and not when connecting, because a pooler refuses startup parameters that it does not know.
 * `default_transaction_read_only` is respected: providers set it to protect a server whose disk is full.
 */

/** The settings that pg_dump sets, and others that change the result of a statement. */
const SETTINGS: Readonly<Record<string, string>> = {
  // Text of values.
  client_encoding: "UTF8",
  datestyle: "ISO, MDY",
  intervalstyle: "postgres",
  timezone: "UTC",
  timezone_abbreviations: "Default",
  extra_float_digits: "1",
  bytea_output: "hex",
  xmlbinary: "base64",
  xmloption: "content",
  lc_monetary: "C",
  lc_numeric: "C",
  lc_time: "C",
  // Meaning of statements.
  standard_conforming_strings: "on",
  backslash_quote: "safe_encoding",
  array_nulls: "on",
  transform_null_equals: "off",
  quote_all_identifiers: "off",
  gin_fuzzy_search_limit: "0",
  default_text_search_config: "pg_catalog.simple",
  row_security: "off", // an error instead of rows that are silently missing
  session_replication_role: "origin", // triggers and foreign keys hold
  check_function_bodies: "on",
  // Transactions and sessions.
  default_transaction_isolation: "read committed",
  default_transaction_deferrable: "off",
  exit_on_error: "off",
  idle_session_timeout: "0",
  transaction_timeout: "0",
};

/**
 * One query that sets them and `more`, and returns what the rest of the driver needs to know of the session. A setting that
 * the server does not have, or that has the value already, is left alone; some may be set by superusers only.
 */
export function sessionQuery(more: Readonly<Record<string, string>>, options: string | null): SessionQuery {
  // The search path is the operator's where the connection string names one; never the role's or the database's.
  const path: Record<string, string> = /search_path/i.test(options ?? "") ? {} : { search_path: "public" };
  const settings = { ...SETTINGS, ...path, ...more };
  return { text: TEXT, params: [Object.keys(settings), Object.values(settings)] };
}

interface SessionQuery {
  readonly text: string;
  readonly params: readonly (readonly string[])[];
}

// A commit that was answered must be on the disk; any stricter value stays.
const TEXT = `
  select pg_backend_pid() as pid, current_setting('transaction_read_only')::bool as read_only,
    pg_is_in_recovery() as standby,
    (select count(set_config(name, value, false)) from unnest($1::text[], $2::text[]) as setting (name, value)
      where current_setting(name, true) is distinct from value and current_setting(name, true) is not null) as set,
    case when current_setting('synchronous_commit') = 'off' then set_config('synchronous_commit', 'on', false) end as sync`;
