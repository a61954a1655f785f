import type { BusConnection } from '../dbus/connection.ts';
import { method } from '../dbus/wire.ts';
import { type Basics, orNothing, toRef } from './accessible.ts';
import type { Ref } from './bus.ts';

const cachePath = '/org/a11y/atspi/cache';
const getItems = method('org.a11y.atspi.Cache', 'GetItems');

type Item = [
  ref: [string, string],
  program: [string, string],
  parent: [string, string],
  index: number,
  childCount: number,
  interfaces: string[],
  name: string,
  role: number,
  description: string,
  states: number[],
];

/**
 * What a program tells of its objects in one answer, by path. It is short of some
 * (cells of tables, parts that were not looked at yet): where the children of an object
 * are not all among them, they are left to be asked for. Empty for a program that
 * gives no such answer.
 */
export async function cachedBasics(
  connection: BusConnection,
  program: string,
  timeoutMs: number,
): Promise<ReadonlyMap<string, Basics>> {
  const [items] = (await orNothing(connection.call(program, cachePath, getItems, timeoutMs))) as [Item[]?];
  // An older form of the answer, which Qt gives, lists the children in place of the index.
  if (items === undefined || typeof items[0]?.[3] !== 'number') return new Map();
  const children = new Map<string, Ref[]>();
  for (const [ref, , [, parent], index] of items) {
    if (index < 0) continue;
    let list = children.get(parent);
    if (list === undefined) {
      list = [];
      children.set(parent, list);
    }
    list[index] = toRef(ref);
  }
  return new Map(
    items.map(([[, path], , , , childCount, interfaces, name, role, , states]) => [
      path,
      {
        role,
        name,
        states: [states[0] ?? 0, states[1] ?? 0],
        interfaces,
        childCount,
        children: whole(children.get(path), childCount),
        id: undefined,
      },
    ]),
  );
}

function whole(list: Ref[] | undefined, count: number): Ref[] | undefined {
  if (count === 0) return [];
  if (list === undefined || list.length !== count) return undefined;
  // A hole: a child that is not among the items.
  return list.includes(undefined as unknown as Ref) ? undefined : list;
}
