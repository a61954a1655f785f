import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const stub = fileURLToPath(new URL('test/fixtures/electron-stub.ts', import.meta.url));
const shared = { extends: true as const };

/** Suites that run built programs; those on a desktop run one file at a time. */
const built = { globalSetup: 'test/fixtures/built.ts', testTimeout: 60_000, hookTimeout: 60_000 };

export default defineConfig({
  resolve: { alias: { electron: stub } },
  test: {
    projects: [
      {
        ...shared,
        test: {
          name: 'unit',
          include: ['{core,native,executor,main,preload,renderer,cli,build}/**/*.test.{ts,tsx}'],
          testTimeout: 10_000,
          // Else one core less than there are, which on two cores is one file at a time.
          maxWorkers: '100%',
        },
      },
      { ...shared, test: { ...built, name: 'cli', include: ['test/cli/**/*.test.ts'] } },
      {
        ...shared,
        test: { ...built, name: 'desktop', include: ['test/desktop/**/*.test.ts'], fileParallelism: false },
      },
      { ...shared, test: { ...built, name: 'tray', include: ['test/tray/**/*.test.ts'], fileParallelism: false } },
      { ...shared, test: { name: 'wine', include: ['test/wine/**/*.test.ts'] } },
    ],
  },
});
