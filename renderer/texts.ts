import { createContext, use } from 'react';
import type { Words } from '../core/contract/words/en.ts';
import { type Formats, formatsFor } from '../core/contract/words/formats.ts';
import { languageOf, pickLocale, wordsFor } from '../core/contract/words/language.ts';

/** The catalogue and the formats of the page's language. */
export interface PageTexts {
  words: Words;
  formats: Formats;
}

export const Texts = createContext<PageTexts | undefined>(undefined);

/** The texts of the page; throws outside of a provider of {@link Texts}. */
export function useTexts(): PageTexts {
  const texts = use(Texts);
  if (texts === undefined) throw new Error('there are no texts here');
  return texts;
}

/** Texts of a locale that `pickLocale` gave; its region only changes how times and numbers look. */
export function textsFor(locale: string): PageTexts {
  const words = wordsFor(languageOf(locale));
  return { words, formats: formatsFor(locale, words.common.justNow) };
}

/** The locale that main put into the page's address. */
export function localeOfPage(search: string): string {
  return pickLocale([new URLSearchParams(search).get('locale') ?? '']);
}
