import { expect, it } from 'vitest';
import { hrefOf, parseRoute, type Route } from './route.ts';

it('reads back every route that it writes', () => {
  const routes: Route[] = [
    { page: 'automations' },
    { page: 'runs' },
    { page: 'run', runId: 'run 1/ä#?' },
    { page: 'allow', path: '/flows/ä b.yaml' },
    { page: 'start', path: 'C:\\flows\\a.yaml' },
    { page: 'settings' },
  ];
  for (const route of routes) expect(parseRoute(hrefOf(route))).toEqual(route);
});

it('shows the first page for an address that names none', () => {
  for (const hash of ['', '#', '#/', '#/nothing/there']) expect(parseRoute(hash)).toEqual({ page: 'automations' });
  expect(parseRoute('#/runs/')).toEqual({ page: 'runs' });
});
