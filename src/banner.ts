/** Renders the banner that `wheelwright dev` prints, with the address, the credentials and the next commands. */

export interface BannerData {
  readonly version: string;
  readonly url: string;
  readonly email: string;
  /** The new operator's password. Null if the operator already exists, because the database stores only a hash. */
  readonly password: string | null;
  readonly database: string;
  readonly cluster: string;
  /** Whether to print the banner in colour, with ANSI escape codes. */
  readonly colours: boolean;
}

/** Returns the banner text. The text ends with an empty line, to separate the banner from the next line. */
export function renderBanner(greeting: BannerData): string {
  const paint = (code: string, text: string) => greeting.colours ? `\x1b[${code}m${text}\x1b[0m` : text;
  const row = (name: string, value: string) => `  ${paint("2", name.padEnd(10))} ${value}\n`;
  const password = greeting.password
    ? paint("1", greeting.password)
    : paint("2", "set at the first start. To reset the password:") + "\n" +
      row("", `npm run wheelwright -- admin reset-password ${greeting.email}`).trimEnd();
  const lines = [
    'alias wheelwright="$PWD/src/wheelwright.js"',
    `wheelwright login ${greeting.url} --email ${greeting.email}`,
  ];
  return "\n" +
    `  ${paint("1;36", "◎ Wheelwright")} ${paint("2", `${greeting.version} · development`)}\n\n` +
    row("Address", paint("4", greeting.url)) +
    row("Email", greeting.email) +
    row("Password", password) +
    "\n" +
    row("Reference", `${greeting.url}/api/docs`) +
    row("Database", greeting.database) +
    row("Cluster", greeting.cluster) +
    "\n" +
    row("Next", "open the address in a browser and sign in") +
    row("", "or run in another terminal, in this directory:") +
    `\n${lines.map((line) => `    ${paint("36", line)}\n`).join("")}\n`;
}
