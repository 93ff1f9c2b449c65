/** Accesses the frame around the current page, which lib/portal/components/shell.ts renders. */

/** The frame's data: the user, the hub to follow, and how often to refresh the page. */
export const shellData: DOMStringMap = document.querySelector<HTMLElement>(".shell")!.dataset;

const announcer = document.getElementById("announcer")!;

/** Makes screen readers say the text. */
export function announce(text: string): void {
  announcer.textContent = text;
}
