import { useSyncExternalStore } from 'react';

/** Where in the app the window is. */
export type Route =
  | { page: 'automations' }
  /** What a workflow file does, for whoever is to allow it. */
  | { page: 'allow'; path: string }
  /** The form of a workflow's parameters. */
  | { page: 'start'; path: string }
  | { page: 'runs' }
  | { page: 'run'; runId: string }
  | { page: 'settings' };

/** The route that an address' hash names; the first page where it names none. */
export function parseRoute(hash: string): Route {
  const [page, encoded = ''] = hash.replace(/^#\//, '').split('/');
  const rest = decodeURIComponent(encoded);
  if (page === 'settings') return { page };
  if (page === 'runs') return rest === '' ? { page } : { page: 'run', runId: rest };
  if ((page === 'allow' || page === 'start') && rest !== '') return { page, path: rest };
  return { page: 'automations' };
}

/** The hash of a route, for links. */
export function hrefOf(route: Route): string {
  if (route.page === 'run') return `#/runs/${encodeURIComponent(route.runId)}`;
  return 'path' in route ? `#/${route.page}/${encodeURIComponent(route.path)}` : `#/${route.page}`;
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
