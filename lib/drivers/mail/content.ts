/** Defines the content of an email before rendering, and formats dates for emails. */

export type MailBlock =
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly string[] }
  | { readonly kind: "quote"; readonly text: string }
  | { readonly kind: "button"; readonly label: string }
  | { readonly kind: "note"; readonly text: string };

export interface MailContent {
  readonly subject: string;
  /** The preview text that email programs show next to the subject. */
  readonly preview: string;
  readonly title: string;
  readonly blocks: readonly MailBlock[];
}

export const paragraphBlock = (text: string): MailBlock => ({ kind: "paragraph", text });
export const buttonBlock = (label: string): MailBlock => ({ kind: "button", label });
export const noteBlock = (text: string): MailBlock => ({ kind: "note", text });

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  ...["January", "February", "March", "April", "May", "June"],
  ...["July", "August", "September", "October", "November", "December"],
];

/** Formats a date and time in UTC, for example `Saturday, 28 November 2026, 14:05 UTC`. */
export function formatMailTimestamp(iso: string): string {
  const at = new Date(iso), two = (number: number) => String(number).padStart(2, "0");
  return `${DAYS[at.getUTCDay()]}, ${formatDate(iso)}, ${two(at.getUTCHours())}:${two(at.getUTCMinutes())} UTC`;
}

/** Formats a date in UTC, for example `28 November 2026`. */
export function formatDate(iso: string): string {
  const at = new Date(iso);
  return `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
}
