/**
 * Sets the session settings that the program relies on, regardless of the role's or database's defaults. A statement
 * applies the settings, because connection poolers refuse unknown startup parameters. `default_transaction_read_only`
 * is left unchanged, because providers use it to protect a server whose disk is full.
 */

/** Session settings that affect a statement's result, including all settings that pg_dump sets. */
const SETTINGS: Readonly<Record<string, string>> = {
  // Settings that define how values are written as text.
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
  // Settings that change what a statement means.
  standard_conforming_strings: "on",
  backslash_quote: "safe_encoding",
  array_nulls: "on",
  transform_null_equals: "off",
  quote_all_identifiers: "off",
  gin_fuzzy_search_limit: "0",
  default_text_search_config: "pg_catalog.simple",
  row_security: "off", // reports an error instead of silently hiding rows
  session_replication_role: "origin", // keeps triggers and foreign keys active
  check_function_bodies: "on",
  // Settings for transactions and sessions.
  default_transaction_isolation: "read committed",
  default_transaction_deferrable: "off",
  exit_on_error: "off",
  idle_session_timeout: "0",
  transaction_timeout: "0",
};

/**
 * Returns a query that applies SETTINGS and `more`, and reads the session's process ID and state. Skips settings that
 * the server does not know or that already have the right value, because only superusers may set some of them.
 */
export function buildSessionSetupQuery(more: Readonly<Record<string, string>>, options: string | null): SessionQuery {
  // Keeps the search path if the connection string sets one. Otherwise uses the schema `public`.
  const path: Record<string, string> = /search_path/i.test(options ?? "") ? {} : { search_path: "public" };
  const settings = { ...SETTINGS, ...path, ...more };
  return { text: TEXT, params: [Object.keys(settings), Object.values(settings)] };
}

interface SessionQuery {
  readonly text: string;
  readonly params: readonly (readonly string[])[];
}

// Ensures that a confirmed commit is on disk: changes `synchronous_commit` from `off` to `on`, but not other values.
const TEXT = `
  select pg_backend_pid() as pid, current_setting('transaction_read_only')::bool as read_only,
    pg_is_in_recovery() as standby,
    (select count(set_config(name, value, false)) from unnest($1::text[], $2::text[]) as setting (name, value)
      where current_setting(name, true) is distinct from value and current_setting(name, true) is not null) as set,
    case when current_setting('synchronous_commit') = 'off' then set_config('synchronous_commit', 'on', false) end as sync`;
