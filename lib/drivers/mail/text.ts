/** A letter as plain text, in lines of 72 characters; a link stands on a line of its own, in one piece. */
import type { Block, LetterContent } from "#lib/drivers/mail/content.ts";

export interface LetterContext {
  readonly home: URL;
  readonly link: string | null;
  /** The address that it goes to. */
  readonly to: string;
}

const WIDTH = 72;

export function renderText({ title, blocks }: LetterContent, setting: LetterContext): string {
  const parts = [title.toUpperCase(), ...blocks.map((block) => renderBlock(block, setting))];
  return `${parts.join("\n\n")}\n\n-- \nWheelwright at ${setting.home.host}, to ${setting.to}\n`;
}

function renderBlock(block: Block, { link }: LetterContext): string {
  switch (block.kind) {
    case "paragraph":
    case "note":
      return wrap(block.text, "");
    case "list":
      return block.items.map((item) => wrap(item, "  ").replace(/^ {2}/, "- ")).join("\n");
    case "quote":
      return block.text.split("\n").map((line) => wrap(line, "> ").trimEnd()).join("\n");
    case "button":
      return `${block.label}:\n${link ?? ""}`;
  }
}

/** Words are never cut: one that is longer than a line has a line to itself. */
function wrap(text: string, indent: string): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && indent.length + line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].map((each) => indent + each).join("\n");
}
