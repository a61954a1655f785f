import { createWriteStream, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import yauzl from 'yauzl';

const linkType = 0o120000;

/**
 * Unpacks a zip archive with the files' modes and symbolic links. A path that leads out of it is an error (yauzl).
 *
 * @param {string} archive
 * @param {string} folder
 * @param {(path: string) => string | undefined} rename Where an entry goes, relative to the folder; undefined leaves it out.
 */
export async function unzip(archive, folder, rename) {
  const zip = /** @type {yauzl.ZipFile} */ (
    await /** @type {(path: string, options: yauzl.Options) => Promise<unknown>} */ (promisify(yauzl.open))(archive, {
      lazyEntries: true,
      autoClose: false,
    })
  );
  const openEntry = promisify(zip.openReadStream.bind(zip));
  try {
    for await (const entry of entries(zip)) {
      const name = entry.fileName.endsWith('/') ? undefined : rename(entry.fileName);
      if (name === undefined) continue;
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      const content = await openEntry(entry);
      const mode = entry.externalFileAttributes >>> 16;
      if ((mode & 0o170000) === linkType) symlinkSync(await text(content), path);
      else await pipeline(content, createWriteStream(path, { mode: mode & 0o777 || 0o644 }));
    }
  } finally {
    zip.close();
  }
}

/**
 * @param {yauzl.ZipFile} zip
 * @returns {AsyncGenerator<yauzl.Entry>}
 */
async function* entries(zip) {
  for (;;) {
    const entry = await new Promise((resolve, reject) => {
      zip.once('entry', resolve).once('end', resolve).once('error', reject);
      zip.readEntry();
    });
    zip.removeAllListeners();
    if (entry === undefined) return;
    yield entry;
  }
}
