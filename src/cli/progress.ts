/**
 * Shows the progress of operations on standard error. On a terminal, each operation has a line that is overwritten.
 * Otherwise each change is printed as a new line.
 */
import type { OperationDetail } from "#lib/client/client.ts";
import { isDone, operationProgress } from "./operation-views.ts";
import type { Cli } from "./verb-declaration.ts";
import { toneOf } from "./terminal.ts";
import { cut, padTo, plain, widthOf } from "./text.ts";
import { lasting } from "./times.ts";
import { SECOND } from "#lib/base/time.ts";

export interface ProgressRow {
  readonly label: string;
  readonly seen: OperationDetail | null;
}

export interface Display {
  show(rows: readonly ProgressRow[]): void;
  /** Prints a line above the progress lines. */
  say(text: string): void;
  /** Stops updating. The last lines stay on the terminal. */
  close(): void;
}

export function openDisplay(cli: Cli): Display {
  if (cli.quiet) return { show() {}, say() {}, close() {} };
  return cli.terminal.live ? openLive(cli) : openPlain();
}

/** Creates a display that prints a line for each change. */
function openPlain(): Display {
  const last = new Map<string, string>(), write = (text: string) => void process.stderr.write(`${plain(text)}\n`);
  return {
    show(rows) {
      for (const { label, seen } of rows) {
        if (!seen) continue;
        // The estimate of the remaining time changes constantly, so it is left out.
        const text = `${label}: ${seen.kind} ${operationProgress({ ...seen, etaSeconds: null })}`;
        if (last.get(label) !== text) write(text);
        last.set(label, text);
      }
    },
    say: write,
    close() {},
  };
}

/** The most steps that are drawn as a bar with one mark per step. */
const MOST_STEPS = 30;

const HIDE = "\x1b[?25l", SHOW = "\x1b[?25h", CLEAR_BELOW = "\x1b[J";

function openLive({ terminal }: Cli): Display {
  let rows: readonly ProgressRow[] = [], lines = 0;
  const { stderr } = process;
  const back = () => `${lines > 0 ? `\x1b[${lines}A` : ""}\r${CLEAR_BELOW}`;
  const draw = (before = "") => {
    const { columns, rows: height } = terminal.room();
    const texts = linesFor(rows, height - 1).map((row) =>
      typeof row === "string" ? cut(row, columns - 1) : lineOf(row, columns - 1)
    );
    stderr.write(HIDE + back() + before + texts.map((text) => `${text}\n`).join(""));
    lines = texts.length;
  };
  const lineOf = ({ label, seen }: ProgressRow, columns: number): string => {
    if (!seen) return cut(`  ${plain(label)}`, columns);
    const mark = { succeeded: "✓", failed: "✗", cancelled: "✗", running: "●", queued: "○" }[seen.state] ?? "●";
    const widest = Math.max(...rows.map(({ label }) => widthOf(plain(label))));
    const room = Math.min(widest, Math.max(8, Math.floor(columns / 3))), head = padTo(cut(plain(label), room), room);
    const most = Math.max(...rows.map(({ seen }) => seen?.of ?? 0)), steps = most > MOST_STEPS ? "" : stepsOf(seen);
    const time = isDone(seen) || !seen.startedAt ? "" : `  ${lasting(Date.now() - Date.parse(seen.startedAt))}`;
    // The bar is drawn only if more than 40 columns remain for the text.
    const bar = steps && columns - room - most > 40 ? `${padTo(steps, most)}  ` : "";
    const words = plain(operationProgress({ ...seen, etaSeconds: seen.state === "queued" ? seen.etaSeconds : null }));
    const text = cut(words, columns - 2 - room - 2 - widthOf(bar) - widthOf(time));
    return `${terminal.paintErr(toneOf(seen.state), mark)} ${head}  ${terminal.paintErr("dim", bar)}${text}${
      terminal.paintErr("dim", time)
    }`;
  };
  const timer = setInterval(draw, SECOND);
  const shown = () => void stderr.write(SHOW); // restores the cursor, however the process ends
  process.once("exit", shown);
  return {
    show(next) {
      rows = next;
      draw();
    },
    say: (text) => draw(`${cut(plain(text), terminal.room().columns - 1)}\n`),
    close() {
      clearInterval(timer);
      process.off("exit", shown);
      stderr.write(`\r${CLEAR_BELOW}${SHOW}`); // erases a ^C that the terminal echoed
    },
  };
}

/** Returns a bar with a mark for each step: done, running or pending. */
function stepsOf({ step, of, state }: OperationDetail): string {
  const done = state === "succeeded" ? of : Math.max(0, step - 1), now = isUnderWay(state) && step > 0 ? 1 : 0;
  return "■".repeat(Math.min(done, of)) + "◧".repeat(now) + "□".repeat(Math.max(0, of - done - now));
}

function isUnderWay(state: OperationDetail["state"]): boolean {
  return state === "running" || state === "queued";
}

/**
 * Returns the rows that fit the height, in their order. Running operations take precedence, then failed, cancelled,
 * queued and succeeded ones. A last line counts the hidden rows.
 */
function linesFor(rows: readonly ProgressRow[], height: number): readonly (ProgressRow | string)[] {
  if (rows.length <= height) return rows;
  const order = ["running", "failed", "cancelled", "queued", "succeeded"];
  const place = ({ seen }: ProgressRow) => seen ? order.indexOf(seen.state) : order.length;
  const shown = new Set([...rows].sort((one, other) => place(one) - place(other)).slice(0, Math.max(1, height - 1)));
  const rest = rows.length - shown.size;
  const done = rows.filter(({ seen }) => seen && isDone(seen)).length;
  return [...rows.filter((row) => shown.has(row)), `… and ${rest} more; ${done} of ${rows.length} are over`];
}
