/**
 * Renders an email as HTML, with tables and inline styles for old email programs, and a style sheet for dark mode. The
 * HTML loads no images or other resources, so that nobody can track when the email is opened.
 */
// Imports `html` as `markup`: the formatter reformats `html` templates, but whitespace matters in email programs.
import { html as markup, raw } from "hono/html";
import type { MailBlock, MailContent } from "#lib/drivers/mail/content.ts";
import type { MailRenderContext } from "#lib/drivers/mail/text.ts";

type Markup = ReturnType<typeof markup>;

const FONT = `ui-sans-serif,-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif`;
const GROUND = "#f5f6f3", SURFACE = "#ffffff", LINE = "#d8ddd5", SUNKEN = "#eceee9";
const INK = "#191f1b", SOFT = "#4d574f", ACCENT = "#0a5f50", ON_ACCENT = "#ffffff";

const TEXT = `margin:0 0 18px;font-size:16px;line-height:26px;color:${INK}`;
const NOTE = `margin:0 0 12px;font-size:14px;line-height:22px;color:${SOFT}`;

// The style sheet for emails. Some email programs ignore style sheets, so emails must also look right without one.
const SHEET = `
  :root { color-scheme: light dark; supported-color-schemes: light dark; }
  body { -webkit-text-size-adjust: 100%; }
  @media (max-width: 480px) {
    .outer { padding: 20px 12px !important; }
    .inner { padding: 28px 22px !important; }
    .wide { width: 100% !important; }
    .button { text-align: center !important; }
    .button a { display: block !important; }
  }
  @media (prefers-color-scheme: dark) {
    .ground { background-color: #101412 !important; }
    .card { background-color: #181d1a !important; border-color: #2c342f !important; }
    .ink { color: #e8ede9 !important; }
    .soft { color: #a8b3ab !important; }
    .line { border-color: #2c342f !important; }
    .sunken { background-color: #0b0e0c !important; border-color: #70d4b9 !important; }
    .accent { color: #70d4b9 !important; }
    .button { background-color: #70d4b9 !important; }
    .button a { color: #06231c !important; border-color: #70d4b9 !important; }
  }
`;

export function renderMailHtml({ subject, preview, title, blocks }: MailContent, context: MailRenderContext): string {
  const { home, to } = context;
  return toText(markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${subject}</title>
<style>${raw(SHEET)}</style>
</head>
<body class="ground" style="margin:0;padding:0;background-color:${GROUND}">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;font-size:1px;line-height:1px">${preview}${
    raw("&#847;&zwnj;&nbsp;".repeat(40))
  }</div>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" class="ground" style="background-color:${GROUND}">
<tr><td align="center" class="outer" style="padding:40px 16px">
${raw(`<!--[if mso]><table role="presentation" width="600" cellpadding="0" cellspacing="0"><tr><td><![endif]-->`)}
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:600px;font-family:${FONT}">
<tr><td style="padding:0 4px 18px">
<span class="accent" style="font-size:17px;line-height:24px;font-weight:700;letter-spacing:-0.2px;color:${ACCENT}">Wheelwright</span>
<span class="soft" style="font-size:14px;line-height:24px;color:${SOFT}">&nbsp;${home.host}</span>
</td></tr>
<tr><td class="card inner" style="padding:40px 44px 28px;background-color:${SURFACE};border:1px solid ${LINE};border-radius:12px;overflow-wrap:anywhere;word-break:break-word">
<h1 class="ink" style="margin:0 0 20px;font-size:26px;line-height:32px;font-weight:700;letter-spacing:-0.4px;color:${INK}">${title}</h1>
${blocks.map((block) => renderBlock(block, context))}
</td></tr>
<tr><td class="soft" style="padding:18px 4px 0;font-size:13px;line-height:20px;color:${SOFT};overflow-wrap:anywhere">
Sent by Wheelwright at ${home.host} to ${to}. Replies to this email are not read.
</td></tr>
</table>
${raw("<!--[if mso]></td></tr></table><![endif]-->")}
</td></tr>
</table>
</body>
</html>
`);
}

function renderBlock(block: MailBlock, context: MailRenderContext): Markup {
  switch (block.kind) {
    case "paragraph":
      return markup`<p class="ink" style="${TEXT}">${block.text}</p>
`;
    case "note":
      return markup`<p class="soft" style="${NOTE}">${block.text}</p>
`;
    case "list":
      return markup`<ul class="ink" style="margin:0 0 18px;padding:0 0 0 22px;font-size:16px;line-height:26px;color:${INK}">
${
        block.items.map((item) =>
          markup`<li style="margin:0 0 4px"><bdi>${item}</bdi></li>
`
        )
      }</ul>
`;
    case "quote":
      return markup`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 18px"><tr><td class="sunken ink" style="padding:14px 18px;background-color:${SUNKEN};border-left:3px solid ${ACCENT};font-size:16px;line-height:26px;color:${INK}">
${block.text.split("\n").map((line, i) => i === 0 ? markup`${line}` : markup`<br>${line}`)}
</td></tr></table>
`;
    case "button":
      return renderButton(block.label, context.link ?? "");
  }
}

/**
 * Renders a button as a table, because some email programs ignore padding on links. The link is repeated as text below
 * the button.
 */
function renderButton(label: string, link: string): Markup {
  const face = `display:inline-block;padding:13px 26px;border:1px solid ${ACCENT};border-radius:8px;font-size:16px;` +
    `line-height:22px;font-weight:600;color:${ON_ACCENT};text-decoration:none`;
  return markup`<table role="presentation" cellpadding="0" cellspacing="0" border="0" class="wide" style="margin:8px 0 22px"><tr><td class="button" bgcolor="${ACCENT}" style="border-radius:8px;background-color:${ACCENT}"><a href="${link}" style="${face}">${label}</a></td></tr></table>
<p class="soft" style="margin:0 0 4px;font-size:13px;line-height:20px;color:${SOFT}">If the button does not work, open this address:</p>
<p class="line" style="margin:0 0 22px;padding:0 0 22px;border-bottom:1px solid ${LINE};font-size:13px;line-height:20px;word-break:break-all"><a href="${link}" class="accent" style="color:${ACCENT}">${link}</a></p>
`;
}

function toText(rendered: Markup): string {
  if (rendered instanceof Promise) throw new Error("The HTML template for an email must not contain a Promise");
  return rendered.toString();
}
