/**
 * Updates part of the page from a newly fetched copy, preserving focus, input, ticked boxes and open details. Elements
 * are matched by ID or, without an ID, by position among siblings with the same tag.
 */
export const domUpdateScript: string = `
const OURS = { DETAILS: ["open"], INPUT: ["value", "checked"], OPTION: ["selected"] };

function morph(from, to) {
  if (from.nodeType !== to.nodeType || from.nodeName !== to.nodeName || (from.id || "") !== (to.id || "")) return from.replaceWith(to);
  if (from.nodeType !== 1) { if (from.data !== to.data) from.data = to.data; return; }
  if (from.isEqualNode(to)) return;
  const ignored = OURS[from.nodeName] || [];
  for (const { name } of [...from.attributes]) if (!to.hasAttribute(name) && !ignored.includes(name)) from.removeAttribute(name);
  for (const { name, value } of [...to.attributes]) if (from.getAttribute(name) !== value && !ignored.includes(name)) from.setAttribute(name, value);
  if (from.nodeName === "PROGRESS") from.value = to.value;
  const stay = new Set([...to.children].map((child) => child.id)), known = new Map();
  for (const child of [...from.children]) if (child.id && !stay.has(child.id)) child.remove(); else if (child.id) known.set(child.id, child);
  let at = from.firstChild;
  for (const child of [...to.childNodes]) {
    if (child.nodeType === 1) while (at && at.nodeType === 3) { const next = at.nextSibling; at.remove(); at = next; }
    const same = child.id ? known.get(child.id) : at && !at.id && at.nodeName === child.nodeName ? at : null;
    if (!same) { from.insertBefore(child, at); continue; }
    if (same !== at) from.insertBefore(same, at);
    at = same.nextSibling;
    morph(same, child);
  }
  while (at) { const next = at.nextSibling; at.remove(); at = next; }
}
`;
