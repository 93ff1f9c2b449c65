/** What is said once of what has just been done: by a word in the address, and never by the address's own text. */
const FLASH_MESSAGES: Readonly<Record<string, string>> = {
  created: "It is being made. This page shows how far it is.",
  asked: "It is asked for. This page shows how far it is.",
  changed: "It is changed.",
  unchanged: "Nothing was changed.",
  removed: "It is removed.",
  left: "You have left it.",
  removing: "It is being removed, with all that belongs to it.",
  invited: "A mail with an invitation is on its way.",
  added: "They have been added, and can use it now.",
  known: "They had it already. Nothing was changed.",
  reconciling: "The payment provider is being told anew. This page shows what it says.",
  withdrawn: "The request is withdrawn.",
  revoked: "The token is revoked, and opens nothing any more.",
  read: "All of it is read.",
  ended: "You are signed out there.",
  password: "Your new password is set. You are signed out everywhere else.",
  requested: "Your request is placed. You are told by mail when somebody has decided.",
  "restore-requested": "The restore is requested. This page shows what becomes of it.",
  "restore-done": "The request is marked as done.",
  "restore-declined": "The request is declined. Its requester is notified.",
  approved: "The request is approved, and the hub is being made.",
  rejected: "The request is rejected. Whoever asked is told by mail.",
};

/** The word for what came of bringing somebody in. */
export const INVITE_RESULTS = { added: "added", invited: "invited", unchanged: "known" } as const;

export function flashMessage(done: string | null): string | undefined {
  return done !== null && Object.hasOwn(FLASH_MESSAGES, done) ? FLASH_MESSAGES[done] : undefined;
}
