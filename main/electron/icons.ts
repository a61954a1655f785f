import { fileURLToPath } from 'node:url';

/** Absolute path of a picture of build/icons, by its name without the ending. */
export function iconFile(name: string): string {
  return fileURLToPath(new URL(`../build/icons/${name}.png`, import.meta.url));
}
