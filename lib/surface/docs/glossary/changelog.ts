/** What is announced, and what releases changed. */
import type { Entries } from "#lib/surface/docs/glossary/entry.ts";

export const CHANGELOG: Entries = {
  notices: ["What is announced at least 30 days ahead; what has taken effect stays for as long as it is declared"],
  releases: ["What each release changed; what is no release yet comes first"],
  "Changelog.version": ["The release that answers", "0.2.0"],

  "notices.id": ["Names it here, on the page and in no other way", "DELETE/api/spokes/:spokeId/2026-12-01"],
  "notices.kind": ["An endpoint that ends or changes, or a limit that comes", "deprecation"],
  "notices.title": ["What it is about, in a line", "DELETE /api/spokes/{spokeId}"],
  "notices.method": ["Of a deprecation: the endpoint's method", "DELETE"],
  "notices.path": ["Of a deprecation: the endpoint's path, as in the reference", "/api/spokes/{spokeId}"],
  "notices.state": ["announced until it takes effect, in_effect from then on", "announced"],
  "notices.announcedAt": ["Since when it is announced", "2026-12-01T00:00:00.000Z"],
  "notices.takesEffectAt": ["When the endpoint ends, or the limit begins to hold", "2027-01-01T00:00:00.000Z"],
  "notices.note": ["What to do about it; backticks mark code", "Use `POST /api/spokes/{spokeId}/actions`."],
  "notices.url": [
    "Where people read of it",
    "https://wheelwright.example/changelog#DELETE/api/spokes/:spokeId/2026-12-01",
  ],

  "releases.version": ["Its number, or unreleased for what is at work and not yet numbered", "0.2.0"],
  "releases.releasedAt": ["The day of its release; null for what is none yet", "2026-12-01T00:00:00.000Z"],
  "releases.changes": ["What users notice, an entry each; backticks mark code, double asterisks what matters", [
    "Spokes can be suspended in bulk: `POST /api/spokes/actions`.",
  ]],
};
