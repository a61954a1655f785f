/** Shells that read POSIX syntax, by the name of their program. */
const posixShells = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh']);

/** Whether a shell, given as a name or a path, takes POSIX syntax and `-c`. */
export function isPosixShell(shell: string): boolean {
  return posixShells.has(shell.split(/[\\/]/).at(-1) ?? shell);
}
