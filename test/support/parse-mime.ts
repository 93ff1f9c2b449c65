/** Parses the headers and visible parts of a raw email. Supports only the features that Wheelwright's emails use. */

export interface MimeParts {
  /** The decoded headers, keyed by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly html: string;
}

export function parseMime(raw: string): MimeParts {
  const { headers, body } = split(raw);
  const boundary = /boundary="([^"]+)"/.exec(headers["content-type"] ?? "")?.[1];
  const parts = boundary === undefined
    ? [{ headers, body }]
    : body.split(`--${boundary}`).slice(1, -1).map((part) => split(part.replace(/^\r?\n/, "")));
  const find = (type: string) => {
    const part = parts.find(({ headers }) => headers["content-type"]?.startsWith(type));
    return part ? decode(part.body, part.headers["content-transfer-encoding"]).replaceAll("\r\n", "\n").trimEnd() : "";
  };
  return { headers, text: find("text/plain"), html: find("text/html") };
}

function split(raw: string): { headers: Record<string, string>; body: string } {
  const [, head = "", body = ""] = /^([\s\S]*?)\r?\n\r?\n([\s\S]*)$/.exec(raw) ?? [];
  const lines = head.replace(/\r?\n[ \t]+/g, " ").split(/\r?\n/);
  const headers = Object.fromEntries(lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), decodeWords(line.slice(colon + 1).trim())];
  }));
  return { headers, body };
}

function decode(body: string, encoding = "7bit"): string {
  if (encoding === "base64") return Buffer.from(body, "base64").toString("utf8");
  return encoding === "quoted-printable" ? unquote(body.replace(/=\r?\n/g, "")) : body;
}

function unquote(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}

/** Decodes words such as `=?UTF-8?Q?…?=`. Drops the space between two encoded words, as the standard requires. */
function decodeWords(text: string): string {
  return text.replace(/\?=\s+=\?/g, "?==?").replace(
    /(?:=\?utf-8\?[bq]\?[^?]*\?=)+/gi,
    (words) => {
      const parts = [...words.matchAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi)].map(([, how, word]) =>
        how!.toLowerCase() === "b" ? Buffer.from(word!, "base64") : Buffer.from(
          word!.replaceAll("_", " ").replace(/=([0-9A-F]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16))),
          "latin1",
        )
      );
      return Buffer.concat(parts).toString("utf8");
    },
  );
}
