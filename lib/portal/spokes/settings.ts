/** What of a spoke can be changed, with what a change would come to while one types. */
import { markup } from "#lib/http/page.ts";
import { choice, field, formOf, type Tried } from "#lib/portal/components/forms.ts";
import { panel } from "#lib/portal/components/parts.ts";
import type { Foreseen, Offers } from "#lib/portal/components/told.ts";
import type { View } from "#lib/portal/components/view.ts";
import { type Was, wasOf } from "#lib/portal/page/changed.ts";
import { refusalWords } from "#lib/portal/hubs/foreseen.ts";
import { offered } from "#lib/portal/hubs/offered.ts";
import { foreseenParts, foreseenStyle, foreseenWords } from "#lib/portal/spokes/foreseen.ts";
import { spokeHead, type SpokePlace } from "#lib/portal/spokes/place.ts";

/** None of these can be taken away. */
export const SPOKE_CHANGEABLE = ["displayName", "adminEmail", "brand", "domain", "mail"] as const;
type Changeable = (typeof SPOKE_CHANGEABLE)[number];
export type SpokeFields = Readonly<Record<Changeable | Was<Changeable>, string>>;

export interface SettingsShown {
  readonly place: SpokePlace;
  readonly offers: Offers;
  /** What is typed; absent before anything was. */
  readonly typed?: SpokeFields | undefined;
  /** Null where nothing is changed, or it is refused. */
  readonly foreseen: Foreseen | null;
  readonly tried?: Tried | undefined;
  /** Whether it was to be saved, and not only shown. */
  readonly saved: boolean;
}

export function settingsView({ place, offers, typed, foreseen, tried, saved }: SettingsShown): View {
  const { spoke } = place, { displayName, adminEmail, brand, domain, mail } = typed ?? spoke;
  return {
    ...spokeHead(place, "/settings"),
    style: foreseenStyle,
    body: markup`<div class="asking" id="asking">${
      panel(
        "Settings",
        formOf(
          {
            action: `/spokes/${spoke.id}/settings`,
            button: "Save",
            tried,
            saidBeside: !saved,
            also:
              markup`<noscript><button class="quiet" name="preview" value="yes">Show what would change</button></noscript>`,
            previews: "asking",
            hidden: wasOf(SPOKE_CHANGEABLE, spoke, typed),
          },
          field({
            name: "displayName",
            label: "Name",
            hint: "The full name of the site, as its visitors read it.",
            value: displayName,
            required: true,
            tried,
            most: 200,
          }),
          field({
            name: "adminEmail",
            label: "Administrator's address",
            hint: "The site writes to it.",
            type: "email",
            value: adminEmail,
            required: true,
            tried,
            most: 254,
          }),
          offered(offers, "brands", {
            name: "brand",
            label: "Brand",
            hint: "How the site looks.",
            value: brand,
            tried,
          }),
          field({
            name: "domain",
            label: "Domain",
            hint:
              `Below ${offers.rootDomain}, or a name of yours that leads here. The former name leads to the new one for 30 days.`,
            value: domain,
            required: true,
            tried,
            most: 253,
          }),
          choice({
            name: "mail",
            label: "Mail",
            hint: "Whether the site writes to its people. It is started anew when that changes.",
            value: mail,
            options: [["on", "On"], ["held", "Held: it writes to nobody"]],
            tried,
          }),
        ),
        { id: "settings" },
      )
    }<div class="pile">${
      foreseen
        ? markup`${panel("What it would come to", foreseenWords(foreseen), { id: "foreseen" })}${
          foreseenParts(foreseen)
        }`
        : panel(
          "What it would come to",
          tried
            ? refusalWords(tried)
            : markup`<p class="small soft">Change something, and what that does to the site stands here before you save it.</p>`,
          { id: "foreseen" },
        )
    }</div></div>`,
  };
}
