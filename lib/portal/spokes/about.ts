/** Renders the panel with a spoke's fields. */
import { type Markup, markup } from "#lib/http/page.ts";
import type { FieldWith } from "#lib/model/field.ts";
import { spokeFields } from "#lib/model/spoke.ts";
import type { Spoke } from "#lib/portal/components/api-types.ts";
import { createFieldRows } from "#lib/portal/components/model-fields.ts";
import * as ui from "#lib/portal/components/parts.ts";
import { describeContentMode } from "#lib/portal/spokes/course-settings.ts";

/** Fields that the panel "About" does not list automatically, because they are shown separately or elsewhere. */
const SHOWN_ELSEWHERE: readonly FieldWith<typeof spokeFields, "shown">[] = [
  ...["size", "imageDigest", "namespace", "id", "domain", "displayName", "federationId", "state"] as const,
  ...["stateReason", "health", "maintenance", "storagePercent", "contentMode"] as const,
];

export function aboutPanel(spoke: Spoke): Markup {
  const { imageDigest, readyAt, createdAt, namespace, id } = spoke;
  return ui.panel(
    "About",
    ui.definitionList(createFieldRows(spokeFields, spoke, [
      "slug",
      ["Size", ui.humanize(spoke.size)],
      "lmsVersion",
      "region",
      "adminEmail",
      "mail",
      spoke.from && ["Copy of", markup`<a href="/spokes/${spoke.from.spokeId}">${spoke.from.spokeId}</a>`],
      "brand",
      "seed",
      "identity",
      "content",
      spoke.content ? ["New versions of courses", describeContentMode(spoke.contentMode)] : null,
      ["Created", ui.renderTime(createdAt)],
      ["Image", imageDigest === null ? "not known yet" : markup`<code>${imageDigest}</code>`],
      ["Ready since", ui.renderTime(readyAt, "not yet")],
      ["Namespace", markup`<code>${namespace}</code>`],
      ["ID", markup`<code>${id}</code>`],
      spoke.formerDomains.length === 0 ? null : [
        "Former addresses",
        spoke.formerDomains.map(({ domain, until }) =>
          markup`<span>${domain}, until ${ui.renderTime(until)}</span><br>`
        ),
      ],
    ], SHOWN_ELSEWHERE)),
    { id: "about", live: true },
  );
}
