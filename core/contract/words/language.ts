import { en, type Words } from './en.ts';
import { ja } from './ja.ts';

const catalogues = { en, ja } satisfies Record<string, Words>;

/** A language that there is a catalogue for. */
export type Language = keyof typeof catalogues;

/** The first wish (BCP 47, most wanted first) that there is a catalogue for, by its language alone; else English. */
export function pickLanguage(wishes: readonly string[]): Language {
  for (const wish of wishes) {
    const language = wish.toLowerCase().split(/[-_]/)[0];
    if (language !== undefined && language in catalogues) return language as Language;
  }
  return 'en';
}

/** The catalogue of a language. */
export function wordsFor(language: Language): Words {
  return catalogues[language];
}
