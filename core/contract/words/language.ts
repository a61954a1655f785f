import { en, type Words } from './en.ts';
import { ja } from './ja.ts';

const catalogues = { en, ja } satisfies Record<string, Words>;

/** A language that there is a catalogue for. */
export type Language = keyof typeof catalogues;

/**
 * The first wish (most wanted first) that there is a catalogue for, as a locale that
 * formats can be made of: `ja-JP`, `en-GB`. Wishes may come from an environment, as
 * `ja_JP.UTF-8` or `C`. English when none fits.
 */
export function pickLocale(wishes: readonly string[]): string {
  for (const wish of wishes) {
    const locale = wish.replace(/[.@].*$/, '').replaceAll('_', '-');
    if (isLocale(locale) && languageIn(locale) in catalogues) return locale;
  }
  return 'en';
}

/** The catalogue's language for a locale that {@link pickLocale} gave. */
export function languageOf(locale: string): Language {
  return languageIn(locale) as Language;
}

/** The catalogue of a language. */
export function wordsFor(language: Language): Words {
  return catalogues[language];
}

const languageIn = (locale: string) => locale.toLowerCase().split('-')[0] ?? '';

function isLocale(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
