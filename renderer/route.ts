import { useSyncExternalStore } from 'react';

/** Where in the app the window is. */
export type Route = { page: 'automations' } | { page: 'runs' } | { page: 'run'; runId: string };

/** The route that an address' hash names; the first page where it names none. */
export function parseRoute(hash: string): Route {
  const [page, runId] = hash.replace(/^#\//, '').split('/');
  if (page !== 'runs') return { page: 'automations' };
  return runId === undefined || runId === '' ? { page: 'runs' } : { page: 'run', runId: decodeURIComponent(runId) };
}

/** The hash of a route, for links. */
export function hrefOf(route: Route): string {
  return route.page === 'run' ? `#/runs/${encodeURIComponent(route.runId)}` : `#/${route.page}`;
}

export function goTo(route: Route): void {
  window.location.hash = hrefOf(route);
}

/** The current route, kept up to date. */
export function useRoute(): Route {
  return parseRoute(useSyncExternalStore(subscribe, () => window.location.hash));
}

function subscribe(changed: () => void): () => void {
  window.addEventListener('hashchange', changed);
  return () => window.removeEventListener('hashchange', changed);
}
