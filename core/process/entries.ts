import { fileURLToPath } from 'node:url';

/** The programs that a build makes, each a file at the root of dist/; those that start often are CommonJS. */
const files = {
  cli: 'cli.cjs',
  executor: 'executor.cjs',
  documents: 'documents.js',
  driver: 'driver.js',
  electron: 'electron.js',
  queries: 'queries.js',
} as const;
export type Entry = keyof typeof files;

/**
 * Absolute path of a built program. The build puts every file at one level, so that
 * this holds wherever bundling moves this module; under a test runner, which loads
 * the source, it is the clone's dist folder.
 */
export function entryPath(entry: Entry): string {
  const fromSource = import.meta.url.endsWith('.ts');
  return fileURLToPath(new URL(`${fromSource ? '../../dist/' : './'}${files[entry]}`, import.meta.url));
}
