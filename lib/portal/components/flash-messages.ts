/** Defines messages that are shown once after an action. The URL contains a message's key rather than its text. */
const FLASH_MESSAGES: Readonly<Record<string, string>> = {
  created: "Creating. This page shows the progress.",
  asked: "Request accepted. This page shows the progress.",
  changed: "Changes saved.",
  unchanged: "Nothing changed.",
  removed: "Removed.",
  left: "You left. You no longer have access.",
  removing: "Removal started. This page shows the progress.",
  invited: "Invitation sent by email.",
  added: "Added. They have access now.",
  known: "They already had access. Nothing changed.",
  reconciling: "Reconciling with the payment provider. This page shows the result.",
  withdrawn: "Request withdrawn.",
  revoked: "Token revoked. It no longer works.",
  read: "All notifications marked as read.",
  ended: "Session ended.",
  password: "Password changed. You are signed out everywhere else.",
  requested: "Request sent. You get an email when an operator decides.",
  "restore-requested": "Restore requested. This page shows its status.",
  "restore-done": "Request marked as done.",
  "restore-declined": "Request declined. The requester is notified.",
  approved: "Request approved. The hub is being created.",
  rejected: "Request rejected. The requester gets an email.",
};

/** The message key to use for each result of an invitation. */
export const INVITE_RESULTS = { added: "added", invited: "invited", unchanged: "known" } as const;

export function flashMessage(done: string | null): string | undefined {
  return done !== null && Object.hasOwn(FLASH_MESSAGES, done) ? FLASH_MESSAGES[done] : undefined;
}
