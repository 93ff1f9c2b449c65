/** Detects the terminal's width, and whether it supports colours and overwriting lines. */
import { type ProcessVariables, shouldUseColours } from "#lib/base/environment.ts";

export interface Terminal {
  /** Whether standard output (`out`), standard error (`err`) and standard input (`in`) are terminals. */
  readonly out: boolean;
  readonly err: boolean;
  readonly in: boolean;
  /** The width of standard output in columns. Infinity if standard output is not a terminal. */
  readonly width: number;
  /** Returns the current size of the terminal on standard error, which changes when the user resizes the window. */
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** Whether lines printed to standard error can be overwritten. */
  readonly live: boolean;
  /** Colours text for standard output (`paint`) or standard error (`paintErr`) if the stream supports colours. */
  readonly paint: Paint;
  readonly paintErr: Paint;
}

export type TextStyle = "red" | "green" | "yellow" | "dim" | "bold" | "none";
type Paint = (tone: TextStyle, text: string) => string;

const CODES: Readonly<Record<Exclude<TextStyle, "none">, string>> = {
  red: "31",
  green: "32",
  yellow: "33",
  dim: "2",
  bold: "1",
};

export function detectTerminal(env: ProcessVariables): Terminal {
  const { stdin, stdout, stderr } = process;
  const out = stdout.isTTY === true, err = stderr.isTTY === true;
  return {
    out,
    err,
    in: stdin.isTTY === true,
    width: out ? stdout.columns || 80 : Infinity,
    size: () => ({ columns: stderr.columns || 80, rows: stderr.rows || 24 }),
    live: err && env.TERM !== "dumb",
    paint: painter(shouldUseColours({ env, terminal: out })),
    paintErr: painter(shouldUseColours({ env, terminal: err })),
  };
}

function painter(colours: boolean): Paint {
  return (tone, text) => colours && tone !== "none" && text ? `\x1b[${CODES[tone]}m${text}\x1b[0m` : text;
}

/** Returns the text style in which a state is shown. */
export function findStateStyle(state: string): TextStyle {
  if (["active", "succeeded", "healthy", "approved", "ready", "added"].includes(state)) return "green";
  if (["failed", "degraded", "rejected", "refused", "disabled"].includes(state)) return "red";
  return ["-", "", "removed", "cancelled", "withdrawn", "unknown", "suspended"].includes(state) ? "dim" : "yellow";
}
