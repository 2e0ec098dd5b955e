// A QR code as SVG in the page: no script draws it, and no image is loaded.
import { correction, generate } from 'lean-qr';
import { Html, html } from './markup.ts';

/** Modules of white around the code, as ISO/IEC 18004 requires. */
const quiet = 4;

/** `label`: its text for screen readers. Black on white in dark pages too: some readers find no other code. */
export function qrCode(text: string, label: string): Html {
  const code = generate(text, { minCorrectionLevel: correction.M });
  const size = code.size + 2 * quiet;
  const modules: string[] = [];
  for (let y = 0; y < code.size; y += 1) {
    for (let x = 0; x < code.size; x += 1) {
      if (code.get(x, y)) modules.push(`M${x + quiet} ${y + quiet}h1v1h-1z`);
    }
  }
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${new Html(modules.join(''))}"/></svg>`;
}
