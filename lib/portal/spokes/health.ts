/** Renders the health of a spoke, and its differences from the blueprint and from the catalog. */
import { isCorrectable } from "#lib/domains/spokes/drift.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import type { Spoke, SpokeAvailabilityMonths } from "#lib/portal/components/api-types.ts";
import { removeTierMark } from "#lib/moodle/tier-marks.ts";
import * as ui from "#lib/portal/components/parts.ts";
import type { SpokePageData } from "#lib/portal/spokes/spoke-page.ts";

export function healthPanel(
  { spoke: { id, state, health, stateReason, drift, observedAt }, isOperator }: SpokePageData,
  { problem: pageProblem, certificateEndsAt }: SpokeAvailabilityMonths,
): Markup {
  const healthText = state !== "active"
    ? stateReason ?? "Health is checked only while the spoke is active."
    : health === "healthy"
    ? "Healthy."
    : health === "degraded"
    ? stateReason ?? (pageProblem === null ? "Some parts of the site do not respond." : `${pageProblem}.`)
    : observedAt === null
    ? "Not checked yet."
    : "The cluster does not respond.";
  const reapply = drift && isCorrectable(drift) && isOperator && (state === "active" || state === "suspended")
    ? ui.linkButton(["Reapply …", `/spokes/${id}/actions/reapply`])
    : "";
  return ui.panel(
    "Health and drift",
    markup`<p class="small">${healthText} <span class="soft">Last checked ${
      ui.renderTime(observedAt, "never")
    }.</span>${
      certificateEndsAt
        ? markup` <span class="soft">The certificate ends on ${ui.renderTime(certificateEndsAt)}.</span>`
        : ""
    }</p>
${drift ? driftReport(drift, isOperator) : markup`<p class="small soft">No drift.</p>`}`,
    { id: "health", live: true, actions: reapply },
  );
}

function driftReport({ objects, revision, addons = [] }: NonNullable<Spoke["drift"]>, isOperator: boolean): Markup {
  return markup`${
    objects.length === 0
      ? ""
      : markup`<div class="callout warn"><p><b>Objects in the cluster were changed outside of Wheelwright.</b> ${
        isOperator
          ? "The action Reapply reverts these changes. Its preview lists each field."
          : "An operator can revert these changes."
      }</p></div>
<ul class="drift small">${
        objects.map(({ object, what, fields }) =>
          markup`<li><code>${object}</code> ${what === "missing" ? "is missing" : "was changed"}${
            fields.length === 0 ? "" : markup`<ul>${fields.map((name) => markup`<li><code>${name}</code></li>`)}</ul>`
          }</li>`
        )
      }</ul>`
  }${
    revision && revision.from !== removeTierMark(revision.from)
      ? markup`<p class="small soft">The site does not have what its hub's tier sets now.</p>`
      : ""
  }${
    revision && removeTierMark(revision.from) !== revision.to
      ? markup`<p class="small soft">Rendered from blueprint revision <code>${
        removeTierMark(revision.from)
      }</code>. The current revision is <code>${revision.to}</code>.</p>`
      : ""
  }${
    addons.length === 0
      ? ""
      : markup`<p class="small soft">Add-ons that the catalog does not list: <code>${addons.join(", ")}</code>.</p>`
  }`;
}
