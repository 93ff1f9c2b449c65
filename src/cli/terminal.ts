/** What the terminal can show: its width, colours, marks, and whether lines can be written over. */
import { type ProcessVariables, shouldUseColours } from "#lib/base/environment.ts";

export interface Terminal {
  /** Whether a person reads what is printed, sees what is told, and can type. */
  readonly out: boolean;
  readonly err: boolean;
  readonly in: boolean;
  /** Columns of what is printed; endless where no terminal is. */
  readonly width: number;
  /** The same of what is told, as it is now: a window changes. */
  readonly room: () => { readonly columns: number; readonly rows: number };
  /** Whether what is told can be written over. */
  readonly live: boolean;
  /** In this colour, where there are colours. */
  readonly paint: Paint;
  readonly paintErr: Paint;
}

export type Ink = "red" | "green" | "yellow" | "dim" | "bold" | "none";
type Paint = (tone: Ink, text: string) => string;

const CODES: Readonly<Record<Exclude<Ink, "none">, string>> = {
  red: "31",
  green: "32",
  yellow: "33",
  dim: "2",
  bold: "1",
};

export function findTerminal(env: ProcessVariables): Terminal {
  const { stdin, stdout, stderr } = process;
  const out = stdout.isTTY === true, err = stderr.isTTY === true;
  return {
    out,
    err,
    in: stdin.isTTY === true,
    width: out ? stdout.columns || 80 : Infinity,
    room: () => ({ columns: stderr.columns || 80, rows: stderr.rows || 24 }),
    live: err && env.TERM !== "dumb",
    paint: painter(shouldUseColours({ env, terminal: out })),
    paintErr: painter(shouldUseColours({ env, terminal: err })),
  };
}

function painter(colours: boolean): Paint {
  return (tone, text) => colours && tone !== "none" && text ? `\x1b[${CODES[tone]}m${text}\x1b[0m` : text;
}

/** The colour in which a state is shown. */
export function toneOf(state: string): Ink {
  if (["active", "succeeded", "healthy", "approved", "ready", "added"].includes(state)) return "green";
  if (["failed", "degraded", "rejected", "refused", "disabled"].includes(state)) return "red";
  return ["-", "", "removed", "cancelled", "withdrawn", "unknown", "suspended"].includes(state) ? "dim" : "yellow";
}
