import { ArrowLeft } from 'lucide-react';
import { hrefOf, type Route } from '../route.ts';

/** The way from a page to the list that it belongs to. */
export function Back({ to, children }: { to: Route; children: string }) {
  return (
    <a className="back" href={hrefOf(to)}>
      <ArrowLeft size={14} aria-hidden />
      {children}
    </a>
  );
}
