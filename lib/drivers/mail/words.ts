/**
 * What each letter says, in plain words: what happened, what to do, until when, and what to do if one did not expect it.
 *
 * An address that nobody has proved may be anybody's. So a letter that a stranger can have sent there (the proof of an
 * address) shows nothing that the stranger wrote, not even a name.
 */
import { type Block, button, date, moment, noteBlock, paragraph, type Words } from "#lib/drivers/mail/blocks.ts";
import type { Announced, Cases, LetterOf, Template } from "#lib/drivers/mail/letter.ts";
import { disarm, tidy } from "#lib/drivers/mail/names.ts";

const NAME = 60; // characters of a name in the text
const SHORT = 36; // and in the subject, which should fit on one line
const PLACES = 10;
const REASON = 2000;
const WHAT = 200, WHAT_SHORT = 72; // of what a notice is about, in the text and in the subject

export function wordsOf<T extends Template>({ template, about, to }: LetterOf<T>, { host }: URL): Words {
  return WORDS[template](about, host, to.email);
}

const WORDS: { readonly [T in Template]: (about: Cases[T], host: string, email: string) => Words } = {
  invitation: ({ inviter, places, expiresAt }, host) => {
    const who = disarm(inviter, NAME) || "Somebody";
    const names = places.map((place) => disarm(place, NAME)), [first] = names;
    const more = places.length - 1, many = more > 0;
    const one = disarm(places[0] ?? "", SHORT);
    const rest = names.length > PLACES ? [...names.slice(0, PLACES), `and ${names.length - PLACES} more`] : names;
    const what = first === undefined
      ? paragraph(`${who} invites you to Wheelwright at ${host}.`)
      : many
      ? paragraph(`${who} invites you to administer these learning platforms at ${host}:`)
      : paragraph(`${who} invites you to administer ${first} at ${host}.`);
    return {
      subject: `${disarm(inviter, SHORT) || "Somebody"} invites you to ${
        first === undefined ? "Wheelwright" : `administer ${one}${many ? ` and ${more} more` : ""}`
      }`,
      preview: "Choose a password to get started.",
      title: "You are invited",
      blocks: [
        what,
        ...(many ? [{ kind: "list", items: rest } as const] : []),
        paragraph("Choose a password to get started."),
        button("Accept the invitation"),
        noteBlock(`The link works once, until ${moment(expiresAt)}.`),
        noteBlock("If you did not expect this invitation, ignore it. Nothing happens unless you accept."),
      ],
    };
  },

  "password-reset": ({ expiresAt }, host, email) => ({
    subject: "Choose a new password",
    preview: "Somebody, probably you, requested a new password.",
    title: "Choose a new password",
    blocks: [
      paragraph(`Somebody, probably you, requested a new password for ${email} at ${host}.`),
      button("Choose a new password"),
      noteBlock(`The link works once, until ${moment(expiresAt)}.`),
      noteBlock("If it was not you, ignore this mail. Your password does not change."),
    ],
  }),

  verification: ({ expiresAt }, host) => ({
    subject: "Confirm your e-mail address",
    preview: "One more step to activate your account.",
    title: "Confirm your address",
    blocks: [
      paragraph(`Somebody, probably you, signed up at ${host} with this address. Confirm that it is yours.`),
      button("Confirm the address"),
      noteBlock(`The link works once, until ${moment(expiresAt)}.`),
      noteBlock("If it was not you, ignore this mail. Nobody can use the account without this confirmation."),
    ],
  }),

  "password-changed": ({ at, ip }, host, email) => {
    const from = ip === "" ? "" : `, from the address ${tidy(ip, NAME)}`;
    return {
      subject: "Your password was changed",
      preview: "If it was you, there is nothing to do.",
      title: "Your password was changed",
      blocks: [
        paragraph(`The password of ${email} at ${host} was changed on ${moment(at)}${from}.`),
        paragraph(
          "If it was you, or somebody who did it for you, there is nothing to do. All other sessions of the account were " +
            "signed out.",
        ),
        noteBlock(
          "If it was not you, reset your password now and revoke the API tokens that you do not recognise. Then tell the " +
            `operator of ${host}.`,
        ),
      ],
    };
  },

  "hub-requested": ({ id, by, hub, slug }, host) => ({
    subject: `New hub request: ${disarm(hub, SHORT)}`,
    preview: "An operator decides.",
    title: "New hub request",
    blocks: [
      paragraph(`${tidy(by, NAME)} requests the hub ${disarm(hub, NAME)} (${tidy(slug, NAME)}) at ${host}.`),
      paragraph(
        `As an operator you can read the reason and decide: POST /api/federation-requests/${id}/approve or …/reject. ` +
          "Only a person's first request within an hour is mailed. Your notifications show all of them.",
      ),
    ],
  }),

  "backup-unproved": ({ spokeId, spoke, domain, backupId, reason }, host) => ({
    subject: `A backup of ${disarm(spoke, SHORT)} could not be restored`,
    preview: "A restore test failed. The site is not affected.",
    title: "A backup could not be restored",
    blocks: [
      paragraph(
        `The restore test of the newest backup of ${disarm(spoke, NAME)} (${disarm(domain, NAME)}) at ${host} ` +
          "failed. The site itself is not affected. The reason:",
      ),
      { kind: "quote", text: disarmLines(reason) },
      paragraph(
        `Backup: ${tidy(backupId, NAME)} of the spoke ${tidy(spokeId, NAME)}. Fix the cause, then create ` +
          "another backup. You get no further mail until a restore test has succeeded.",
      ),
    ],
  }),

  "restore-requested": ({ by, spoke, domain, backupId, reason, command }, host) => ({
    subject: `A restore of ${disarm(spoke, SHORT)} is requested`,
    preview: "An operator restores it or declines.",
    title: "A restore is requested",
    blocks: [
      paragraph(
        `At ${host}, ${tidy(by, NAME)} requests a restore of ${disarm(spoke, NAME)} ` +
          `(${disarm(domain, NAME)}) from the backup ${tidy(backupId, NAME)}:`,
      ),
      { kind: "quote", text: disarmLines(reason) },
      paragraph(`To restore it, run on the server: ${tidy(command, 200)}`),
      paragraph(
        "The request closes when the restore has succeeded. To decline it, use the spoke's backups page or POST " +
          "/api/restore-requests/{id}/decide. Only a person's first request within an hour is mailed. Your notifications " +
          "show all of them.",
      ),
    ],
  }),

  "request-approved": ({ hub, slug }, host) => ({
    subject: `Your hub ${disarm(hub, SHORT)} was approved`,
    preview: "You are its administrator.",
    title: "Your hub was approved",
    blocks: [
      paragraph(
        `Your request for the hub ${disarm(hub, NAME)} at ${host} was approved, and you are its administrator.`,
      ),
      paragraph(`It is being set up now. Its slug in addresses and commands is ${tidy(slug, NAME)}.`),
    ],
  }),

  "request-rejected": ({ hub, reason }, host) => {
    const text = disarmLines(reason);
    return {
      subject: `Your request for ${disarm(hub, SHORT)} was declined`,
      preview: "Here is why.",
      title: "Your request was declined",
      blocks: [
        paragraph(`Your request for the hub ${disarm(hub, NAME)} at ${host} was declined.`),
        ...(text === "" ? [] : [paragraph("Reason:"), { kind: "quote", text } as const]),
        paragraph("You can send a new request when this has changed."),
      ],
    };
  },

  announcement: ({ notices, more }, host) => {
    const all = notices.length + more, [first] = notices.toSorted((a, b) => a.from < b.from ? -1 : 1);
    if (!first) throw new Error("A letter that announces nothing");
    return {
      subject: all === 1 ? subjectOf(first) : `${all} changes to the API, the first on ${date(first.from)}`,
      preview: "What to do, by when, and which of your tokens are affected.",
      title: all === 1 ? "The API changes" : `${all} changes to the API`,
      blocks: [
        paragraph(`You have API tokens at ${host}, so these changes may affect you.`),
        ...notices.flatMap(describe),
        ...(more > 0 ? [paragraph(`And ${more} more: see the changelog.`)] : []),
        button("Read the changelog"),
        noteBlock(
          "These counts are calls with a token, per day in UTC. Calls to endpoints that need no token are not counted. You " +
            "get this mail once, because you have active API tokens. Revoke those that you do not need.",
        ),
      ],
    };
  },
};

/** An operator's own words, in their lines; and an address that he names may be followed. */
function disarmLines(text: string): string {
  const lines = text.slice(0, REASON * 2).split(/\r\n?|\n/).map((line) => tidy(line, REASON));
  const plain = lines.join("\n").replace(/\n{3,}/g, "\n\n").trim();
  return plain.length > REASON ? `${plain.slice(0, REASON - 1).toWellFormed()}…` : plain;
}

function subjectOf({ kind, what, from }: Announced): string {
  const name = tidy(what, WHAT_SHORT);
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
        ? `${name} ends on ${moment(from)}. After that it may stop working or behave differently.`
        : `A new limit applies from ${moment(from)}: ${name}.`,
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
