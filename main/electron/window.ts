import { fileURLToPath } from 'node:url';
import { app, BrowserWindow, nativeTheme, type Session, type WebContents } from 'electron';
import { iconFile } from './icons.ts';
import { pagesOrigin } from './pages.ts';

const preload = fileURLToPath(new URL('./preload.cjs', import.meta.url));

/** As the pages' style sheet has them, so that a window does not flash while its page loads. */
const background = { light: '#fcfcfc', dark: '#1b1c1e' };

/** The app's one window: made when it is opened, gone when it is closed. */
export class MainWindow {
  readonly #session: Session;
  readonly #locale: string;
  readonly #onLooked: () => void;
  #window: BrowserWindow | undefined;

  /**
   * @param locale language and region for the pages, as a BCP 47 tag
   * @param onLooked called each time the window gets a person's attention
   */
  constructor(session: Session, locale: string, onLooked: () => void) {
    this.#session = session;
    this.#locale = locale;
    this.#onLooked = onLooked;
  }

  /** Opens the window, or brings it forward. */
  open(): void {
    if (this.#window === undefined) {
      this.#window = this.#make();
      return;
    }
    if (this.#window.isMinimized()) this.#window.restore();
    this.#window.show();
    this.#window.focus();
  }

  /** The page, while the window is open. */
  contents(): WebContents | undefined {
    return this.#window?.webContents;
  }

  /** Whether a person has the window in front. */
  isLookedAt(): boolean {
    return this.#window?.isFocused() ?? false;
  }

  #make(): BrowserWindow {
    const window = new BrowserWindow({
      width: 960,
      height: 640,
      minWidth: 400,
      minHeight: 400,
      show: false,
      autoHideMenuBar: true,
      title: 'Dagu Desktop',
      icon: iconFile('app'),
      backgroundColor: nativeTheme.shouldUseDarkColors ? background.dark : background.light,
      webPreferences: {
        preload,
        session: this.#session,
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        webviewTag: false,
        spellcheck: false,
      },
    });
    window.once('ready-to-show', () => window.show());
    window.on('focus', this.#onLooked);
    window.on('closed', () => {
      this.#window = undefined;
    });
    void window.loadURL(`${pagesOrigin}/index.html?locale=${encodeURIComponent(this.#locale)}`);
    return window;
  }
}

/** A page stays where it is: it opens nothing, goes nowhere, embeds nothing and is granted nothing. */
export function confinePages(session: Session): void {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
  app.on('web-contents-created', (_event, contents) => {
    contents.on('will-navigate', (event) => event.preventDefault());
    contents.on('will-redirect', (event) => event.preventDefault());
    contents.on('will-attach-webview', (event) => event.preventDefault());
    contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  });
}
