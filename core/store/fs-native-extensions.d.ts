declare module 'fs-native-extensions' {
  /** Takes an exclusive lock on an open file without waiting; false when another holds it. */
  export function tryLock(descriptor: number): boolean;
  /** Takes it when the other lets go. */
  export function waitForLock(descriptor: number): Promise<void>;
  export function unlock(descriptor: number): void;
}
