/** Finds and creates elements of the current page. */

export function findElements<T extends Element = HTMLElement>(selector: string, within: ParentNode = document): T[] {
  return [...within.querySelectorAll<T>(selector)];
}

/** Creates an element with these properties and children. */
export function createElement<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** Whether key presses at the event's target enter text, so that they must not trigger shortcuts. */
export function isTyping({ target }: KeyboardEvent): boolean {
  if (target instanceof HTMLInputElement) return !/^(checkbox|radio)$/.test(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

/**
 * Copies the code to the clipboard and shows the result in the button for two seconds. Selects the code if the browser
 * provides no clipboard, as over plain HTTP, or denies access to it. Returns whether the code was copied.
 */
export async function copyCode(button: HTMLButtonElement, code: HTMLElement): Promise<boolean> {
  let copied = true;
  try {
    await navigator.clipboard.writeText(code.textContent);
  } catch {
    copied = false;
    getSelection()?.selectAllChildren(code);
  }
  button.textContent = copied ? "Copied" : "Selected";
  setTimeout(() => button.textContent = "Copy", 2000);
  return copied;
}
