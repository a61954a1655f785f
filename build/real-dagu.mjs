import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, cachePackage } from './pinned-package.mjs';

/** The Dagu program, which the bench runs beside ours. It is a tool of the bench, no part of the product. */
const pinned = {
  name: '@dagu-org/dagu-linux-x64',
  version: '1.30.2',
  integrity: 'sha512-ZEJPlVqvf0TbEymoSuDj5CV/T5hYrCwaD6zGy/O24oKTl0FFsGwCx2OW20D7D/Ck9ik3f0sZPut/O8TDCKSkfQ==',
};
const folder = `dagu-${pinned.version}`;
const program = join(cacheFolder(folder), 'bin/dagu');

/** Absolute path of the Dagu program; throws when it is not there. */
export function realDagu() {
  if (!existsSync(program)) throw new Error('there is no Dagu to compare with: run `npm run bench`');
  return program;
}

/** Fetches it once. */
export async function installRealDagu() {
  if (existsSync(program)) return;
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(`the bench compares with a Dagu for Linux x64, and this is ${process.platform} ${process.arch}`);
  }
  console.error(`Fetching Dagu ${pinned.version} to compare with …`);
  await cachePackage(pinned, folder, renameSync);
}
