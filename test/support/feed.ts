/** An Atom feed as a strict reader sees it: what is no XML, or uses what it did not declare, throws. */
import { SaxesParser } from "saxes";

export interface Element {
  /** Without its prefix, of which there is none here. */
  readonly name: string;
  readonly space: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

export function readXml(document: string): Element {
  const root: Element = { name: "", space: "", attributes: {}, children: [], text: "" };
  const open = [root];
  const parser = new SaxesParser({ xmlns: true });
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ local, uri, attributes }) => {
    const values = Object.values(attributes).map(({ name, value }) => [name, value]);
    const made = { name: local, space: uri, attributes: Object.fromEntries(values), children: [], text: "" };
    open.at(-1)!.children.push(made);
    open.push(made);
  });
  parser.on("text", (text) => open.at(-1)!.text += text);
  parser.on("closetag", () => open.pop());
  parser.write(document).close();
  return root.children[0]!;
}

/** The children of that name. */
export function all({ children }: Element, name: string): Element[] {
  return children.filter((child) => child.name === name);
}

/** The text of the only child of that name. */
export function only(element: Element, name: string): string {
  const found = all(element, name);
  if (found.length !== 1) throw new Error(`${element.name} has ${found.length} of ${name}`);
  return found[0]!.text;
}
