/**
 * Updates part of the page from a newly fetched copy, preserving focus, input, ticked boxes and open details. Elements
 * are matched by ID or, without an ID, by position among siblings with the same tag.
 */

/** Attributes that the user changes, so that updates ignore them. */
const USER_ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  DETAILS: ["open"],
  INPUT: ["value", "checked"],
  OPTION: ["selected"],
};

export function morph(from: ChildNode, to: ChildNode): void {
  if (from.nodeType !== to.nodeType || from.nodeName !== to.nodeName || idOf(from) !== idOf(to)) {
    from.replaceWith(to);
  } else if (!(from instanceof Element && to instanceof Element)) {
    if (from.nodeValue !== to.nodeValue) from.nodeValue = to.nodeValue;
  } else if (!from.isEqualNode(to)) {
    morphAttributes(from, to);
    morphChildren(from, to);
  }
}

function idOf(node: ChildNode): string {
  return node instanceof Element ? node.id : "";
}

function morphAttributes(from: Element, to: Element): void {
  const ignored = USER_ATTRIBUTES[from.nodeName] ?? [];
  for (const { name } of [...from.attributes]) {
    if (!to.hasAttribute(name) && !ignored.includes(name)) from.removeAttribute(name);
  }
  for (const { name, value } of to.attributes) {
    if (from.getAttribute(name) !== value && !ignored.includes(name)) from.setAttribute(name, value);
  }
  if (from instanceof HTMLProgressElement) from.value = (to as HTMLProgressElement).value;
}

function morphChildren(from: Element, to: Element): void {
  const remaining = new Set([...to.children].map(({ id }) => id));
  const byId = new Map<string, Element>();
  for (const child of [...from.children]) {
    if (child.id && !remaining.has(child.id)) child.remove();
    else if (child.id) byId.set(child.id, child);
  }
  let at = from.firstChild;
  const removeAt = () => {
    const removed = at!;
    at = removed.nextSibling;
    removed.remove();
  };
  for (const child of [...to.childNodes]) {
    if (child instanceof Element) { while (at instanceof Text) removeAt(); }
    const id = idOf(child);
    const same = id ? byId.get(id) : at && !idOf(at) && at.nodeName === child.nodeName ? at : undefined;
    if (!same) {
      from.insertBefore(child, at);
      continue;
    }
    if (same !== at) from.insertBefore(same, at);
    at = same.nextSibling;
    morph(same, child);
  }
  while (at) removeAt();
}
