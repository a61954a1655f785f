import { CircleAlert, type LucideIcon, RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { failureWords } from '../bridge.ts';
import { useTexts } from '../texts.ts';

/** A page's data is on its way. Shown only after a moment, since most of the time it is there at once. */
export function Loading() {
  const { words } = useTexts();
  return (
    <p className="loading" role="status">
      {words.common.loading}
    </p>
  );
}

/** A page has nothing to show yet, and says how that changes. */
export function Empty({ icon: Icon, title, children }: { icon: LucideIcon; title: string; children: ReactNode }) {
  return (
    <div className="blank">
      <Icon size={32} strokeWidth={1.5} aria-hidden />
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** A page's data could not be read. */
export function Failing({ title, error, retry }: { title: string; error: unknown; retry(): void }) {
  const { words } = useTexts();
  return (
    <div className="blank failed" role="alert">
      <CircleAlert size={32} strokeWidth={1.5} aria-hidden />
      <h2>{title}</h2>
      <p>{failureWords(error, words)}</p>
      <button type="button" onClick={retry}>
        <RotateCw size={14} aria-hidden />
        {words.common.tryAgain}
      </button>
    </div>
  );
}

/** Something failed that the page can live with: said in its place, in words. */
export function Alert({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <div className="alert" role="alert">
      <CircleAlert size={16} aria-hidden />
      <div>
        {title !== undefined && <strong>{title}</strong>}
        <div className="alert-text">{children}</div>
      </div>
    </div>
  );
}
