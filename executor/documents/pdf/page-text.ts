import type { PDFPageProxy } from 'pdfjs-dist/types/src/display/api.d.ts';

interface Piece {
  text: string;
  /** Along the line. */
  x: number;
  /** Across the lines, growing towards the first. */
  y: number;
  width: number;
  /** Of a letter. */
  height: number;
}

/**
 * The page's lines, in the order of their reading; what stands beside each other is one
 * line. Text in another direction, as along a margin, comes after.
 */
export async function pageText(page: PDFPageProxy): Promise<string> {
  const { items, styles } = await page.getTextContent();
  const directions = new Map<string, Piece[]>();
  for (const item of items) {
    if (!('str' in item) || item.str.trim() === '') continue;
    const { direction, piece } = placed(item, styles[item.fontName]?.vertical ?? false);
    const pieces = directions.get(direction);
    if (pieces === undefined) directions.set(direction, [piece]);
    else pieces.push(piece);
  }
  const groups = [...directions.values()].sort((one, other) => other.length - one.length);
  return groups.flatMap((pieces) => linesOf(pieces).map(lineText)).join('\n');
}

type TextItem = Extract<Awaited<ReturnType<PDFPageProxy['getTextContent']>>['items'][number], { str: string }>;

/** Where a piece stands when the page is turned so that its text is upright. */
function placed(item: TextItem, isVertical: boolean): { direction: string; piece: Piece } {
  const [a = 1, b = 0, , , x = 0, y = 0] = item.transform as number[];
  const size = Math.hypot(a, b) || 1;
  const [cos, sin] = [a / size, b / size];
  const [along, across] = [x * cos + y * sin, y * cos - x * sin];
  const direction = `${Math.round((Math.atan2(b, a) * 18) / Math.PI)}${isVertical ? ' vertical' : ''}`;
  const { str: text, width, height } = item;
  // Vertical lines go down, and the first is the rightmost.
  if (isVertical) return { direction, piece: { text, x: -across, y: along, width: height, height: width || 1 } };
  return { direction, piece: { text, x: along, y: across, width, height: height || 1 } };
}

/** Pieces whose baselines differ by less than half a letter are on one line. */
function linesOf(pieces: Piece[]): Piece[][] {
  const lines: Piece[][] = [];
  for (const piece of pieces.sort((a, b) => b.y - a.y)) {
    const line = lines.at(-1);
    const first = line?.[0];
    if (line !== undefined && first !== undefined && first.y - piece.y < Math.min(first.height, piece.height) / 2) {
      line.push(piece);
    } else {
      lines.push([piece]);
    }
  }
  return lines.map((line) => line.sort((a, b) => a.x - b.x));
}

/** A wide gap, as between columns, becomes a tab; a small one a space. */
function lineText(line: readonly Piece[]): string {
  let text = '';
  let end = Number.NaN;
  for (const piece of line) {
    const gap = piece.x - end;
    if (gap > piece.height * 1.5) text += '\t';
    else if (gap > piece.height * 0.15 && !/\s$/.test(text) && !/^\s/.test(piece.text)) text += ' ';
    text += piece.text;
    end = piece.x + piece.width;
  }
  return text.trim();
}

/** A font without a mapping gives replacement, private-use or control characters in place of letters. */
export function isReadable(text: string): boolean {
  const letters = text.replace(/\s/g, '');
  const garbage = letters.match(/[\uFFFD\p{Co}\p{Cn}\p{Cc}]/gu)?.length ?? 0;
  return letters.length > 0 && garbage < letters.length / 4;
}
