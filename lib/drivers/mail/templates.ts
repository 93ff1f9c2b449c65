/** Returns the content of each email. Emails that a stranger can trigger contain no text from strangers. */
import {
  buttonBlock,
  formatDate,
  formatMailTimestamp,
  type MailBlock,
  type MailContent,
  noteBlock,
  paragraphBlock,
} from "#lib/drivers/mail/content.ts";
import type { AnnouncedNotice, MailTemplate, MailTemplateData, QueuedMailOf } from "#lib/drivers/mail/letter.ts";
import { OPERATION_TEMPLATES } from "#lib/drivers/mail/operation-templates.ts";
import { TOKEN_TEMPLATES } from "#lib/drivers/mail/token-templates.ts";
import { cleanLines, cleanName, MAX_NAME, MAX_SUBJECT_NAME, preventAutoLink } from "#lib/drivers/mail/names.ts";

const MAX_PLACES = 10;
const MAX_NOTICE_SUBJECT = 200, MAX_SUBJECT_NOTICE = 72; // maximum lengths in the text and in the subject line

export function buildMailContent<T extends MailTemplate>(
  { template, about, to }: QueuedMailOf<T>,
  { host }: URL,
): MailContent {
  return TEMPLATES[template](about, host, to.email);
}

const FACTOR_CHANGES: Readonly<Record<MailTemplateData["second-factor-changed"]["change"], string>> = {
  factor_added: "A second factor was added to your account",
  factor_removed: "A second factor was removed from your account",
  factors_reset: "All second factors were removed from your account",
  recovery_codes_renewed: "Your recovery codes were replaced",
  recovery_code_used: "A recovery code of your account was used",
};

const TEMPLATES: {
  readonly [T in MailTemplate]: (about: MailTemplateData[T], host: string, email: string) => MailContent;
} = {
  ...OPERATION_TEMPLATES,

  invitation: ({ inviter, places, expiresAt }, host) => {
    const who = preventAutoLink(inviter, MAX_NAME) || "Somebody";
    const names = places.map((place) => preventAutoLink(place, MAX_NAME)), [first] = names;
    const more = places.length - 1, many = more > 0;
    const one = preventAutoLink(places[0] ?? "", MAX_SUBJECT_NAME);
    const rest = names.length > MAX_PLACES
      ? [...names.slice(0, MAX_PLACES), `and ${names.length - MAX_PLACES} more`]
      : names;
    const what = first === undefined
      ? paragraphBlock(`${who} invites you to Wheelwright at ${host}.`)
      : many
      ? paragraphBlock(`${who} invites you to administer these learning platforms at ${host}:`)
      : paragraphBlock(`${who} invites you to administer ${first} at ${host}.`);
    return {
      subject: `${preventAutoLink(inviter, MAX_SUBJECT_NAME) || "Somebody"} invites you to ${
        first === undefined ? "Wheelwright" : `administer ${one}${many ? ` and ${more} more` : ""}`
      }`,
      preview: "Choose a password to get started.",
      title: "You are invited",
      blocks: [
        what,
        ...(many ? [{ kind: "list", items: rest } as const] : []),
        paragraphBlock("Choose a password to get started."),
        buttonBlock("Accept the invitation"),
        noteBlock(`The link works once, until ${formatMailTimestamp(expiresAt)}.`),
        noteBlock("If you did not expect this invitation, ignore it. Nothing happens unless you accept."),
      ],
    };
  },

  "password-reset": ({ expiresAt }, host, email) => ({
    subject: "Choose a new password",
    preview: "Somebody, probably you, requested a new password.",
    title: "Choose a new password",
    blocks: [
      paragraphBlock(`Somebody, probably you, requested a new password for ${email} at ${host}.`),
      buttonBlock("Choose a new password"),
      noteBlock(`The link works once, until ${formatMailTimestamp(expiresAt)}.`),
      noteBlock("If you did not request a new password, ignore this email. Your password does not change."),
    ],
  }),

  verification: ({ expiresAt }, host) => ({
    subject: "Confirm your email address",
    preview: "One more step to activate your account.",
    title: "Confirm your address",
    blocks: [
      paragraphBlock(`Somebody, probably you, signed up at ${host}. Confirm that this email address is yours.`),
      buttonBlock("Confirm the address"),
      noteBlock(`The link works once, until ${formatMailTimestamp(expiresAt)}.`),
      noteBlock("If you did not sign up, ignore this email. Nobody can use the account without this confirmation."),
    ],
  }),

  "password-changed": ({ at, ip }, host, email) => {
    const from = ip === "" ? "" : `, from the address ${cleanName(ip, MAX_NAME)}`;
    return {
      subject: "Your password was changed",
      preview: "If you changed the password, no action is needed.",
      title: "Your password was changed",
      blocks: [
        paragraphBlock(`The password for ${email} at ${host} was changed on ${formatMailTimestamp(at)}${from}.`),
        paragraphBlock(
          "If you changed the password, or somebody changed it for you, no action is needed. All other sessions were " +
            "signed out.",
        ),
        noteBlock(
          "If you did not expect this change, reset your password now. Revoke API tokens that you do not recognise, " +
            `and contact the operator of ${host}.`,
        ),
      ],
    };
  },

  "second-factor-changed": ({ change, name, at, ip }, host, email) => {
    const title = FACTOR_CHANGES[change], from = ip === "" ? "" : `, from the address ${cleanName(ip, MAX_NAME)}`;
    const which = name === "" ? "" : `: ${preventAutoLink(name, MAX_NAME)}`;
    return {
      subject: title,
      preview: "If you made this change, no action is needed.",
      title,
      blocks: [
        paragraphBlock(`${title}${which}.`),
        paragraphBlock(`The account is ${email} at ${host}. The time is ${formatMailTimestamp(at)}${from}.`),
        noteBlock(
          "If you did not expect this, change your password now, end the other sessions on your account page, and " +
            `contact the operator of ${host}.`,
        ),
      ],
    };
  },

  "hub-requested": ({ id, by, hub, slug }, host) => ({
    subject: `New hub request: ${preventAutoLink(hub, MAX_SUBJECT_NAME)}`,
    preview: "An operator must approve or reject the request.",
    title: "New hub request",
    blocks: [
      paragraphBlock(
        `${cleanName(by, MAX_NAME)} requests the hub ${preventAutoLink(hub, MAX_NAME)} (${
          cleanName(slug, MAX_NAME)
        }) at ${host}.`,
      ),
      paragraphBlock(
        `As an operator, you can read the reason and decide: POST /api/federation-requests/${id}/approve or …/reject` +
          ". Only a user's first request within an hour is emailed. Your notifications show all requests.",
      ),
    ],
  }),

  "request-approved": ({ hub, slug }, host) => ({
    subject: `Your hub ${preventAutoLink(hub, MAX_SUBJECT_NAME)} was approved`,
    preview: "You are the administrator of the new hub.",
    title: "Your hub was approved",
    blocks: [
      paragraphBlock(
        `Your request for the hub ${
          preventAutoLink(hub, MAX_NAME)
        } at ${host} was approved, and you are its administrator.`,
      ),
      paragraphBlock(
        `The hub is being set up now. Its slug in URLs and commands is ${cleanName(slug, MAX_NAME)}.`,
      ),
    ],
  }),

  "request-rejected": ({ hub, reason }, host) => {
    const text = cleanLines(reason);
    return {
      subject: `Your request for ${preventAutoLink(hub, MAX_SUBJECT_NAME)} was declined`,
      preview: "An operator declined your request for a hub.",
      title: "Your request was declined",
      blocks: [
        paragraphBlock(`Your request for the hub ${preventAutoLink(hub, MAX_NAME)} at ${host} was declined.`),
        ...(text === "" ? [] : [paragraphBlock("Reason:"), { kind: "quote", text } as const]),
        paragraphBlock("You can send a new request when the reason no longer applies."),
      ],
    };
  },

  ...TOKEN_TEMPLATES,

  announcement: ({ notices, more }, host) => {
    const all = notices.length + more, [first] = notices.toSorted((a, b) => a.from < b.from ? -1 : 1);
    if (!first) throw new Error("The announcement has no notices");
    return {
      subject: all === 1 ? subjectOf(first) : `${all} changes to the API, the first on ${formatDate(first.from)}`,
      preview: "What to do, by when, and which of your tokens are affected.",
      title: all === 1 ? "The API changes" : `${all} changes to the API`,
      blocks: [
        paragraphBlock(`You have API tokens at ${host}, so these changes may affect you.`),
        ...notices.flatMap(describeNotice),
        ...(more > 0 ? [paragraphBlock(`For ${more} more changes, see the changelog.`)] : []),
        buttonBlock("Read the changelog"),
        noteBlock(
          "These counts include only calls with a token, per day in UTC. Calls to endpoints that need no token are " +
            "not counted. You get this email once, because you have active API tokens. Revoke unused tokens.",
        ),
      ],
    };
  },
};

function subjectOf({ kind, what, from }: AnnouncedNotice): string {
  const name = cleanName(what, MAX_SUBJECT_NOTICE);
  return kind === "endpoint" ? `${name} ends on ${formatDate(from)}` : `New limit from ${formatDate(from)}: ${name}`;
}

function describeNotice({ kind, what, from, note: todo, tokens, others }: AnnouncedNotice): MailBlock[] {
  const name = cleanName(what, MAX_NOTICE_SUBJECT);
  const items = tokens.map((token) =>
    `${preventAutoLink(token.name, MAX_NAME)} (${cleanName(token.prefix, MAX_NAME)}…): ${formatCalls(token.calls)}`
  );
  const rest = others.tokens > 0
    ? [`and ${formatNumber(others.tokens)} more, together: ${formatCalls(others.calls)}`]
    : [];
  const heading = `Calls with your tokens to ${kind === "endpoint" ? "this endpoint" : "the API"} in the last 30 days:`;
  return [
    paragraphBlock(
      kind === "endpoint"
        ? `${name} ends on ${formatMailTimestamp(from)}. Then the endpoint may stop working or behave differently.`
        : `A new limit applies from ${formatMailTimestamp(from)}: ${name}.`,
    ),
    paragraphBlock(todo),
    ...(items.length === 0 ? [] : [paragraphBlock(heading), { kind: "list", items: [...items, ...rest] } as const]),
  ];
}

function formatCalls(calls: number): string {
  return calls === 1 ? "1 call" : `${formatNumber(calls)} calls`;
}

function formatNumber(number: number): string {
  return number.toLocaleString("en");
}
