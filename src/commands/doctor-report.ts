/** Writes the report of `wheelwright doctor`. */
import { shouldUseColoursOnStdout } from "#lib/base/environment.ts";
import { type FindingSection, summarizeFindings } from "#lib/doctor/finding.ts";
import { renderFindingSection, renderFindingSummary, renderSectionHeading } from "#lib/doctor/render.ts";
import { readProgramRelease } from "../release.ts";
import { CommandError } from "../cli/exit-status.ts";

export function openReport(json: boolean) {
  const colours = shouldUseColoursOnStdout();
  const { version } = readProgramRelease();
  const sections: FindingSection[] = [];
  const clear = process.stderr.isTTY === true ? "\r\x1b[2K" : "";
  let hasProgressLine = false;
  const write = (text: string): void => {
    if (hasProgressLine) process.stderr.write(clear);
    hasProgressLine = false;
    if (!json) process.stdout.write(text);
  };
  write(renderSectionHeading(version, colours));
  return {
    add(section: FindingSection) {
      sections.push(section);
      write(renderFindingSection(section, colours));
    },
    /** Returns a function that shows progress, as a temporary terminal line or, after an abort, a permanent line. */
    progress: (signal: AbortSignal) => (sentence: string) => {
      if (signal.aborted) process.stderr.write(`${clear}${sentence}\n`);
      else if (clear !== "") process.stderr.write(`${clear}  … ${sentence}`);
      hasProgressLine = !signal.aborted;
    },
    /** Prints the summary. If a check failed, throws a CommandError with the given exit status. */
    end(status: number) {
      const summary = summarizeFindings(sections);
      write("\n");
      if (json) process.stdout.write(JSON.stringify({ version, ...summary, sections }, null, 2) + "\n");
      const last = json ? summary.sentence : renderFindingSummary(summary, colours);
      if (!summary.ready) throw new CommandError(status, last);
      if (!json) process.stdout.write(`${last}\n`);
    },
  };
}
