/** Opens a URL in the user's browser. */
import { spawn } from "node:child_process";
import type { ProcessVariables } from "#lib/base/environment.ts";

/** Opens the URL in a browser. Ignores a missing browser, because the command has already printed the URL. */
export function openBrowser(url: string, { BROWSER: browser }: ProcessVariables): void {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) return; // URLs with other schemes could start a program
  const command = browser || { darwin: "open", win32: "explorer" }[process.platform as string] || "xdg-open";
  spawn(command, [url], { stdio: "ignore", detached: true }).on("error", () => {}).unref();
}

/** Returns whether a browser can open on this machine: not over SSH, and on Linux only in a graphical session. */
export function canOpenBrowser(
  { BROWSER, DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION, SSH_TTY }: ProcessVariables,
): boolean {
  if (BROWSER) return true;
  if (SSH_CONNECTION || SSH_TTY) return false;
  return ["darwin", "win32"].includes(process.platform) || Boolean(DISPLAY || WAYLAND_DISPLAY);
}
