import { expect, it } from 'vitest';
import type { Window } from '../../native/desktop.ts';
import { protection } from './protect.ts';

function window(more: Partial<Window>): Window {
  const bounds = { x: 0, y: 0, width: 1, height: 1 };
  return {
    id: '1',
    title: 'Inbox',
    app: 'mail',
    pid: 5,
    bounds,
    kind: 'normal',
    state: 'normal',
    modal: false,
    ...more,
  };
}

it('protects the windows of this process and of those that started it', () => {
  const isProtected = protection({});
  expect(isProtected(window({ pid: process.pid }))).toBe(true);
  expect(isProtected(window({ pid: process.ppid }))).toBe(true);
  expect(isProtected(window({ pid: 0 }))).toBe(false);
  expect(isProtected(window({ pid: 1 }))).toBe(false);
});

it('protects the applications and titles that the environment names', () => {
  const env = {
    DAGU_DESKTOP_PROTECTED_APPS: ' Console.exe, ,viewer',
    DAGU_DESKTOP_PROTECTED_TITLES: 'Runs - *Desktop,',
  };
  const isProtected = protection(env, new Set());
  expect(isProtected(window({ app: 'console' }))).toBe(true);
  expect(isProtected(window({ app: 'Viewer' }))).toBe(true);
  expect(isProtected(window({ app: 'console2' }))).toBe(false);
  expect(isProtected(window({ title: 'Runs - Dagu Desktop — Browser' }))).toBe(true);
  expect(isProtected(window({ title: 'Runs' }))).toBe(false);
  expect(isProtected(window({ app: '', title: '' }))).toBe(false);
});
