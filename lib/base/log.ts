/**
 * Writes the log, one line per entry: as JSON for machines or as text for people. Callers must not log secrets. Error
 * messages and the field `reason` are redacted, because they may contain text from other programs. Each entry contains
 * the ID of the current request or job.
 */
import process from "node:process";
import { setImmediate } from "node:timers";
import { getCurrentContext } from "#lib/base/work-context.ts";
import { redactSecrets } from "#lib/base/redact.ts";
import { MINUTE } from "#lib/base/time.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
type Fields = Readonly<Record<string, unknown>>;

export interface Log {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  /** Returns a log that adds these fields to each entry. */
  with(fields: Fields): Log;
}

interface LogOptions {
  readonly level: LogLevel;
  readonly format: "json" | "pretty";
  /** Whether to use colours. Applies only to the text format. */
  readonly colours?: boolean;
  readonly write: (line: string) => void;
}

export function createLog(options: LogOptions, bound: Fields = {}): Log {
  const least = LOG_LEVELS.indexOf(options.level);
  const render = options.format === "json" ? renderJson : options.colours ? renderColoured : renderPlain;
  const entry = (level: LogLevel) => (message: string, fields: Fields = {}): void => {
    if (LOG_LEVELS.indexOf(level) >= least) {
      options.write(render(level, message, { ...contextFields(), ...bound, ...redactReason(fields) }));
    }
  };
  return {
    debug: entry("debug"),
    info: entry("info"),
    warn: entry("warn"),
    error: entry("error"),
    with: (fields) => createLog(options, { ...bound, ...fields }),
  };
}

/** Returns a function that logs a recurring problem: once a minute as a warning, otherwise at debug level. */
export function warnOncePerMinute(log: Log): Log["warn"] {
  let warnedAt = -Infinity;
  return (message, fields) => {
    const warnedRecently = performance.now() - warnedAt < MINUTE;
    if (!warnedRecently) warnedAt = performance.now();
    log[warnedRecently ? "debug" : "warn"](message, fields);
  };
}

/** Collects the lines written during one turn of the event loop into a single write. Flushes when the process exits. */
export function batchLogWrites(write: (text: string) => void): (line: string) => void {
  let pending = "";
  const flush = () => {
    const text = pending;
    pending = "";
    if (text !== "") write(text);
  };
  process.on("exit", flush);
  return (line) => {
    if (pending === "") setImmediate(flush);
    pending += line;
  };
}

export const SILENT_LOG: Log = createLog({ level: "error", format: "json", write: () => {} });

/** Redacts the field `reason`, because it may contain text from another program. */
function redactReason(fields: Fields): Fields {
  return typeof fields.reason === "string" ? { ...fields, reason: redactSecrets(fields.reason) } : fields;
}

/** Returns the IDs of the current request or job and of its trace. */
function contextFields(): Fields {
  const context = getCurrentContext();
  return context ? { ...context.logFields, traceId: context.span.traceId } : {};
}

function renderJson(level: LogLevel, message: string, fields: Fields): string {
  const entry: Record<string, unknown> = { time: new Date().toISOString(), level, message };
  for (const name in fields) entry[name] = toLoggable(fields[name]);
  return JSON.stringify(entry) + "\n";
}

const COLOURS: Record<LogLevel, string> = { debug: "\x1b[2m", info: "\x1b[32m", warn: "\x1b[33m", error: "\x1b[31m" };
const DIM = "\x1b[2m", RESET = "\x1b[0m";

function renderColoured(level: LogLevel, message: string, fields: Fields): string {
  const rest = renderFields(fields);
  return `${DIM}${timeOfDay()}${RESET} ${COLOURS[level]}${level.padEnd(5)}${RESET} ${message} ${DIM}${rest}${RESET}\n`;
}

function renderPlain(level: LogLevel, message: string, fields: Fields): string {
  return `${timeOfDay()} ${level.padEnd(5)} ${message} ${renderFields(fields)}`.trimEnd() + "\n";
}

function timeOfDay(): string {
  return new Date().toISOString().slice(11, 23);
}

function renderFields(fields: Fields): string {
  return Object.entries(fields).filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(toLoggable(value))}`).join(
      " ",
    );
}

function toLoggable(value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const code = (value as { code?: unknown }).code;
  const context = value.cause ? toLoggable(value.cause) : undefined;
  return {
    message: redactSecrets(value.message),
    code,
    stack: value.stack && redactSecrets(value.stack),
    cause: context,
  };
}
