/** Defines messages that the portal shows once after an action. URLs contain a message's key instead of its text. */
const FLASH_MESSAGES: Readonly<Record<string, string>> = {
  created: "Creation started. This page shows the progress.",
  asked: "Request accepted. This page shows the progress.",
  changed: "Changes saved.",
  unchanged: "Nothing changed.",
  removed: "Removed.",
  left: "You left the hub or spoke and no longer have access.",
  removing: "Removal started. This page shows the progress.",
  invited: "Invitation sent by email.",
  added: "User added. The user has access now.",
  known: "The user already had access. Nothing changed.",
  reconciling: "Reconciling billing with the payment provider. This page shows the result.",
  withdrawn: "Request withdrawn.",
  revoked: "Token revoked. The token no longer works.",
  read: "All notifications marked as read.",
  ended: "Session ended.",
  unlinked: "Unlinked. The roles that the provider's groups gave are removed.",
  password: "Password changed. You are signed out everywhere else.",
  factor: "Second factor added. You need it at the next sign-in.",
  "factors-reset": "Second factors removed. The user gets an email.",
  requested: "Request sent. You will get an email when an operator decides.",
  "restore-requested": "Restore requested. This page shows the status of your request.",
  "restore-done": "Request marked as done.",
  "restore-declined": "Request declined. The requester is notified.",
  "own-values": "Saved. The site gets its values now.",
  shared: "Saved. This page shows how the sites get the change.",
  rollout: "Rollout started. This page shows the progress.",
  "rollout-pause": "Rollout paused. Operations that have started continue.",
  "rollout-resume": "Rollout resumed.",
  "rollout-abort": "Rollout aborted. Operations that have started continue.",
  tested: "Message queued. The deliveries show the answer.",
  approved: "Request approved. The hub is being created.",
  rejected: "Request rejected. The requester gets an email.",
};

/** The key of the flash message for each result of an invitation. */
export const INVITE_FLASH_KEYS = { added: "added", invited: "invited", unchanged: "known" } as const;

export function renderFlashMessage(done: string | null): string | undefined {
  return done !== null && Object.hasOwn(FLASH_MESSAGES, done) ? FLASH_MESSAGES[done] : undefined;
}
