import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { localeOfPage, Texts, textsFor } from './texts.ts';

const locale = localeOfPage(window.location.search);
const root = document.getElementById('root');
if (root === null) throw new Error('the page has no place for the app');
document.documentElement.lang = locale;
createRoot(root).render(
  <Texts value={textsFor(locale)}>
    <App />
  </Texts>,
);
