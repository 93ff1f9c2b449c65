/** Lists libpq's connection parameters with the values that Wheelwright supports. */

interface Keyword {
  /** The environment variable from which libpq reads the parameter's default. */
  readonly variable?: string;
  /** The supported values. Absent if any value is supported; empty if the parameter is not supported. */
  readonly values?: readonly string[] | RegExp;
}

const TLS_VERSIONS = ["TLSv1.2", "TLSv1.3"], UNSUPPORTED: readonly string[] = [];

export const CONNECTION_KEYWORDS: Readonly<Record<string, Keyword>> = {
  host: { variable: "PGHOST" },
  port: { variable: "PGPORT", values: /^\d{0,5}(?:,\d{0,5})*$/ },
  dbname: { variable: "PGDATABASE" },
  user: { variable: "PGUSER" },
  password: { variable: "PGPASSWORD" },
  passfile: { variable: "PGPASSFILE" },
  application_name: { variable: "PGAPPNAME" },
  fallback_application_name: {},
  options: { variable: "PGOPTIONS" },
  connect_timeout: { variable: "PGCONNECT_TIMEOUT", values: /^\d{1,6}$/ },
  target_session_attrs: { variable: "PGTARGETSESSIONATTRS", values: ["any", "read-write", "primary"] },
  sslmode: {
    variable: "PGSSLMODE",
    values: ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"],
  },
  sslnegotiation: { variable: "PGSSLNEGOTIATION", values: ["postgres", "direct"] },
  sslrootcert: { variable: "PGSSLROOTCERT" },
  sslcert: { variable: "PGSSLCERT" },
  sslkey: { variable: "PGSSLKEY" },
  sslpassword: {},
  sslsni: { variable: "PGSSLSNI", values: ["0", "1"] },
  ssl_min_protocol_version: { variable: "PGSSLMINPROTOCOLVERSION", values: TLS_VERSIONS },
  ssl_max_protocol_version: { variable: "PGSSLMAXPROTOCOLVERSION", values: TLS_VERSIONS },

  // For these parameters, Wheelwright supports only a few values.
  client_encoding: { variable: "PGCLIENTENCODING", values: /^(?:utf-?8|unicode|auto)$/i },
  channel_binding: { variable: "PGCHANNELBINDING", values: ["disable", "prefer"] },
  gssencmode: { variable: "PGGSSENCMODE", values: ["disable", "prefer"] },
  sslcompression: { variable: "PGSSLCOMPRESSION", values: ["0"] },
  sslcertmode: { variable: "PGSSLCERTMODE", values: ["allow"] },
  load_balance_hosts: { variable: "PGLOADBALANCEHOSTS", values: ["disable"] },
  keepalives: { values: ["1"] },
  replication: { values: ["false", "off", "no", "0"] },

  hostaddr: { variable: "PGHOSTADDR", values: UNSUPPORTED },
  service: { variable: "PGSERVICE", values: UNSUPPORTED },
  requirepeer: { variable: "PGREQUIREPEER", values: UNSUPPORTED },
  require_auth: { variable: "PGREQUIREAUTH", values: UNSUPPORTED },
  requiressl: { variable: "PGREQUIRESSL", values: UNSUPPORTED },
  sslcrl: { variable: "PGSSLCRL", values: UNSUPPORTED },
  sslcrldir: { variable: "PGSSLCRLDIR", values: UNSUPPORTED },
};

/** Returns null if the value is valid, otherwise a phrase about the problem that does not quote the value. */
export function checkConnectionKeyword(keyword: string, value: string): string | null {
  const definition = Object.hasOwn(CONNECTION_KEYWORDS, keyword) ? CONNECTION_KEYWORDS[keyword]! : null;
  if (definition === null || definition.values === UNSUPPORTED) {
    const hint = definition === null && /^[a-z_]+$/.test(keyword)
      ? `; write a server setting as options=-c ${keyword}=…`
      : "";
    return `has the unsupported parameter ${JSON.stringify(keyword)}${hint}`;
  }
  const { values } = definition;
  if (values === undefined) return null;
  if (values instanceof RegExp) return values.test(value) ? null : `has an invalid value of ${keyword}`;
  return values.includes(value) ? null : `has an unsupported value of ${keyword}: use ${values.join(" or ")}`;
}
