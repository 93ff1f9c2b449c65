/** How far an operation is: in its spoke's row, and as the list of its steps. */
import { type Markup, markup } from "#lib/surface/http/page.ts";
import { icon } from "#lib/surface/portal/look/icons.ts";
import { instant, span, stateBadge, titled } from "#lib/surface/portal/look/parts.ts";
import type { Operation, WholeOperation } from "#lib/surface/portal/look/told.ts";

/** Whether it is still to come or under way. */
export function isLive(operation: Operation | null): operation is Operation {
  return operation !== null && (operation.state === "queued" || operation.state === "running");
}

/** A bar, and in words where it is, how long it may take, and what it waits for. */
export function progressOf(operation: Operation): Markup {
  const { kind, state, step, of, label } = operation;
  const done = state === "queued" ? 0 : step - (state === "running" ? 1 : 0);
  return markup`<div class="progress">
<progress max="${of}" value="${done}" aria-label="${
    titled(kind)
  }: ${done} of ${of} steps are done">${done} of ${of}</progress>
<p class="tiny soft">${state === "queued" ? waitOf(operation) : markup`Step ${step} of ${of}: ${label}`}${
    etaOf(operation)
  }</p></div>`;
}

function waitOf({ position, waitingFor, nextTryAt, label }: Operation): Markup {
  if (nextTryAt !== null) return markup`Tried again at ${instant(nextTryAt)}: ${label}`;
  const place = position === null || position === 1 ? "Next in turn" : `Number ${position} in the queue`;
  return waitingFor ? markup`${place}, after: ${waitingFor.label}` : markup`${place}`;
}

function etaOf({ etaSeconds }: Operation): string {
  return etaSeconds === null ? "" : ` · about ${span(etaSeconds)} left`;
}

/** Each step with its sign, and when it began and ended. */
export function stepList({ steps, step, state }: WholeOperation): Markup {
  return markup`<ol class="steps">${
    steps.map(({ name, label, startedAt, finishedAt }, i) => {
      const how = howIs(i + 1, step, state);
      const took = startedAt && finishedAt ? span((Date.parse(finishedAt) - Date.parse(startedAt)) / 1000) : "";
      return markup`<li id="step-${name}" class="${how}" ${how === "now" ? markup`aria-current="step"` : ""}>${
        icon(SIGNS[how])
      }<span>${label}<span class="unseen">: ${WORDS[how]}</span></span><span class="tiny soft number">${
        how === "now" && startedAt ? markup`since ${instant(startedAt)}` : took
      }</span></li>`;
    })
  }</ol>`;
}

type How = "done" | "now" | "failed" | "ahead";

const SIGNS = { done: "done", now: "work", failed: "cross", ahead: "wait" } as const;
const WORDS: Readonly<Record<How, string>> = { done: "done", now: "under way", failed: "failed", ahead: "to come" };

function howIs(number: number, at: number, state: Operation["state"]): How {
  if (state === "succeeded" || number < at || (state === "cancelled" && number <= at)) return "done";
  if (number > at || state === "queued" || state === "cancelled") return "ahead";
  return state === "failed" ? "failed" : "now";
}

/** An operation as the head of its panel says it. */
export function operationHead({ kind, state, attempt, createdAt, finishedAt }: Operation): Markup {
  return markup`<p class="small"><b>${titled(kind)}</b> ${stateBadge(state)} <span class="soft">asked for ${
    instant(createdAt)
  }${finishedAt ? markup`, ended ${instant(finishedAt)}` : ""}${attempt > 1 ? `, try ${attempt}` : ""}</span></p>`;
}

/** What a failure left behind: the cause, what to do, and the last words of what failed. */
export function failureReport({ error }: WholeOperation): Markup | string {
  if (!error) return "";
  const { message, hint, step, fault, log, events, code } = error;
  return markup`<div class="notice bad" role="alert"><p><b>${message}.</b></p>${hint ? markup`<p>${hint}</p>` : ""}
<p class="tiny soft">At the step ${step} · ${WHOSE[fault]} · <code>${code}</code></p></div>
${
    log.length === 0
      ? ""
      : markup`<details id="failure-log"><summary>Last lines of its log</summary><pre class="log" tabindex="0">${
        log.join("\n")
      }</pre></details>`
  }${
    events.length === 0
      ? ""
      : markup`<details id="failure-events"><summary>What the cluster said</summary><ul class="events small">${
        events.map(({ at, object, reason, message, count }) =>
          markup`<li>${instant(at)} <code>${object}</code> <b>${reason}</b>${
            count > 1 ? ` (${count} times)` : ""
          }: ${message}</li>`
        )
      }</ul></details>`
  }`;
}

const WHOSE = {
  user: "something in what was asked for",
  operator: "something in how this service is set up",
  cluster: "the cluster's doing",
} as const;

export const progressStyle: string = `
.steps { list-style: none; padding: 0; display: grid; gap: 2px; font-size: var(--small); }
.steps li { display: grid; grid-template-columns: auto minmax(0, 1fr) auto; gap: var(--s3); align-items: center; min-height: 1.9rem; color: var(--ink-soft); }
.steps .done .icon { color: var(--good); } .steps .failed .icon { color: var(--bad); } .steps .now .icon { color: var(--info); }
.steps .now, .steps .failed { color: var(--ink); font-weight: 600; }
.events { display: grid; gap: var(--s2); padding-inline-start: 1.2rem; overflow-wrap: anywhere; }
details > summary { cursor: pointer; font-size: var(--small); font-weight: 600; }
details > pre, details > ul { margin-top: var(--s2); }
@media (prefers-reduced-motion: no-preference) { .steps .now .icon { animation: turn 1.6s linear infinite; } }
`;
