/**
 * The log: one line an entry, JSON for machines or text for people, coloured where that shows.
 *
 * Entries are a sentence and fields. Secrets are kept out at the source: nothing that holds one is ever passed in.
 * An Error among the fields is written with its stack and its causes; its words may be somebody else's, and are cleared of
 * secrets, as is a reason. Each entry has the ids of what it is written for.
 */
import process from "node:process";
import { setImmediate } from "node:timers";
import { currentContext } from "#lib/base/work-context.ts";
import { redact } from "#lib/base/redact.ts";
import { MINUTE } from "#lib/base/time.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
type Fields = Readonly<Record<string, unknown>>;

export interface Log {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  /** The same log, whose every entry carries these fields too. */
  with(fields: Fields): Log;
}

interface LogOptions {
  readonly level: LogLevel;
  readonly format: "json" | "pretty";
  /** For text alone; none when absent. */
  readonly colours?: boolean;
  readonly write: (line: string) => void;
}

export function openLog(options: LogOptions, bound: Fields = {}): Log {
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
    with: (fields) => openLog(options, { ...bound, ...fields }),
  };
}

/**
 * What warns of a trouble that lasts: once a minute, and in between for those who debug. In an outage some questions are
 * answered and others not, each with words of its own: neither an answer nor other words make it another outage.
 */
export function warnOncePerMinute(log: Log): Log["warn"] {
  let warnedAt = -Infinity;
  return (message, fields) => {
    const warnedRecently = performance.now() - warnedAt < MINUTE;
    if (!warnedRecently) warnedAt = performance.now();
    log[warnedRecently ? "debug" : "warn"](message, fields);
  };
}

/**
 * Lines that come in one turn of the event loop are written at once: each write costs as much as many lines. What is held
 * when the process ends by itself is written then.
 */
export function batchWrites(write: (text: string) => void): (line: string) => void {
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

/** A log that says nothing, for tests. */
export const silentLog: Log = openLog({ level: "error", format: "json", write: () => {} });

/** A reason in words is as often somebody else's as an Error's are. */
function redactReason(fields: Fields): Fields {
  return typeof fields.reason === "string" ? { ...fields, reason: redact(fields.reason) } : fields;
}

/** Of the request or the job that is under way, and of the trace that it is part of. */
function contextFields(): Fields {
  const cause = currentContext();
  return cause ? { ...cause.logFields, traceId: cause.span.traceId } : {};
}

function renderJson(level: LogLevel, message: string, fields: Fields): string {
  const plain = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, toLoggable(value)]));
  return JSON.stringify({ time: new Date().toISOString(), level, message, ...plain }) + "\n";
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
  const cause = value.cause ? toLoggable(value.cause) : undefined;
  return { message: redact(value.message), code, stack: value.stack && redact(value.stack), cause };
}
