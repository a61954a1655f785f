import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { desktopSuite, type FormResult } from '../../native/suite.ts';
import { startSession } from '../fixtures/desktop-session.ts';
import { type RunningDriver, startDriver } from '../fixtures/driver.ts';

const fields = [
  '--field=Name',
  '--field=Secret:H',
  '--field=Agree:CHK',
  '--field=Colour:CB',
  '',
  '',
  'FALSE',
  'red!green!blue',
  '--button=OK:0',
  '--button=Cancel:1',
];

desktopSuite('X11', async () => {
  const session = await startSession({ width: 1280, height: 800 });
  const folder = await mkdtemp(join(tmpdir(), 'dagu-desktop-suite-'));
  const output = join(folder, 'form.txt');
  const env = { ...session.env, DAGU_DESKTOP_X11: '1' };
  const drivers = [startDriver(env)];
  const first = drivers[0] as RunningDriver;
  return {
    desktop: first.desktop,
    another: async () => {
      const driver = startDriver(env);
      drivers.push(driver);
      return driver.desktop;
    },
    form: {
      command: 'sh',
      args: ['-c', 'exec yad "$@" > "$0"', output, '--form', '--title=Suite form', '--geometry=+120+120', ...fields],
    },
    cover: {
      command: 'yad',
      args: ['--form', '--title=Cover', '--geometry=420x420+60+60', '--field=Above', '--button=Cancel:1'],
    },
    result: () => readResult(output),
    close: async () => {
      await Promise.all(drivers.map((driver) => driver.stop()));
      await session.stop();
      await rm(folder, { recursive: true });
    },
  };
});

async function readResult(path: string): Promise<FormResult | undefined> {
  const [name, , agree, colour] = (await readFile(path, 'utf8')).split('|');
  return colour === undefined ? undefined : { name: name as string, agree: agree === 'TRUE', colour };
}
