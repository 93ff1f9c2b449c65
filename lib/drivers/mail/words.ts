/**
 * What each letter says, in plain words: what happened, what to do, until when, and what to do if one did not expect it.
 *
 * An address that nobody has proved may be anybody's. So a letter that a stranger can have sent there (the proof of an
 * address) shows nothing that the stranger wrote, not even a name.
 */
import { announcement } from "#lib/drivers/mail/announcement.ts";
import { button, moment, note, paragraph, type Words } from "#lib/drivers/mail/blocks.ts";
import type { Cases, Letter } from "#lib/drivers/mail/letter.ts";
import { disarm, tidy } from "#lib/drivers/mail/names.ts";

const NAME = 60; // characters of a name in the text
const SHORT = 36; // and in the subject, which should fit on one line
const PLACES = 10;
const REASON = 2000;

export function wordsOf(letter: Letter, home: URL): Words {
  const { host } = home;
  switch (letter.template) {
    case "invitation":
      return invitation(letter.about, host);
    case "password-reset":
      return passwordReset(letter.about, host, letter.to.email);
    case "verification":
      return verification(letter.about, host);
    case "password-changed":
      return passwordChanged(letter.about, host, letter.to.email);
    case "hub-requested":
      return hubRequested(letter.about, host);
    case "request-approved":
      return requestApproved(letter.about, host);
    case "request-rejected":
      return requestRejected(letter.about, host);
    case "announcement":
      return announcement(letter.about, host);
  }
}

function invitation({ inviter, places, expiresAt }: Cases["invitation"], host: string): Words {
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
    preview: "Choose a password, and you can begin.",
    title: "You are invited",
    blocks: [
      what,
      ...(many ? [{ kind: "list", items: rest } as const] : []),
      paragraph("Choose a password, and you can begin."),
      button("Accept the invitation"),
      note(`The link works once, until ${moment(expiresAt)}.`),
      note("If you do not know why you got this, ignore it: nothing happens unless you accept."),
    ],
  };
}

function passwordReset({ expiresAt }: Cases["password-reset"], host: string, email: string): Words {
  return {
    subject: "Choose a new password",
    preview: "Somebody, most likely you, asked for a new password.",
    title: "Choose a new password",
    blocks: [
      paragraph(`Somebody, most likely you, asked for a new password for ${email} at ${host}.`),
      button("Choose a new password"),
      note(`The link works once, until ${moment(expiresAt)}.`),
      note("If it was not you, ignore this mail: your password stays as it is."),
    ],
  };
}

function verification({ expiresAt }: Cases["verification"], host: string): Words {
  return {
    subject: "Confirm your e-mail address",
    preview: "One more step, and your account can be used.",
    title: "Confirm your address",
    blocks: [
      paragraph(`Somebody, most likely you, signed up at ${host} with this address. Confirm that it is yours.`),
      button("Confirm the address"),
      note(`The link works once, until ${moment(expiresAt)}.`),
      note("If it was not you, ignore this mail: without the confirmation nothing can be done in your name."),
    ],
  };
}

function passwordChanged({ at, ip }: Cases["password-changed"], host: string, email: string): Words {
  const from = ip === "" ? "" : `, from the address ${tidy(ip, NAME)}`;
  return {
    subject: "Your password was changed",
    preview: "If it was you, there is nothing to do.",
    title: "Your password was changed",
    blocks: [
      paragraph(`The password of ${email} at ${host} was changed on ${moment(at)}${from}.`),
      paragraph(
        "If it was you, or somebody whom you asked for it, there is nothing to do. Whoever was signed in elsewhere with " +
          "the old one has been signed out.",
      ),
      note(
        "If it was not you, ask for a new password at once, see which API tokens you have and revoke those that you do " +
          `not know, and tell whoever runs ${host}.`,
      ),
    ],
  };
}

function hubRequested({ id, by, hub, slug }: Cases["hub-requested"], host: string): Words {
  return {
    subject: `Somebody asks for the hub ${disarm(hub, SHORT)}`,
    preview: "An operator decides.",
    title: "Somebody asks for a hub",
    blocks: [
      paragraph(
        `${tidy(by, NAME)} asks for the hub ${disarm(hub, NAME)} at ${host}, to be called ${tidy(slug, NAME)}.`,
      ),
      paragraph(
        `As an operator you can read why and decide: by POST /api/federation-requests/${id}/approve or …/reject. Of what ` +
          "one person asks for within an hour, the first is mailed; your notifications have all.",
      ),
    ],
  };
}

function requestApproved({ hub, slug }: Cases["request-approved"], host: string): Words {
  return {
    subject: `Your hub ${disarm(hub, SHORT)} was approved`,
    preview: "You are its administrator.",
    title: "Your hub was approved",
    blocks: [
      paragraph(
        `Your request for the hub ${disarm(hub, NAME)} at ${host} was approved, and you are its administrator.`,
      ),
      paragraph(`It is being set up now. In addresses and commands it is called ${tidy(slug, NAME)}.`),
    ],
  };
}

function requestRejected({ hub, reason }: Cases["request-rejected"], host: string): Words {
  const text = disarmLines(reason);
  return {
    subject: `Your request for ${disarm(hub, SHORT)} was declined`,
    preview: "Here is why.",
    title: "Your request was declined",
    blocks: [
      paragraph(`Your request for the hub ${disarm(hub, NAME)} at ${host} was declined.`),
      ...(text === "" ? [] : [paragraph("The reason that was given:"), { kind: "quote", text } as const]),
      paragraph("You can ask again when that has changed."),
    ],
  };
}

/** An operator's own words, in their lines; and an address that he names may be followed. */
function disarmLines(text: string): string {
  const lines = text.slice(0, REASON * 2).split(/\r\n?|\n/).map((line) => tidy(line, REASON));
  return tidyEnds(lines.join("\n"));
}

function tidyEnds(text: string): string {
  const plain = text.replace(/\n{3,}/g, "\n\n").trim();
  return plain.length > REASON ? `${plain.slice(0, REASON - 1).toWellFormed()}…` : plain;
}
