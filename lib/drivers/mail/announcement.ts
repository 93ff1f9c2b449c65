/**
 * The letter to those who call the API: what ends, changes or comes, from when on, what to do about it, and whether it
 * concerns the reader, by how often each of his own tokens called.
 */
import { type Block, button, date, moment, note, paragraph, type Words } from "#lib/drivers/mail/blocks.ts";
import type { Announced, Cases } from "#lib/drivers/mail/letter.ts";
import { disarm, tidy } from "#lib/drivers/mail/names.ts";

const NAME = 60; // characters of a token's name
const SHORT = 72; // of what a notice is about, in the subject
const WHAT = 200; // and in the text

export function announcement({ notices, more }: Cases["announcement"], host: string): Words {
  const all = notices.length + more, [first] = notices.toSorted((a, b) => a.from < b.from ? -1 : 1);
  if (!first) throw new Error("A letter that announces nothing");
  return {
    subject: all === 1 ? subjectOf(first) : `${all} changes to the API, the first on ${date(first.from)}`,
    preview: "What to do, until when, and which of your tokens it concerns.",
    title: all === 1 ? "The API changes" : `${all} changes to the API`,
    blocks: [
      paragraph(`You have API tokens at ${host}, so you should know of this ahead of time.`),
      ...notices.flatMap(describe),
      ...(more > 0 ? [paragraph(`And ${more} more, which the changelog tells of.`)] : []),
      button("Read the changelog"),
      note(
        "Counted are calls with a token, by days in UTC; endpoints that need no token are not counted. You get this mail " +
          "once, because you have tokens that are in use or could be: revoke those that you do not need.",
      ),
    ],
  };
}

function subjectOf({ kind, what, from }: Announced): string {
  const name = tidy(what, SHORT);
  return kind === "endpoint" ? `${name} ends on ${date(from)}` : `New limit from ${date(from)}: ${name}`;
}

function describe({ kind, what, from, note: todo, tokens, others }: Announced): Block[] {
  const name = tidy(what, WHAT);
  const items = tokens.map((token) =>
    `${disarm(token.name, NAME)} (${tidy(token.prefix, NAME)}…): ${times(token.calls)}`
  );
  const rest = others.tokens > 0 ? [`and ${count(others.tokens)} more, together: ${times(others.calls)}`] : [];
  const asked = `How often your tokens called ${kind === "endpoint" ? "it" : "the API"} in the last 30 days:`;
  return [
    paragraph(
      kind === "endpoint"
        ? `${name} ends on ${moment(from)}. From then on it may be gone, or answer otherwise.`
        : `A new limit holds from ${moment(from)} on. ${name}.`,
    ),
    paragraph(todo),
    ...(items.length === 0 ? [] : [paragraph(asked), { kind: "list", items: [...items, ...rest] } as const]),
  ];
}

function times(calls: number): string {
  return calls === 1 ? "1 call" : `${count(calls)} calls`;
}

function count(number: number): string {
  return number.toLocaleString("en");
}
