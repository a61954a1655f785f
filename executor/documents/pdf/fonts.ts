import { GlobalFonts } from '@napi-rs/canvas';

/** Fonts with Japanese letters that systems have, the plain ones first. */
const japanese = [
  'Noto Sans CJK JP',
  'Noto Sans JP',
  'Yu Gothic',
  'Meiryo',
  'MS Gothic',
  'Hiragino Sans',
  'Hiragino Kaku Gothic ProN',
  'IPAexGothic',
  'IPAGothic',
  'TakaoGothic',
  'VL Gothic',
];
let registered = false;

/**
 * Gives a page's drawing a font for text whose own is not in the PDF: the general names
 * that pdf.js falls back to have none here, and would give empty boxes.
 */
export function registerFonts(): void {
  if (registered) return;
  registered = true;
  const families = new Set(GlobalFonts.families.map(({ family }) => family));
  const found = japanese.find((family) => families.has(family));
  if (found === undefined) return;
  for (const name of ['sans-serif', 'serif', 'monospace']) GlobalFonts.setAlias(found, name);
}
