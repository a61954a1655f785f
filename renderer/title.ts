import { useEffect } from 'react';
import { useTexts } from './texts.ts';

/** Names the window after its page. */
export function useTitle(page: string): void {
  const { words } = useTexts();
  const title = `${page} – ${words.product}`;
  useEffect(() => {
    document.title = title;
  }, [title]);
}
