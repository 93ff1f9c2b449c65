/** Parses an Atom feed strictly. Throws an error if the text is not valid XML or uses an undeclared prefix. */
import { SaxesParser } from "saxes";

export interface XmlElement {
  /** The element's name. The program's feeds use no namespace prefixes. */
  readonly name: string;
  readonly space: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
  text: string;
}

export function parseXml(document: string): XmlElement {
  const root: XmlElement = { name: "", space: "", attributes: {}, children: [], text: "" };
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

/** Returns all children that have this name. */
export function findAllElements({ children }: XmlElement, name: string): XmlElement[] {
  return children.filter((child) => child.name === name);
}

/** Returns the text in the only child that has this name. Throws an error unless there is exactly one. */
export function findOnlyElement(element: XmlElement, name: string): string {
  const found = findAllElements(element, name);
  if (found.length !== 1) throw new Error(`${element.name} has ${found.length} of ${name}`);
  return found[0]!.text;
}
