import { describe, expect, it } from 'vitest';
import type { Window } from './desktop.ts';
import { heldBy, openMenus, windowByTitle, windowOfApp } from './window-choice.ts';

function window(id: string, more: Partial<Window> = {}): Window {
  const bounds = { x: 0, y: 0, width: 100, height: 100 };
  return { id, title: id, app: 'ledger', pid: 7, bounds, kind: 'normal', state: 'normal', modal: false, ...more };
}

describe('windowOfApp', () => {
  const windows = [
    window('menu', { kind: 'menu', title: 'Invoice 1' }),
    window('mail', { app: 'mail', title: 'Invoice 1' }),
    window('front'),
    window('small', { title: 'Ｉnvoice 2', state: 'minimized' }),
    window('back', { title: 'Books - Invoice 1' }),
  ];

  it('takes the frontmost of the application, whatever its case', () => {
    expect(windowOfApp(windows, 'LEDGER')?.id).toBe('front');
    expect(windowOfApp(windows, 'other')).toBeUndefined();
  });

  it('prefers a title that contains the text', () => {
    expect(windowOfApp(windows, 'ledger', 'Invoice')?.id).toBe('back');
    expect(windowOfApp(windows, 'ledger', 'Invoice 2')?.id).toBe('small');
    expect(windowOfApp(windows, 'ledger', 'Books*1')?.id).toBe('back');
    expect(windowOfApp(windows, 'ledger', 'Nothing')?.id).toBe('front');
  });

  it('never takes a window whose application is not known', () => {
    expect(windowOfApp([window('x', { app: '' })], '')).toBeUndefined();
  });

  it('needs the title where it has nothing else', () => {
    expect(windowByTitle(windows, 'Invoice 1')?.id).toBe('mail');
    expect(windowByTitle(windows, 'Invoice 1', 'ledger')?.id).toBe('back');
    expect(windowByTitle(windows, 'Invoice 1', 'other')?.id).toBe('mail');
    expect(windowByTitle(windows, 'Nothing', 'ledger')).toBeUndefined();
  });
});

describe('heldBy', () => {
  it('follows modal dialogs to the one on top', () => {
    const main = window('main');
    const windows = [
      window('sure', { kind: 'dialog', modal: true, owner: 'save' }),
      window('save', { kind: 'dialog', modal: true, owner: 'main' }),
      main,
    ];
    expect(heldBy(windows, main).id).toBe('sure');
    expect(heldBy(windows, window('elsewhere')).id).toBe('elsewhere');
  });

  it('takes a dialog without an owner as one of its process', () => {
    const main = window('main');
    const dialog = window('dialog', { kind: 'dialog', modal: true });
    expect(heldBy([dialog, main], main).id).toBe('dialog');
    expect(heldBy([dialog, main], window('mail', { pid: 8 })).id).toBe('mail');
    expect(heldBy([dialog, main], dialog).id).toBe('dialog');
  });

  it('leaves a window beside a dialog that is not modal', () => {
    const main = window('main');
    expect(heldBy([window('find', { kind: 'dialog', owner: 'main' }), main], main).id).toBe('main');
  });

  it('ends where dialogs own each other', () => {
    const one = window('one', { kind: 'dialog', modal: true, owner: 'two' });
    const two = window('two', { kind: 'dialog', modal: true, owner: 'one' });
    expect(heldBy([one, two], one).id).toBe('two');
  });
});

it('openMenus are those of the same process', () => {
  const main = window('main');
  const windows = [window('menu', { kind: 'menu' }), window('other', { kind: 'menu', pid: 8 }), main];
  expect(openMenus(windows, main).map(({ id }) => id)).toEqual(['menu']);
});
