import { Menu, type MenuItemConstructorOptions, nativeImage, Tray } from 'electron';
import type { Words } from '../../core/contract/words/en.ts';
import type { TrayIcon, TrayState } from '../tray-state.ts';
import { iconFile } from './icons.ts';

/** What a person can ask for at the tray icon. */
export interface TrayActions {
  open(): void;
  stop(runId: string): void;
  quit(): void;
}

/** The icon in the system's tray: its picture, its hover text and its menu. */
export class TrayView {
  readonly #tray: Tray;
  readonly #words: Words;
  readonly #actions: TrayActions;
  #shown = '';

  constructor(state: TrayState, words: Words, actions: TrayActions) {
    this.#tray = new Tray(image(state.icon));
    this.#words = words;
    this.#actions = actions;
    this.#tray.on('click', actions.open);
    this.show(state);
  }

  /** Shows a state. What is shown already is left alone, since setting a menu closes the one that is open. */
  show(state: TrayState): void {
    const shown = JSON.stringify(state);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#tray.setImage(image(state.icon));
    this.#tray.setToolTip(state.sentence);
    this.#tray.setContextMenu(Menu.buildFromTemplate(this.#menu(state)));
  }

  #menu({ sentence, stoppable }: TrayState): MenuItemConstructorOptions[] {
    const { open, stop, quit } = this.#actions;
    return [
      { label: sentence, enabled: false },
      { type: 'separator' },
      { label: this.#words.tray.open, click: open },
      ...stoppable.map(({ runId, label }) => ({ label, click: () => stop(runId) })),
      { type: 'separator' },
      { label: this.#words.tray.quit, click: quit },
    ];
  }
}

/** macOS draws the icon in the menu bar's own colour; elsewhere it has colours that show on light and dark. */
function image(icon: TrayIcon): Electron.NativeImage {
  const template = process.platform === 'darwin';
  const picture = nativeImage.createFromPath(iconFile(`tray-${icon}${template ? '-mono' : ''}`));
  picture.setTemplateImage(template);
  return picture;
}
