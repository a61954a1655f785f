import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';

/**
 * Draws the pictures of this folder: `node build/icons/make-icons.mjs`. The results are
 * kept in the repository, so that neither a build nor a start of the app draws anything.
 *
 * The mark is a window with a tick where the work was done. Tray pictures are drawn on a
 * grid of 16, on whole pixels at 1x and 2x; each state has a shape beside its colour.
 */

const folder = fileURLToPath(new URL('./', import.meta.url));

/** Shows on a light and on a dark panel alike. */
const coloured = { mark: '#4c8bf5', inside: '#ffffff', working: '#e07b00', problem: '#d93036', sign: '#ffffff' };
/** For macOS, which paints what is opaque in the menu bar's own colour. */
const mono = { mark: '#000', inside: undefined, working: '#000', problem: '#000', sign: undefined };

/**
 * A window of 16 by 16 with a hole for the state's badge; parts without a colour are holes.
 *
 * @param {typeof coloured | typeof mono} colours
 * @param {'idle' | 'working' | 'problem'} state
 */
function tray(colours, state) {
  const holes = colours.inside === undefined;
  const badged = state !== 'idle';
  const tick =
    '<path d="M4.5 9.5 7 12l4.5-4.5" fill="none" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"';
  const lines = '<path d="M4 9h3M4 12h2" fill="none" stroke-width="2"';
  const inside = badged ? lines : tick;
  const sign = {
    idle: '',
    working: '<path d="M10.5 9.5v5l4-2.5z"',
    problem: '<path d="M11 9h2v3h-2zM11 13h2v2h-2z"',
  }[state];
  const badge = badged ? `<circle cx="12" cy="12" r="4" fill="${colours[state]}"/>` : '';
  return `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16">
    <mask id="m"><rect width="16" height="16" fill="#fff"/>
      <path d="M2 6h12v7.5a.5.5 0 0 1-.5.5h-11a.5.5 0 0 1-.5-.5z" fill="#000"/>
      ${badged ? '<path d="M12 12h4v4h-4z" fill="#000"/><circle cx="12" cy="12" r="5" fill="#000"/>' : ''}</mask>
    <mask id="s"><rect width="16" height="16" fill="#fff"/>${sign && `${sign} fill="#000"/>`}</mask>
    ${holes ? '' : `<rect x="1" y="2" width="14" height="13" rx="2" fill="${colours.inside}"/>`}
    <rect x="0" y="1" width="16" height="15" rx="2" fill="${colours.mark}" mask="url(#m)"/>
    ${inside} stroke="${colours.mark}"/>
    ${badged && !holes ? `<circle cx="12" cy="12" r="5" fill="${colours.inside}"/>` : ''}
    ${holes ? `<g mask="url(#s)">${badge}</g>` : badge}
    ${holes || !sign ? '' : `${sign} fill="${colours.sign}"/>`}
  </svg>`
    .replaceAll(' mask=""', '')
    .replaceAll(' mask="url(#m2)"', '');
}

const app = `<svg xmlns="http://www.w3.org/2000/svg" width="512" height="512" viewBox="0 0 512 512">
  <rect x="32" y="64" width="448" height="384" rx="56" fill="#4c8bf5"/>
  <path d="M80 168h352v196a36 36 0 0 1-36 36H116a36 36 0 0 1-36-36z" fill="#fff"/>
  <circle cx="100" cy="116" r="16" fill="#fff"/><circle cx="152" cy="116" r="16" fill="#fff"/>
  <path d="m168 286 60 60 116-116" fill="none" stroke="#4c8bf5" stroke-width="44" stroke-linecap="round" stroke-linejoin="round"/>
</svg>`;

/**
 * @param {string} svg
 * @param {number} size Of the picture, in pixels.
 * @param {number} drawn The size that the drawing has by itself.
 * @param {string} file
 */
async function save(svg, size, drawn, file) {
  const png = await sharp(Buffer.from(svg), { density: (72 * size) / drawn })
    .png({ compressionLevel: 9 })
    .toBuffer();
  await writeFile(`${folder}${file}`, png);
}

for (const state of /** @type {const} */ (['idle', 'working', 'problem'])) {
  for (const [suffix, colours] of /** @type {const} */ ([
    ['', coloured],
    ['-mono', mono],
  ])) {
    const svg = tray(colours, state);
    await save(svg, 16, 16, `tray-${state}${suffix}.png`);
    await save(svg, 32, 16, `tray-${state}${suffix}@2x.png`);
  }
}
await save(app, 512, 512, 'app.png');
