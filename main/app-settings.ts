import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute } from 'node:path';
import { checker, InvalidValue } from '../core/contract/check.ts';
import { CallError } from '../core/contract/protocol.ts';
import { AppSettings, type ChangeableSettings, defaultSettings, type TrustPolicy } from '../core/contract/settings.ts';

const check = checker(AppSettings, 'settings');

/**
 * The settings file of a data directory: `settings.json`. What it leaves out has its default.
 * A file that cannot be read or understood is an error with code `settings` that names it:
 * nothing is guessed from half of a file that also says what may run.
 */
export class SettingsFile {
  readonly path: string;
  #current: AppSettings = defaultSettings;

  constructor(path: string) {
    this.path = path;
  }

  /** The settings as they were last read or written. */
  get current(): AppSettings {
    return this.#current;
  }

  /** Reads the file. */
  async read(): Promise<AppSettings> {
    this.#current = complete(await this.#content(), this.path);
    return this.#current;
  }

  /** Writes what a page may change; the rest of the file stays as it is on the disk. */
  async change(settings: ChangeableSettings): Promise<AppSettings> {
    const content = { ...(await this.#content()), ...settings };
    const next = complete(content, this.path);
    await this.#write(`${JSON.stringify(content, null, 2)}\n`);
    this.#current = next;
    return next;
  }

  async #content(): Promise<Record<string, unknown>> {
    let text: string;
    try {
      text = await readFile(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
      throw failed(this.path, `cannot be read: ${(error as Error).message}`);
    }
    const value = parse(text, this.path);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    throw failed(this.path, 'is not a JSON object');
  }

  /** Written beside and renamed: whoever reads meanwhile finds the old file or the new one. */
  async #write(text: string): Promise<void> {
    try {
      await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
      await writeFile(`${this.path}.new`, text, { mode: 0o600 });
      await rename(`${this.path}.new`, this.path);
    } catch (error) {
      throw failed(this.path, `cannot be written: ${(error as Error).message}`);
    }
  }
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw failed(path, `is not JSON: ${(error as Error).message}`);
  }
}

function complete(content: Record<string, unknown>, path: string): AppSettings {
  try {
    const settings = check({
      ...defaultSettings,
      ...content,
      trust: { ...defaultSettings.trust, ...objectOf(content.trust) },
    });
    checkFolders(settings.trust, path);
    return settings;
  } catch (error) {
    if (error instanceof InvalidValue) throw failed(path, `is not right: ${error.message}`);
    throw error;
  }
}

function checkFolders({ folders }: TrustPolicy, path: string): void {
  const relative = folders.find((folder) => !isAbsolute(folder));
  if (relative !== undefined)
    throw failed(path, `is not right: the folder "${relative}" of trust is not an absolute path`);
}

function objectOf(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}

function failed(path: string, what: string): CallError {
  return new CallError('settings', `the settings file ${path} ${what}`);
}
