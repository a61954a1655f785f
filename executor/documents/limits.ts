/** The largest file that is read (spec: Files): 50 MB. */
export const maxFileBytes = 52_428_800;

/** How much text all files of a step may hold together, in Unicode code points (spec: Files). */
export const maxCharacters = 1_000_000;

/** How many images all files of a step may give together (spec: Files). */
export const maxImages = 50;

/** The long edge of what a model gets to see, in pixels (spec: Files). */
export const maxEdge = 1568;

/** What one document may come to; a reader stops where it is passed. */
export interface Limits {
  characters: number;
  images: number;
}

/** What one document may take of the computer, in milliseconds and bytes. */
export const readingLimits = { timeMs: 60_000, memoryBytes: 1_073_741_824 };

/** The most that a zip package may unpack to, in bytes: a small file can claim gigabytes. */
export const maxUnpackedBytes = 524_288_000;

/** The number of Unicode code points. */
export function countCharacters(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xdc00 && unit <= 0xdfff && isHighSurrogate(text.charCodeAt(index - 1))) count -= 1;
  }
  return count;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
