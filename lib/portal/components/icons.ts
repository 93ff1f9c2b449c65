/** Defines the portal's icons. The icons are decorative: the text next to each icon has the same meaning. */
import { type Markup, trustedMarkup } from "#lib/http/page.ts";

const SHAPES = {
  hubs: `<circle cx="12" cy="12" r="3"/><path d="M12 3v6M12 15v6M3 12h6M15 12h6"/>`,
  sites: `<path d="M4 5h16v5H4zM4 14h16v5H4zM7.5 7.5h.1M7.5 16.5h.1"/>`,
  requests: `<path d="M4 13v5a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-5M4 13l3-8h10l3 8M4 13h5l1.5 2.5h3L15 13h5"/>`,
  waves: `<path d="M4 18h3v-4H4zM10.5 18h3V10h-3zM17 18h3V6h-3z"/>`,
  bell: `<path d="M6 9.5a6 6 0 0 1 12 0c0 5 2 6.5 2 6.5H4s2-1.5 2-6.5M10 19.5a2.2 2.2 0 0 0 4 0"/>`,
  key: `<circle cx="8" cy="15" r="4"/><path d="M11 12l8.5-8.5M16 7l3 3"/>`,
  people:
    `<circle cx="9" cy="8" r="3.5"/><path d="M2.5 20a6.5 6.5 0 0 1 13 0M16 4.8a3.5 3.5 0 0 1 0 6.4M18 14.2a6.5 6.5 0 0 1 3.5 5.8"/>`,
  audit: `<path d="M6 3h9l4 4v14H6zM9.5 11h6M9.5 15h6M9.5 7h2.5"/>`,
  account: `<circle cx="12" cy="8" r="4"/><path d="M4 21a8 8 0 0 1 16 0"/>`,
  news: `<path d="M4 10v4l11 5V5zM15 9.5a3 3 0 0 1 0 5M7 15v4h3v-2.7"/>`,
  book: `<path d="M4 5c3-1.3 6-1 8 .8 2-1.8 5-2.1 8-.8v14c-3-1.3-6-1-8 .8-2-1.8-5-2.1-8-.8zM12 6v13.5"/>`,
  out: `<path d="M14 4h5v16h-5M3.5 12h11M10 7.5l4.5 4.5-4.5 4.5"/>`,
  open: `<path d="M8 5H5v14h14v-3M12 4h8v8M20 4l-9 9"/>`,
  done: `<path d="M5 12.5l4.5 4.5L19 7.5"/>`,
  cross: `<path d="M6 6l12 12M18 6L6 18"/>`,
  warning: `<path d="M12 4L2.8 20h18.4zM12 10v4.5M12 17.2v.3"/>`,
  pause: `<path d="M8.5 5v14M15.5 5v14"/>`,
  wait: `<circle cx="12" cy="12" r="8.5"/><path d="M12 7v5l3.5 2"/>`,
  work: `<path d="M12 3.5a8.5 8.5 0 1 1-8.5 8.5"/>`,
  dot: `<circle cx="12" cy="12" r="5" fill="currentColor" stroke="none"/>`,
  minus: `<path d="M6 12h12"/>`,
  search: `<circle cx="10.5" cy="10.5" r="6.5"/><path d="M15.5 15.5L21 21"/>`,
} as const;
export type IconName = keyof typeof SHAPES;

export function icon(name: IconName): Markup {
  return trustedMarkup(
    `<svg class="icon ${name}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" ` +
      `stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${SHAPES[name]}</svg>`,
  );
}
