/** What a spoke would come to, as the API's dry run says it: what it costs, where it is, and what is made for it. */
import { type Markup, markup } from "#lib/http/page.ts";
import type { Tried } from "#lib/portal/components/forms.ts";
import { bytes, cpus, money } from "#lib/portal/components/amounts.ts";
import { badge, copyable, facts, notice, panel, titled } from "#lib/portal/components/parts.ts";
import type { CopyShown } from "#lib/portal/hubs/copy-spoke.ts";
import type { CostShown, Hub, NewSpokeForeseen, Offers, Spoke } from "#lib/portal/components/told.ts";
import type { Me } from "#lib/portal/components/view.ts";

export interface NewSpokeShown {
  readonly me: Me;
  readonly hub: Hub;
  readonly offers: Offers;
  /** What was typed; nothing yet when empty. */
  readonly values: Readonly<Record<string, string>>;
  readonly tried?: Tried | undefined;
  /** What the API says that it would come to, or null before it was asked. */
  readonly foreseen: NewSpokeForeseen | null;
  readonly cost: CostShown;
  /** What it is to be a copy of; null where it is none. */
  readonly source: CopyShown | null;
  /** What could be copied instead. */
  readonly copyable: readonly Spoke[];
}

/** The form swaps it while somebody types. */
export function foreseenPanel({ offers, values, tried, foreseen, cost }: NewSpokeShown): Markup {
  const size = foreseen?.spoke.size ?? values.size ?? offers.defaults.size;
  return panel(
    "What will be made",
    markup`<div role="status">${saidOf(foreseen, tried)}</div>
${priceOf(cost, offers, size)}
${foreseen ? wholeOf(foreseen) : ""}`,
    { id: "foreseen" },
  );
}

function saidOf(foreseen: NewSpokeForeseen | null, tried: Tried | undefined): Markup {
  if (tried) return refusalWords(tried);
  return foreseen
    ? markup`<p class="small">${badge("good", "done", "It can be made")}</p>`
    : markup`<p class="small soft">Type a slug, and this shows what you would get, before anything is made.</p>`;
}

/** A domain that is not proved yet is proved by a record, whose name and value one takes along. */
const RECORD = /set the TXT record (\S+) to (\S+), /;

export function refusalWords({ message }: Tried): Markup {
  const [, name, value] = RECORD.exec(message) ?? [];
  return markup`<p class="small">${badge("warn", "warning", "Not yet")} ${spoken(message)}.</p>${
    name && value
      ? facts([["Name of the TXT record", copyable(name, "the record's name")], [
        "Its value",
        copyable(value, "the record's value"),
      ]])
      : ""
  }`;
}

/** `displayName must be …`, as the API says it of a field, in words: `Display name must be …`. */
function spoken(message: string): string {
  return message.replace(
    /^[a-z]\w*(?= must )/,
    (name) => titled(name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)),
  );
}

/** By the payment provider, where the hub is billed; else by the price list. */
function priceOf(cost: CostShown, { sizes, charged }: Offers, size: string): Markup | string {
  if (cost.available) {
    const { currency, recurringMonthly, dueNow } = cost;
    return markup`<div><p class="price">${money(recurringMonthly, currency)} <span class="small soft">a month</span></p>
<p class="small soft">${
      dueNow < 0 ? `${money(-dueNow, currency)} is credited now` : `${money(dueNow, currency)} is due now`
    }, for what is left of this month.</p></div>`;
  }
  const price = sizes.find(({ name }) => name === size)?.price;
  if (!price) return cost.reason === undefined ? "" : notice("info", `${cost.reason}.`);
  const why = cost.reason !== undefined
    ? `By the price list. ${cost.reason}.`
    : charged
    ? "By the price list. This hub is not billed, so nothing is charged."
    : "By the price list. This service charges nobody.";
  return markup`<div><p class="price">${
    money(price.monthly, price.currency)
  } <span class="small soft">a month</span></p>
<p class="small soft">${why}</p></div>`;
}

function wholeOf({ spoke, quota, objects }: NewSpokeForeseen): Markup {
  const { demand } = quota;
  return markup`${
    facts([
      ["Address", spoke.url],
      ["Name", spoke.displayName],
      ["Moodle", spoke.lmsVersion],
      ["Region", spoke.region ?? "anywhere"],
      spoke.from ? ["Made from", spoke.from.backupId ?? "a backup that is taken first"] : null,
      spoke.mail === "held" ? ["Mail", "sent to nobody until you say so"] : null,
      ["Administrator's address", spoke.adminEmail],
      [
        "Takes at most",
        `${cpus(demand.limits.cpu)} CPU, ${bytes(demand.limits.memory)} of memory, ${bytes(demand.storage)} of disk`,
      ],
    ])
  }${
    quota.over.length === 0 ? "" : notice(
      "warn",
      `The cluster would refuse a part of it: ${quota.over.join("; ")}.`,
    )
  }<h3>${objects.length} objects in the cluster</h3>
<ul class="objects">${
    [...byKind(objects)].map(([kind, names]) =>
      markup`<li><b>${kind}</b> <span class="soft">${names.join(", ")}</span></li>`
    )
  }</ul>
<details id="whole"><summary>All of them, word for word</summary><pre class="log" tabindex="0">${
    JSON.stringify(objects, null, 2)
  }</pre></details>`;
}

function byKind(objects: NewSpokeForeseen["objects"]): Map<string, string[]> {
  const kinds = new Map<string, string[]>();
  for (const { kind, metadata } of objects) {
    const { name } = metadata as { readonly name: string };
    kinds.set(String(kind), [...kinds.get(String(kind)) ?? [], name]);
  }
  return kinds;
}
