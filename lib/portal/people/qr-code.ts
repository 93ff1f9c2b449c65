/** Renders QR codes as inline SVG, so that no other server sees what the code contains. */
import { encode } from "uqr";
import { type Markup, markup } from "#lib/http/page.ts";

/** Returns a QR code. `label` describes it for people who cannot see it. */
export function renderQrCode(text: string, label: string): Markup {
  const { data, size } = encode(text, { ecc: "M", border: 2 });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => isDark ? [`M${x} ${y}h1v1h-1z`] : [])).join("");
  return markup`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges">
<rect width="${size}" height="${size}" fill="#fff"/><path d="${path}" fill="#000"/></svg>`;
}
