/**
 * Shows the progress of operations on standard error. On a terminal, each operation has one line, which is updated in
 * place. Without a terminal, each change is printed as a new line.
 */
import type { OperationDetail } from "#lib/client/client.ts";
import { describeOperationProgress, isOperationDone } from "./operation-views.ts";
import type { CliContext } from "./command.ts";
import { findStateStyle } from "./terminal.ts";
import { padToWidth, sanitizeLine, textWidth, truncateText } from "./text.ts";
import { formatClockDuration } from "./times.ts";
import { SECOND } from "#lib/base/time.ts";

export interface ProgressRow {
  readonly label: string;
  readonly operation: OperationDetail | null;
}

export interface ProgressDisplay {
  update(rows: readonly ProgressRow[]): void;
  /** Prints a permanent line above the progress lines. */
  print(text: string): void;
  /** Stops updating the display. The last progress lines stay on the terminal. */
  close(): void;
}

export function openProgressDisplay(cli: CliContext): ProgressDisplay {
  if (cli.quiet) return { update() {}, print() {}, close() {} };
  return cli.terminal.live ? openLiveDisplay(cli) : openLineDisplay();
}

/** Creates a display that prints a new line for each change in progress. */
function openLineDisplay(): ProgressDisplay {
  const last = new Map<string, string>(),
    write = (text: string) => void process.stderr.write(`${sanitizeLine(text)}\n`);
  return {
    update(rows) {
      for (const { label, operation } of rows) {
        if (!operation) continue;
        // Omits the estimated remaining time, which would cause a new line with every update.
        const text = `${label}: ${operation.kind} ${describeOperationProgress({ ...operation, etaSeconds: null })}`;
        if (last.get(label) !== text) write(text);
        last.set(label, text);
      }
    },
    print: write,
    close() {},
  };
}

/** The maximum number of steps for drawing a progress bar, which has one mark per step. */
const MAX_BAR_STEPS = 30;

const HIDE = "\x1b[?25l", SHOW = "\x1b[?25h", CLEAR_BELOW = "\x1b[J";

function openLiveDisplay({ terminal }: CliContext): ProgressDisplay {
  let rows: readonly ProgressRow[] = [], lines = 0;
  const { stderr } = process;
  const eraseLines = () => `${lines > 0 ? `\x1b[${lines}A` : ""}\r${CLEAR_BELOW}`;
  const draw = (before = "") => {
    const { columns, rows: height } = terminal.size();
    const texts = selectRows(rows, height - 1).map((row) =>
      typeof row === "string" ? truncateText(row, columns - 1) : lineOf(row, columns - 1)
    );
    stderr.write(HIDE + eraseLines() + before + texts.map((text) => `${text}\n`).join(""));
    lines = texts.length;
  };
  const lineOf = ({ label, operation }: ProgressRow, columns: number): string => {
    if (!operation) return truncateText(`  ${sanitizeLine(label)}`, columns);
    const mark = { succeeded: "✓", failed: "✗", cancelled: "✗", running: "●", queued: "○" }[operation.state] ?? "●";
    const widest = Math.max(...rows.map(({ label }) => textWidth(sanitizeLine(label))));
    const labelWidth = Math.min(widest, Math.max(8, Math.floor(columns / 3))),
      head = padToWidth(truncateText(sanitizeLine(label), labelWidth), labelWidth);
    const most = Math.max(...rows.map(({ operation }) => operation?.of ?? 0)),
      steps = most > MAX_BAR_STEPS ? "" : renderBar(operation);
    const time = isOperationDone(operation) || !operation.startedAt
      ? ""
      : `  ${formatClockDuration(Date.now() - Date.parse(operation.startedAt))}`;
    // Draws the progress bar only if more than 40 columns remain for the text.
    const bar = steps && columns - labelWidth - most > 40 ? `${padToWidth(steps, most)}  ` : "";
    const words = sanitizeLine(
      describeOperationProgress({
        ...operation,
        etaSeconds: operation.state === "queued" ? operation.etaSeconds : null,
      }),
    );
    const text = truncateText(words, columns - 2 - labelWidth - 2 - textWidth(bar) - textWidth(time));
    return `${terminal.paintErr(findStateStyle(operation.state), mark)} ${head}  ${
      terminal.paintErr("dim", bar)
    }${text}${terminal.paintErr("dim", time)}`;
  };
  const timer = setInterval(draw, SECOND);
  const showCursor = () => void stderr.write(SHOW); // restores the cursor, however the process ends
  process.once("exit", showCursor);
  return {
    update(next) {
      rows = next;
      draw();
    },
    print: (text) => draw(`${truncateText(sanitizeLine(text), terminal.size().columns - 1)}\n`),
    close() {
      clearInterval(timer);
      process.off("exit", showCursor);
      stderr.write(`\r${CLEAR_BELOW}${SHOW}`); // erases a ^C that the terminal echoed
    },
  };
}

/** Returns a progress bar with one mark per step: done, running or pending. */
function renderBar(operation: OperationDetail): string {
  const { step, of, state } = operation, now = !isOperationDone(operation) && step > 0 ? 1 : 0;
  const done = state === "succeeded" ? of : Math.max(0, step - 1);
  return "■".repeat(Math.min(done, of)) + "◧".repeat(now) + "□".repeat(Math.max(0, of - done - now));
}

/**
 * Returns the rows that fit into the given height, in their original order. If not all rows fit, running operations
 * take precedence, then failed, cancelled, queued and succeeded ones. A last line counts the hidden rows.
 */
function selectRows(rows: readonly ProgressRow[], height: number): readonly (ProgressRow | string)[] {
  if (rows.length <= height) return rows;
  const order = ["running", "failed", "cancelled", "queued", "succeeded"];
  const rankOf = ({ operation }: ProgressRow) => operation ? order.indexOf(operation.state) : order.length;
  const visible = new Set(
    [...rows].sort((one, other) => rankOf(one) - rankOf(other)).slice(0, Math.max(1, height - 1)),
  );
  const rest = rows.length - visible.size;
  const done = rows.filter(({ operation }) => operation && isOperationDone(operation)).length;
  return [...rows.filter((row) => visible.has(row)), `… and ${rest} more; ${done} of ${rows.length} finished`];
}
