/** What letters are made of, before they are text or HTML: their blocks, and how they write a time. */

/** What stands in a letter, from top to bottom. */
export type Block =
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly string[] }
  | { readonly kind: "quote"; readonly text: string }
  | { readonly kind: "button"; readonly label: string }
  | { readonly kind: "note"; readonly text: string };

export interface LetterContent {
  readonly subject: string;
  /** What a mail program shows beside the subject. */
  readonly preview: string;
  readonly title: string;
  readonly blocks: readonly Block[];
}

export const paragraph = (text: string): Block => ({ kind: "paragraph", text });
export const button = (label: string): Block => ({ kind: "button", label });
export const noteBlock = (text: string): Block => ({ kind: "note", text });

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  ...["January", "February", "March", "April", "May", "June"],
  ...["July", "August", "September", "October", "November", "December"],
];

/** `Saturday, 28 November 2026, 14:05 UTC`: the same on every machine, whatever its language. */
export function formatMoment(iso: string): string {
  const at = new Date(iso), two = (number: number) => String(number).padStart(2, "0");
  return `${DAYS[at.getUTCDay()]}, ${formatDate(iso)}, ${two(at.getUTCHours())}:${two(at.getUTCMinutes())} UTC`;
}

/** `28 November 2026`, in UTC. */
export function formatDate(iso: string): string {
  const at = new Date(iso);
  return `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
}
