/** Renders an email as plain text with lines of up to 72 characters. Each link has its own line. */
import type { MailBlock, MailContent } from "#lib/drivers/mail/content.ts";

export interface MailRenderContext {
  readonly home: URL;
  readonly link: string | null;
  readonly to: string;
}

const WIDTH = 72;

export function renderMailText({ title, blocks }: MailContent, context: MailRenderContext): string {
  const parts = [title.toUpperCase(), ...blocks.map((block) => renderBlock(block, context))];
  return `${parts.join("\n\n")}\n\n-- \nWheelwright at ${context.home.host}, to ${context.to}\n`;
}

function renderBlock(block: MailBlock, { link }: MailRenderContext): string {
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

/** Wraps text at 72 characters without splitting words. A longer word gets its own line. */
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
