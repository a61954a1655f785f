import { desktopSuite, type FormResult } from '../suite.ts';
import { openMemoryDesktop } from './driver.ts';
import { MemoryDesktop, type MemoryWindow } from './world.ts';

desktopSuite('in memory', async () => {
  const world = new MemoryDesktop();
  let result: FormResult | undefined;
  world.programs.set('form', (_args, pid) => openForm(world, pid, (given) => (result = given)));
  world.programs.set('cover', (_args, pid) => openCover(world, pid));
  return {
    desktop: openMemoryDesktop(world, { name: 'first' }).desktop,
    another: async () => openMemoryDesktop(world, { name: 'second' }).desktop,
    form: { command: 'form', args: [] },
    cover: { command: 'cover', args: [] },
    result: async () => result,
    close: async () => undefined,
  };
});

function openForm(world: MemoryDesktop, pid: number, give: (result: FormResult) => void): void {
  const row = (index: number) => ({ x: 220, y: 140 + index * 40, width: 150, height: 30 });
  const close = () => world.close(window);
  const window: MemoryWindow = world.open({
    title: 'Suite form',
    app: 'form',
    pid,
    bounds: { x: 120, y: 120, width: 300, height: 300 },
    elements: [
      { role: 'text_field', label: 'Name', bounds: row(0), patterns: ['setValue', 'focus'] },
      { role: 'text_field', label: 'Secret', secret: true, bounds: row(1), patterns: ['setValue', 'focus'] },
      { role: 'checkbox', name: 'Agree', bounds: row(2), patterns: ['toggle'] },
      { role: 'combo_box', label: 'Colour', value: 'red', bounds: row(3), patterns: ['expand', 'setValue'] },
      { role: 'button', name: 'Cancel', bounds: row(4), patterns: ['invoke'], onClick: close },
      {
        role: 'button',
        name: 'OK',
        bounds: row(5),
        patterns: ['invoke'],
        onClick: () => {
          const [name, , agree, colour] = window.root.children;
          give({ name: name?.value ?? '', agree: agree?.checked ?? false, colour: colour?.value ?? '' });
          close();
        },
      },
    ],
  });
}

function openCover(world: MemoryDesktop, pid: number): void {
  const window: MemoryWindow = world.open({
    title: 'Cover',
    app: 'cover',
    pid,
    bounds: { x: 60, y: 60, width: 420, height: 420 },
    elements: [
      { role: 'text_field', label: 'Above', bounds: { x: 80, y: 80, width: 200, height: 30 } },
      ...[1, 2, 3].map((line) => ({
        role: 'text' as const,
        name: `Line ${line}`,
        bounds: { x: 80, y: 100 + line * 40, width: 200, height: 30 },
      })),
      {
        role: 'button',
        name: 'Cancel',
        bounds: { x: 80, y: 400, width: 100, height: 30 },
        patterns: ['invoke'],
        onClick: () => world.close(window),
      },
    ],
  });
}
