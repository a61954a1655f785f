import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

const found = new Map<string, string>();

/**
 * The file that a program's name stands for, looked up in PATH once: a process that is
 * started by a bare name tries each folder of PATH anew. A name that is in none stays as
 * it is, and fails where it is started.
 */
export function findProgram(name: string, path = process.env.PATH ?? ''): string {
  if (isAbsolute(name) || name.includes('/') || process.platform === 'win32') return name;
  const key = `${path}\0${name}`;
  const file =
    found.get(key) ??
    path
      .split(delimiter)
      .map((folder) => join(folder, name))
      .find(isExecutable) ??
    name;
  found.set(key, file);
  return file;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // not in this folder, or not to be run by this user
  }
}
