/** Renders an operation's progress as a bar or as a list of steps. */
import { type Markup, markup } from "#lib/http/page.ts";
import { icon } from "#lib/portal/components/icons.ts";
import { formatDuration, humanize, renderTime } from "#lib/portal/components/parts.ts";
import type { Operation, OperationDetails } from "#lib/portal/components/api-types.ts";

export const OPERATIONS_PER_PAGE = 25;

export function isUnfinishedOperation(operation: Operation | null): operation is Operation {
  return operation !== null && (operation.state === "queued" || operation.state === "running");
}

/** Returns a progress bar with the operation's current step, its remaining time and the reason for any wait. */
export function progressBar(operation: Operation): Markup {
  const { kind, state, step, of, label } = operation;
  const done = state === "queued" ? 0 : step - (state === "running" ? 1 : 0);
  return markup`<div class="progress">
<progress max="${of}" value="${done}" aria-label="${
    humanize(kind)
  }: ${done} of ${of} steps done">${done} of ${of}</progress>
<p class="tiny soft">${state === "queued" ? waitText(operation) : markup`Step ${step} of ${of}: ${label}`}${
    etaText(operation)
  }</p></div>`;
}

function waitText({ position, waitingFor, nextAttemptAt, label }: Operation): Markup {
  if (nextAttemptAt !== null) return markup`Next attempt at ${renderTime(nextAttemptAt)}: ${label}`;
  const queueText = position === null || position === 1 ? "Next in the queue" : `Position ${position} in the queue`;
  return waitingFor ? markup`${queueText}, after: ${waitingFor.label}` : markup`${queueText}`;
}

function etaText({ etaSeconds }: Operation): string {
  return etaSeconds === null ? "" : ` · about ${formatDuration(etaSeconds)} left`;
}

/** Renders an operation's steps with durations and, after a failure, the reason. A script updates running times. */
export function stepList(operation: OperationDetails, now: Date): Markup {
  return markup`<ol class="steps">${
    operation.steps.map((step, i) => {
      const status = stepStatus(operation, step, i + 1);
      return markup`<li id="step-${step.name}" class="${status}" ${
        status === "now" ? markup`aria-current="step"` : ""
      }>${icon(SIGNS[status])}<span>${step.label}<span class="visually-hidden">: ${
        WORDS[status]
      }</span></span> <span class="took">${
        status === "now" && step.startedAt
          ? runningTime(step.startedAt, now)
          : elapsedTime(step.startedAt, status === "failed" ? operation.finishedAt : step.finishedAt)
      }</span>${
        status === "failed" || status === "again" ? markup`<div class="why">${failureReport(operation)}</div>` : ""
      }</li>`;
    })
  }</ol>`;
}

type StepStatus = "done" | "now" | "failed" | "again" | "ahead";

const SIGNS = { done: "done", now: "work", failed: "cross", again: "warning", ahead: "dot" } as const;
const WORDS: Readonly<Record<StepStatus, string>> = {
  done: "done",
  now: "running",
  failed: "failed",
  again: "waiting to retry",
  ahead: "not started",
};

function stepStatus(
  { state, step: at, error }: OperationDetails,
  { name, finishedAt }: Step,
  number: number,
): StepStatus {
  if (state === "failed" && (error ? name === error.step : number === at)) return "failed";
  if (state === "cancelled" && number >= at) return "ahead";
  if (state === "succeeded" || finishedAt !== null || number < at) return "done";
  if (state === "queued" && error?.step === name) return "again";
  return state === "running" && number === at ? "now" : "ahead";
}

type Step = OperationDetails["steps"][number];

/** Renders the time since a step or an operation started. The portal's script updates the time every second. */
function runningTime(since: string, now: Date): Markup {
  const seconds = Math.max(0, Math.floor((now.getTime() - Date.parse(since)) / 1000));
  return markup`<span data-counts="${seconds}">${formatSeconds(seconds)}</span>`;
}

function elapsedTime(from: string | null, to: string | null): string {
  return from && to ? formatSeconds(Math.floor((Date.parse(to) - Date.parse(from)) / 1000)) : "";
}

/** Formats a duration in whole seconds: `4 min 05 s`. The portal's script uses the same format. */
function formatSeconds(seconds: number): string {
  const two = (number: number) => String(number).padStart(2, "0"), minutes = Math.floor(seconds / 60);
  if (seconds < 1) return "under 1 s";
  if (seconds < 60) return `${seconds} s`;
  return minutes < 60
    ? `${minutes} min ${two(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
}

/** Renders one line: how long an operation took, when it was requested and finished, and the number of attempts. */
export function operationSummary({ state, attempt, createdAt, startedAt, finishedAt }: Operation, now: Date): Markup {
  const took = startedAt && (finishedAt ? elapsedTime(startedAt, finishedAt) : runningTime(startedAt, now));
  return markup`<p class="small soft">${
    state === "queued" || !took ? "" : markup`<span class="number">${finishedAt ? "Took " : ""}${took}</span> · `
  }requested ${renderTime(createdAt)}${finishedAt ? markup` · finished ${renderTime(finishedAt)}` : ""}${
    attempt > 1 ? ` · attempt ${attempt}` : ""
  }</p>`;
}

/** Renders why an operation failed and what the user can do, with the last log lines and cluster events. */
export function failureReport({ state, error }: OperationDetails): Markup | string {
  if (!error) return "";
  const { message, hint, fault, log, events, code } = error;
  const [cause, ...more] = `${message}.`.split(/(?<=\.) (?=[A-Z])/);
  return markup`<div class="callout ${state === "failed" ? "bad" : "warn"}"><p><b>${cause}</b> ${more.join(" ")}</p>${
    hint ? markup`<p>${hint}</p>` : ""
  }
<p class="tiny soft">${FAULT_SENTENCES[fault]} (<code>${code}</code>)</p></div>
${
    log.length === 0
      ? ""
      : markup`<details id="failure-log" open><summary>Last log lines</summary><pre class="log" tabindex="0">${
        log.join("\n")
      }</pre></details>`
  }${
    events.length === 0
      ? ""
      : markup`<details id="failure-events"><summary>Cluster events</summary><ul class="events small">${
        events.map(({ at, object, reason, message, count }) =>
          markup`<li>${renderTime(at)} <code>${object}</code> <b>${reason}</b>${
            count > 1 ? ` (${count} times)` : ""
          }: ${message}</li>`
        )
      }</ul></details>`
  }`;
}

/** Renders the notes of an operation, for example about skipped steps. Omits notes that the error repeats. */
export function operationNotes({ notes, error }: Pick<OperationDetails, "notes" | "error">): Markup | string {
  const otherNotes = notes.filter((note) => !error?.message.includes(note));
  return otherNotes.length === 0
    ? ""
    : markup`<div class="callout warn"><ul class="notes small">${
      otherNotes.map((note) => markup`<li>${note}.</li>`)
    }</ul></div>`;
}

const FAULT_SENTENCES = {
  user: "This failure was caused by the requested change.",
  operator: "This failure was caused by the configuration of this service.",
  cluster: "This failure was caused by a problem in the cluster.",
} as const;
