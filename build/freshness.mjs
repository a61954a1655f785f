import { createRequire } from 'node:module';

/**
 * build/freshness.cjs for ES modules, whoever loads them: Vite, which loads the bench, takes
 * each file that is imported for an ES module.
 *
 * @type {typeof import('./freshness.cjs')}
 */
const freshness = createRequire(import.meta.url)('./freshness.cjs');

export const { root, dist, stampFile, readSource, readStamp, isFresh } = freshness;
