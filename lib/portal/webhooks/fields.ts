/** Renders the form fields of a webhook, and reads them from a submitted form. */
import { type Markup, markup } from "#lib/http/page.ts";
import type { FormContent, RefusedSubmission } from "#lib/portal/components/forms.ts";
import { HUB_STATES, ROLLOUT_STATES, SPOKE_STATES, streamEventType } from "#lib/model/states.ts";
import { humanize } from "#lib/portal/components/parts.ts";

type FormValues = Readonly<Record<string, string>>;

export const WEBHOOK_FIELDS = ["url", "description"] as const;

const TYPE_FIELD = /^type-(\w+)$/;

/** The event types by subject, with the state that each one reports. */
const GROUPS = [
  ["Spokes", SPOKE_STATES.map((state) => [streamEventType("Spoke", state), state] as const)],
  ["Hub", HUB_STATES.map((state) => [streamEventType("Federation", state), state] as const)],
  ["Rollouts", ROLLOUT_STATES.map((state) => [streamEventType("Rollout", state), state] as const)],
] as const;

/** Returns the fields, with the values of a webhook or of a refused submission. */
export function webhookFields(values: FormValues, submission?: RefusedSubmission): readonly FormContent[] {
  const typed = submission?.values ?? values;
  return [
    {
      ...{ name: "url", label: "URL", required: true, maxLength: 2000, value: values.url },
      placeholder: "https://hooks.example.org/wheelwright",
      hint: "A public https address. Redirects are not followed.",
    },
    {
      ...{ name: "description", label: "Description", maxLength: 200, value: values.description },
      hint: "A note for people, for example the program that receives the events.",
    },
    markup`<fieldset class="scopes"><legend>Events</legend>
<p class="hint">If you select none, all events are sent.</p>${
      GROUPS.map((group) => eventGroup(group, typed))
    }</fieldset>`,
  ];
}

function eventGroup([title, types]: (typeof GROUPS)[number], values: FormValues): Markup {
  return markup`<div class="event-group" role="group" aria-label="${title}"><p class="small">${title}</p>
<div class="event-choices">${
    types.map(([type, state]) =>
      markup`<div class="field tick"><input type="checkbox" id="type-${type}" name="type-${type}" value="on" autocomplete="off" ${
        values[`type-${type}`] === "on" ? markup`checked` : ""
      }><label for="type-${type}">${humanize(state)}</label></div>`
    )
  }</div></div>`;
}

/** Returns the values with which the form shows a webhook. */
export function toWebhookValues(
  { url, description, eventTypes }: {
    readonly url: string;
    readonly description: string;
    readonly eventTypes: readonly string[];
  },
): FormValues {
  return { url, description, ...Object.fromEntries(eventTypes.map((type) => [`type-${type}`, "on"])) };
}

/** Returns the request body for a submitted form. */
export function parseWebhookForm({ url = "", description = "", ...rest }: FormValues): {
  readonly url: string;
  readonly description: string;
  readonly eventTypes: readonly string[];
} {
  const eventTypes = Object.keys(rest).flatMap((name) => TYPE_FIELD.exec(name)?.[1] ?? []);
  return { url: url.trim(), description: description.trim(), eventTypes };
}
